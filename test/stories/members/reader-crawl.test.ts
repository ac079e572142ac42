import { beforeAll, describe, expect, it } from 'vitest';
import { crawl, type Seen } from '../../support/fuzz/crawler.ts';
import { linkIn } from '../../support/mails/outbox.ts';
import { useService } from '../../support/use-service.ts';
import { authorizationParameters, pkce, type Visitor, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'development' });
let host: string;

beforeAll(() => {
  host = `localhost:${service.port}`;
});

const email = 'bo@example.com';
const password = 'memberdoor-development';
const newPassword = 'kvist og eld i skogen';

/** The start of a sign-in of this client. */
const authorization = (clientId: string, redirectUri: string, more: Record<string, string> = {}) =>
  `/api/oidc/auth?${new URLSearchParams(authorizationParameters(clientId, redirectUri, pkce(), more))}`;
const ofReader = (more: Record<string, string> = {}) =>
  authorization('reader', 'http://localhost:9880/callback', more);

/** What a TV with the app shows as a QR code. */
const deviceAddress = async () => {
  const body = { client_id: 'reader', scope: 'openid offline_access' };
  const answer = await service.http(host, '/api/oidc/device/auth', { body });
  const { pathname, search } = new URL(
    answer.json<{ verification_uri_complete: string }>().verification_uri_complete,
  );
  return pathname + search;
};

/** Where the app and its mistakes lead: everything that a reviewer without an account can begin with. */
const beginnings = async (): Promise<Record<string, string>> => ({
  'the app': ofReader(),
  'the app, asking for the sign-up page': ofReader({ state: '{"action":"signup"}' }),
  'the app, with prompt=create': ofReader({ prompt: 'create' }),
  'the app, in Norwegian': ofReader({ ui_locales: 'nb' }),
  'the app, with a redirect_uri that is not its own': ofReader({ redirect_uri: 'http://localhost:1/' }),
  'the app, signing out': '/api/oidc/session/end?client_id=reader',
  'the QR code of a TV': await deviceAddress(),
  'the address that a TV shows': '/device',
  'a page that is not there': '/no-such-page',
  'the root': '/',
  'a sign-in page without a flow': '/sign-in',
  'a recovery page without a flow': '/recover',
  'a link that is no more': `/recover/reset/${'x'.repeat(43)}`,
  'another link that is no more': `/sign-up/confirm/${'x'.repeat(43)}`,
  'a flow that was cut off': '/sign-in?flow=x',
});

/** What a reviewer types: nothing, what is wrong, and at last what is right. */
const typed = {
  email: ['', 'no address', email],
  password: ['', 'wrong password', 'wrong password'],
  user_code: ['', '12', '123456'],
};

/** Links, buttons and words that lead to a new account or to money. */
const forbidden = [
  /(?:href|action|formaction)="[^"]*\/(?:sign-?up|register|checkout|pricing|prices|packages|plans|buy)\b/i,
  /create (?:an |your )?account|sign up|\bregister\b|new here|subscribe|free trial|checkout|\bprices?\b|\bbuy\b|\bpurchase\b|\bper month\b|[€$£]\s?\d/i,
];

/** The pages on which something is forbidden, with the way that leads there. */
const breaches = (seen: readonly Seen[]) =>
  seen.flatMap(({ way, text }) => {
    const body = text.replace(/<(style|script)[\s\S]*?<\/\1>/g, '');
    // A flow in an address is sealed, and its letters are chance.
    const readable = body.replace(/(flow|proof)=[\w.%-]+/g, '$1=').replace(/value="[\w.-]{60,}"/g, '');
    const found = forbidden.map((pattern) => pattern.exec(readable)?.[0]).filter((hit) => hit !== undefined);
    return found.length > 0 ? [{ way: way.join(' > '), found }] : [];
  });

const titlesOf = (seen: readonly Seen[]) =>
  new Set(seen.map(({ text }) => /<title>([^<]*)<\/title>/.exec(text)?.[1]));

/** Everything reachable, in one language: another one would stay with the browser. */
const look = (
  browser: Visitor,
  from: Record<string, string>,
  fill: Record<string, readonly string[]> = typed,
) => crawl(browser, from, { fill: { ...fill, language: [] } });

