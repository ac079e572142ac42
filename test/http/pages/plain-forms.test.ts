import { describe, expect, it } from 'vitest';
import { hosts, secrets } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { apps, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { authorizationParameters, pkce, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

/** The forms of a page as a browser without scripts sends them: where to, and the names of what they carry. */
const formsOf = ({ text }: Answer) =>
  [...text.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, head = '', body = '']) => ({
    method: /\bmethod="(\w+)"/.exec(head)?.[1]?.toLowerCase(),
    action: /\baction="([^"?]*)/.exec(head)?.[1],
    names: [...new Set([...body.matchAll(/\bname="([^"]+)"/g)].map(([, name]) => String(name)))].sort(),
    isSent: /<button\b(?![^>]*type="button")/.test(body),
  }));

/** No form needs a script: none is sent by one, and no script stands in the page itself. */
const expectPlain = (page: Answer) => {
  expect(page.status).toBe(200);
  expect(page.text).not.toMatch(/\son\w+="|<script(?![^>]*\bsrc=)|javascript:/i);
};

describe('the pages of a sign-in', () => {
  it('I25: sign-in is a plain form with stable names and ids', async () => {
    const { clientId, redirectUri } = apps.conf2;
    const page = await visitor(service, hosts.a).authorize(
      authorizationParameters(clientId, redirectUri, pkce()),
    );
    expectPlain(page);
    const [form] = formsOf(page).filter(({ names }) => names.includes('password'));
    expect(form).toMatchObject({ method: 'post', action: '/sign-in', isSent: true });
    expect(form?.names).toEqual(expect.arrayContaining(['email', 'flow', 'password']));
    for (const id of ['email', 'password']) expect(page.text).toContain(`id="${id}"`);
  });

  it('I25: so is consent', async () => {
    const browser = visitor(service, hosts.a);
    const third = { clientId: 'third', redirectUri: 'https://third.test/cb', secret: secrets.third };
    const request = authorizationParameters(third.clientId, third.redirectUri, pkce(), {
      scope: 'openid email',
    });
    const signedIn = await browser.signIn(await browser.authorize(request), 'u1@example.test');
    const page = await browser.send(String(signedIn.headers.location));
    expectPlain(page);
    const [form] = formsOf(page).filter(({ action }) => action === '/consent');
    expect(form).toMatchObject({ method: 'post', isSent: true });
    expect(form?.names).toEqual(expect.arrayContaining(['action', 'flow']));
  });

  it('I25: so is the question whether to sign out', async () => {
    const browser = visitor(service, hosts.a);
    await tokensOf(service, hosts.a, apps.conf2, { browser });
    const page = await browser.send('/api/oidc/session/end');
    expectPlain(page);
    const [form] = formsOf(page).filter(({ method }) => method === 'post');
    expect(form).toMatchObject({ isSent: true });
  });
});
