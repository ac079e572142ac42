import { describe, expect, it } from 'vitest';
import { hosts } from '../../support/fixtures.ts';
import { apps, claimsOf, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { authorizationParameters, field, pkce, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
const { clientId, redirectUri } = apps.conf2;

const signedIn = async (email = 'u1@example.test') => {
  const browser = visitor(service, hosts.a);
  const { id_token: idToken } = await tokensOf(service, hosts.a, apps.conf2, { browser, email });
  return { browser, id: String(claimsOf(idToken).sub), idToken };
};

/** The address that the sign-in page has filled in. */
const filledIn = async (browser: ReturnType<typeof visitor>, more: Record<string, string>) => {
  const page = await browser.authorize(authorizationParameters(clientId, redirectUri, pkce(), more));
  expect(page.text).toContain('<h1>Sign in</h1>');
  return field(page, 'email');
};

describe('a login_hint that is the id of a member', () => {
  it('I69: fills in their address where they are signed in and sign in anew', async () => {
    const { browser, id } = await signedIn();
    const more = { prompt: 'login', login_hint: id };
    expect(await filledIn(browser, more)).toBe('u1@example.test');
    expect(await filledIn(browser, { ...more, login_hint: id.toUpperCase() })).toBe('u1@example.test');
  });

  it('CL7, I69: fills in nothing in another browser, nor in that of another member, whatever hint is beside it', async () => {
    const { id, idToken } = await signedIn();
    const other = await signedIn('u2@example.test');
    const more = { prompt: 'login', login_hint: id };
    expect(await filledIn(visitor(service, hosts.a), more)).toBe('');
    expect(await filledIn(other.browser, more)).toBe('');
    expect(await filledIn(other.browser, { ...more, id_token_hint: idToken })).toBe('');
  });

  it('CL7, I69: of an unknown member is answered the same', async () => {
    const { browser } = await signedIn();
    const more = { prompt: 'login', login_hint: '019a7c1e-0000-7000-8000-000000000000' };
    expect(await filledIn(browser, more)).toBe('');
    expect(await filledIn(visitor(service, hosts.a), more)).toBe('');
  });

  it('I69: is no address on the sign-up page either', async () => {
    const { browser, id } = await signedIn();
    const more = { prompt: 'create', login_hint: id };
    const page = await browser.authorize(authorizationParameters(clientId, redirectUri, pkce(), more));
    expect(field(page, 'email')).toBe('');
  });
});
