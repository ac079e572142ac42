import { signInToPortal } from '../../../test/support/operators/portal.ts';
import { refreshAs, tokensOf } from '../../../test/support/tokens.ts';
import { type Visitor, visitor } from '../../../test/support/visitor.ts';
import { type Actor, anyOf, expectRefused, expectStatus, type Stage } from '../actor.ts';
import { apps, emailOf, host, operator } from '../site.ts';

/** The portal is signed in to anew after so many pages. */
const pagesOfSession = 200;

/** Walks through the pages of the portal, by the links that they have. */
export const portalReader: Actor = { name: 'portal', count: 1, pause: 600, begin };

function begin({ service }: Stage): () => Promise<void> {
  let browser: Visitor | null = null;
  let links: readonly string[] = [];
  let count = 0;
  return async () => {
    count += 1;
    if (browser === null || count % pagesOfSession === 0) {
      browser = visitor(service, host);
      const answer = await signInToPortal(browser, operator.email, operator.password);
      expectStatus(answer, 'a sign-in to the portal', 303);
    }
    const path = links.length === 0 ? '/admin' : anyOf(links);
    const page = expectStatus(await browser.send(path), `the portal’s ${path.split('?')[0]}`, 200, 303);
    links = [...page.text.matchAll(/ href="(\/admin[^"#]*)"/g)]
      .map(([, link]) => String(link).replaceAll('&amp;', '&'))
      .filter((link) => !/sign-out|export/.test(link));
  };
}

/** Disables members by the admin API, which ends their sign-ins, and enables them again. */
export const administrator: Actor = { name: 'admin API', count: 1, pause: 2_000, begin: beginActing };

function beginActing({ site, service }: Stage): () => Promise<void> {
  const headers = { authorization: `Bearer ${site.adminToken}` };
  const email = emailOf('suspended', 0);
  const members = `/api/v1/admin/tenants/${host}/members`;
  const call = (path: string, method: string) =>
    service.http(host, `${members}${path}`, {
      method,
      ...(method === 'GET'
        ? { headers }
        : { headers: { ...headers, 'content-type': 'application/json' }, body: '{}' }),
    });
  return async () => {
    const tokens = await tokensOf(service, host, apps.spa, { email });
    const list = expectStatus(await call(`?search=${encodeURIComponent(email)}`, 'GET'), 'a search', 200);
    const [member] = list.json<{ members: { id: string }[] }>().members;
    expectStatus(await call(`/${member?.id}/disable`, 'POST'), 'disabling a member', 200);
    const refused = await refreshAs(service, host, apps.spa, tokens.refresh_token);
    expectRefused(refused, 'a refresh of a disabled member', 'invalid_grant');
    expectStatus(await call(`/${member?.id}/enable`, 'POST'), 'enabling a member', 200);
  };
}