describe('a reviewer of an app store, in an app with sign-up disabled', () => {
  it('pages 12: finds no way to sign-up, prices or checkout, whatever is pressed before signing in', async () => {
    const seen = await look(visitor(service, host), await beginnings());
    expect(breaches(seen)).toEqual([]);
    // The words are looked for in English, the addresses in another language too.
    const norwegian = visitor(service, host);
    await norwegian.send('/language', { body: { language: 'nb', page: '/' } });
    expect(breaches(await look(norwegian, await beginnings()))).toEqual([]);
    // It was looked at, and is not merely missing.
    for (const title of [
      'Sign in – Acme',
      'Error: Sign in – Acme',
      'Choose a new password – Acme',
      'Error: Choose a new password – Acme',
      'Check your email – Acme',
      'Error: Page not found – Acme',
      'Error: This sign-in cannot start – Acme',
      'Error: This link no longer works – Acme',
      'Error: Too many attempts – Acme',
    ]) {
      expect([...titlesOf(seen)]).toContain(title);
    }
  });

  it('pages 12: finds none in the links that recovery mails, in this browser or another', async () => {
    const browser = visitor(service, host);
    // The failures of the reviewer before do not count any more.
    service.clock.advance(24 * 60 * 60_000);
    await look(browser, { 'the app': ofReader() });
    await service.delivered();
    // A code by mail has digits, and nothing to follow.
    const withLink = () => service.outbox.sent.filter(({ name }) => name !== 'signInCode');
    const links = withLink().map((mail) => new URL(linkIn(mail)));
    expect(links.map(({ pathname }) => pathname.split('/')[1])).toContain('recover');
    const mailed = Object.fromEntries(
      links.map(({ pathname, search }, index) => [`mail ${index}`, pathname + search]),
    );
    for (const device of [browser, visitor(service, host)]) {
      const fill = { ...typed, password: ['', 'short', newPassword] };
      const seen = await look(device, mailed, fill);
      expect(breaches(seen)).toEqual([]);
    }
    await service.delivered();
    const later = withLink()
      .slice(links.length)
      .map((mail) => new URL(linkIn(mail)));
    const told = Object.fromEntries(
      later.map(({ pathname, search }, index) => [`later ${index}`, pathname + search]),
    );
    expect(later.length).toBeGreaterThan(0);
    expect(breaches(await look(visitor(service, host), told))).toEqual([]);
  });

  it('pages 12: finds none with pages that were open too long, or in a browser that lost its cookies', async () => {
    const browser = visitor(service, host);
    const signIn = await browser.authorize(Object.fromEntries(new URL(ofReader(), 'http://x').searchParams));
    const flow = /name="flow" value="([^"]*)"/.exec(signIn.text)?.[1];
    const device = await browser.send(await deviceAddress());
    const stale = {
      'an old sign-in page': `/sign-in?flow=${flow}`,
      'an old recovery page': `/recover?flow=${flow}`,
      'an old sign-up page': `/sign-up?flow=${flow}`,
      'an old page of a TV': String(device.headers.location),
    };
    service.clock.advance(13 * 60 * 60_000);
    for (const other of [browser, visitor(service, host)]) {
      const seen = await look(other, stale);
      expect(breaches(seen)).toEqual([]);
      expect([...titlesOf(seen)]).toContain('Error: This page has expired – Acme');
    }
  });

  it('pages 12: finds none after signing in: on the way of a TV, on the account, and out again', async () => {
    service.clock.advance(24 * 60 * 60_000);
    const browser = visitor(service, host);
    const member = 'ida@example.com';
    const page = await browser.authorize(Object.fromEntries(new URL(ofReader(), 'http://x').searchParams));
    expect((await browser.signIn(page, member, password)).status).toBe(303);
    const from = { 'the QR code of a TV': await deviceAddress(), 'the account': '/account' };
    const seen = await look(browser, from, { user_code: ['', '12'] });
    expect(breaches(seen)).toEqual([]);
    expect([...titlesOf(seen)]).toContain('You are signing in on a TV – Acme');
  });

  it('the same crawl finds the way in an app that allows it', async () => {
    service.clock.advance(24 * 60 * 60_000);
    const start = authorization('web-single', 'http://localhost:9878/callback');
    const seen = await look(visitor(service, host), { 'the app': start });
    expect(breaches(seen).length).toBeGreaterThan(0);
    expect([...titlesOf(seen)]).toContain('Create an account – Acme');
  });
});
