// What a mail tells a member of a new browser or TV: its name, where it was seen, and the link that takes it back.
import Bowser from 'bowser';
import { noticeLifetime } from '../../core/members/limits.ts';
import { seal, unseal } from '../../secrets/seal.ts';
import type { Language } from '../../text/language.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import type { PlaceOf } from './geolocation.ts';

/** What a mail told a member of, so that "it was not me" can take it back. */
export interface Notice {
  readonly memberId: string;
  readonly at: number;
  /** The session of a new browser, or the device code of a TV. */
  readonly what: { readonly sessionId: string } | { readonly deviceCodeId: string };
}

/** A notice is read wherever the mail is, so its seal is bound to no browser. */
const anyBrowser = 'mail';

/** The address that the mail's button opens. */
export function noticeUrl(tenant: OpenTenant, notice: Notice): string {
  return `${tenant.issuer}/not-me/${seal(tenant.tokenKey, 'notice', anyBrowser, notice)}`;
}

/** The notice of a link; null if it was never ours, or is too old. */
export function readNotice({ tokenKey }: OpenTenant, text: string, now: number): Notice | null {
  const unsealed = unseal(tokenKey, 'notice', anyBrowser, text);
  if (unsealed.kind !== 'opened') return null;
  const notice = unsealed.value as Notice;
  return now < notice.at + noticeLifetime ? notice : null;
}

/** An address as people read it, and its place where the operator has a database of them (decision 34). */
export function seenAt(
  { language, deps }: { readonly language: Language; readonly deps: { readonly placeOf: PlaceOf } },
  ipAddress: string,
): { place: string | null; address: string } {
  return {
    place: deps.placeOf(ipAddress, language.tag),
    address: seenAddress(ipAddress),
  };
}

/** An address as people read it. */
export const seenAddress = (ipAddress: string): string => ipAddress.replace(/^::ffff:(?=\d+\.)/, '');

/** A browser and the system that it runs on. */
interface NamedBrowser {
  readonly browser: string;
  /** Empty where it is not known. */
  readonly system: string;
}

/** How much of what a browser says of itself is read. */
const userAgentRead = 256;

/** What a browser or a system can be called in a mail: a sender of other words could write a message with them. */
const known: ReadonlySet<string> = new Set([
  ...Object.values(Bowser.BROWSER_MAP),
  ...Object.values(Bowser.OS_MAP),
]);

/** What a browser says it is. It is a hint for people, and proves nothing. @returns null if it says nothing known */
export function nameBrowser(userAgent: string): NamedBrowser | null {
  // An empty text is not for the parser, which throws.
  if (userAgent === '') return null;
  const { browser, os } = Bowser.parse(userAgent.slice(0, userAgentRead));
  const [name = '', system = ''] = [browser.name, os.name];
  return known.has(name) ? { browser: name, system: known.has(system) ? system : '' } : null;
}

/** A browser as operators read it, such as "Chrome on Android". */
export const browserWords = ({ browser, system }: NamedBrowser): string =>
  system === '' ? browser : `${browser} on ${system}`;

/** A browser as its member reads it. */
export function browserName(userAgent: string, { t }: Language): string {
  const named = nameBrowser(userAgent);
  if (named === null) return t('account.browser.unknown');
  return named.system === '' ? named.browser : t('account.browser.on', { ...named });
}
