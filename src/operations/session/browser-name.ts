// Names a browser by its User-Agent.
import Bowser from 'bowser';
import type { Language } from '../../text/language.ts';

/** What a browser says it is, such as "Chrome on Android". It is a hint for people, and proves nothing. */
export function browserName(userAgent: string, { t }: Language): string {
  // An empty text is not for the parser, which throws.
  const { browser, os } = userAgent === '' ? { browser: {}, os: {} } : Bowser.parse(userAgent);
  const [name = '', system = ''] = [browser.name, os.name];
  if (name === '') return t('account.browser.unknown');
  return system === '' ? name : t('account.browser.on', { browser: name, system });
}
