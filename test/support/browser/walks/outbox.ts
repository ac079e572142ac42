// The mails of a development tenant, and how a browser comes to see them.
import type { Mail } from '../../../../src/operations/mail/mail.ts';
import { tenantOf } from '../../device.ts';
import type { View } from '../browser.ts';
import type { Site } from '../site.ts';
import type { Walk, Way } from '../way.ts';

export function outboxWalk(site: Site): Walk {
  const post = async (mail: Partial<Mail>) => {
    const { service, issuer } = site;
    const tenant = tenantOf(service, new URL(issuer).host);
    await service.store.transaction((tx) =>
      service.mails.queue(tx, tenant, {
        name: 'signUp',
        to: 'grace@mail.test',
        language: 'en',
        values: { fullName: 'Grace Hopper' },
        link: `${issuer}/sign-up/confirm/the-secret`,
        ...mail,
      }),
    );
    await service.delivered();
  };
  const prepare = async () => {
    const language = 'ar';
    await post({ language, to: 'huda@mail.test', values: { fullName: 'هدى منصور' }, code: '654 321' });
    const when = { place: 'Oslo, Norway', time: site.service.clock.now() };
    await post({ name: 'newTv', values: { client: 'Acme Play', device: 'Living room', ...when } });
    await post({ code: '123 456' });
  };
  const at = (path: string): Way => ({
    email: null,
    go: ({ page }) => page.goto(`${site.issuer}/outbox${path}`),
  });
  /** The mail that a list has first. */
  const first = (path: string): Way => ({
    email: null,
    go: async (view: View) => {
      await at(path).go(view);
      await view.page.locator('.mails a').first().click();
      await view.page.frameLocator('iframe').locator('p').first().waitFor();
    },
  });
  return {
    prepare,
    ways: {
      list: at(''),
      'list, nothing found': at('?q=nothing'),
      mail: first(''),
      'mail without a code': first('?q=TV'),
      'mail in Arabic': first('?q=huda'),
    },
  };
}
