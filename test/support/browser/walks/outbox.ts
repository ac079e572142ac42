// What a development tenant has besides: its mails and its reasons, and how a browser comes to see them.
import type { Mail } from '../../../../src/operations/mail/mail.ts';
import { tenantOf } from '../../device.ts';
import type { View } from '../browser.ts';
import { send } from '../forms.ts';
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
    const { host } = new URL(site.issuer);
    const asked = '/api/oidc/auth?client_id=web&redirect_uri=http%3A%2F%2Flocalhost%3A9876%2Fother';
    const answer = await site.service.http(host, asked);
    refused = /Reference: (\w+)/.exec(answer.text)?.[1] ?? '';
  };
  /** The reference of a request that was refused. */
  let refused = '';
  const at = (path: string): Way => ({
    email: null,
    go: ({ page }) => page.goto(`${site.issuer}/outbox${path}`),
  });
  /** The mail that a list has first. */
  const first = (path: string): Way => ({
    email: null,
    go: async (view: View) => {
      await at(path).go(view);
      await send(view.page, {}, '.mails a');
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
      'why a request was refused': {
        email: null,
        go: ({ page }) => page.goto(`${site.issuer}/rehearsal/why/${refused}`),
      },
    },
  };
}
