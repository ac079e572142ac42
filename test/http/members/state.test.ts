import { describe, expect, it } from 'vitest';
import { hosts, passwords } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { rawExchange } from '../../support/process/raw-socket.ts';
import { useService } from '../../support/use-service.ts';
import { authorizationParameters, pkce, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

/** The bytes of the state in an answer's address, decoded by percent-decoding alone: no `+` is a space. */
const stateIn = ({ headers }: Answer): string | null => {
  const sent = /[?&]state=([^&#]*)/.exec(headers.location ?? '')?.[1];
  return sent === undefined ? null : decodeURIComponent(sent);
};

/** Sends this state through the sign-in page, and through an error; what came back of each. */
const roundTrip = async (state: string, clientId = 'pub1') => {
  const browser = visitor(service, hosts.a);
  const request = (more: Record<string, string>) =>
    browser.authorize(
      authorizationParameters(clientId, `https://${clientId}.test/cb`, pkce(), { state, ...more }),
    );
  const page = await request({});
  const done = await browser.signIn(page, 'u1@example.test');
  const failed = await request({ scope: 'email' });
  return { page, done, states: [stateIn(done), stateIn(failed)] };
};

describe('state', () => {
  it('S1: a random string of 43 characters comes back byte for byte', async () => {
    const { challenge: random } = pkce();
    expect((await roundTrip(random)).states).toEqual([random, random]);
  });

  it.each([
    '{"action":"signup","csrf":"x"}',
    '{ "csrf" : "x",  "action":"signup" }',
    '{"csrf":"\\u0061","action":"signup","n":1.0,"action2":null}',
  ])(
    'S2: %s comes back byte for byte from whichever page it led to: it is never written anew',
    async (state) => {
      const browser = visitor(service, hosts.a);
      const parameters = authorizationParameters('pub1', 'https://pub1.test/cb', pkce(), { state });
      const begun = await browser.send(`/api/oidc/auth?${new URLSearchParams(parameters)}`);
      // A visitor who comes to sign up and has an account signs in with the same flow.
      const flow = /[?&]flow=([^&]+)/.exec(begun.headers.location ?? '')?.[1] ?? '';
      const email = 'u1@example.test';
      const body = { flow, email, password: passwords[hosts.a][email] };
      expect(stateIn(await browser.send('/sign-in', { body }))).toBe(state);
      expect(stateIn(await browser.authorize({ ...parameters, scope: 'email' }))).toBe(state);
    },
  );

  it.each(['{"action":"signup","csrf":"x"}', '{ "action" : "signup" }'])(
    'S3: a client with sign-up disabled gets the sign-in page without a sign-up link, and %s back',
    async (state) => {
      const { page, states } = await roundTrip(state, 'nosign');
      expect(page.status).toBe(200);
      expect(page.text).toContain('<h1>Sign in</h1>');
      expect(page.text).not.toMatch(/(?:href|action)="[^"]*(?:sign-?up|register)/i);
      expect(states).toEqual([state, state]);
    },
  );

  it.each([
    '\r\nSet-Cookie:x=1',
    '%0d%0aSet-Cookie:x=1',
    '"><script>',
    '👩‍👩‍👧 é 日本',
    '+',
    '%2B',
    '&x=1',
    '#f',
    "a b/c?d=e;f,g:h@i!j$k'l(m)n*o[p]",
    '\t\u0001\u007f\u2028',
    '%',
    '\ufffd',
  ])(
    'S8: %j comes back percent-encoded, decodes to the same bytes, and gets into no header or page',
    async (state) => {
      const { page, done, states } = await roundTrip(state);
      expect(states).toEqual([state, state]);
      expect(done.headers.location).toMatch(/^[\x21-\x7e]+$/);
      expect(new URL(done.headers.location ?? '').searchParams.get('state')).toBe(state);
      expect(done.headers['set-cookie']?.some((line) => line.startsWith('x='))).toBe(false);
      expect(new URL(done.headers.location ?? '').hash).toBe('');
      expect(new URL(done.headers.location ?? '').searchParams.has('x')).toBe(false);
      if (state.length > 3) expect(page.text).not.toContain(state);
    },
  );

  it('S8: bytes that came without percent-encoding are no address, and nothing comes back', async () => {
    const parameters = new URLSearchParams(authorizationParameters('pub1', 'https://pub1.test/cb', pkce()));
    const answer = await rawExchange(
      service.port,
      `GET /api/oidc/auth?${parameters}&state=é HTTP/1.1\r\nHost: a.test\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).not.toMatch(/^location:/im);
  });

  it('S8: bytes that are no UTF-8 get an error page, not a guess', async () => {
    const parameters = new URLSearchParams(authorizationParameters('pub1', 'https://pub1.test/cb', pkce()));
    for (const bad of ['%ff', '%c3%28', '%ed%a0%80', '%zz', '%']) {
      const answer = await service.http(hosts.a, `/api/oidc/auth?${parameters}&state=${bad}`);
      expect(answer.status).toBe(400);
      expect(answer.headers.location).toBeUndefined();
    }
  });

  it('I13: up to 4 KB of any printable ASCII comes back, on success and on an error', async () => {
    const printable = String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 0x20 + index));
    for (const state of [printable.repeat(6).slice(0, 512), printable.repeat(44).slice(0, 4_096)]) {
      expect((await roundTrip(state)).states).toEqual([state, state]);
    }
  });

  it('I13: that was not sent, or was sent empty, is not in the answer', async () => {
    const { done } = await roundTrip('');
    expect(done.headers.location).not.toContain('state');
  });

  it.each([
    'null',
    '[]',
    '{"action":["signup"]}',
    '{"__proto__":{"action":"signup"}}',
    '{"constructor":{"prototype":{"action":"signup"}}}',
    `{"action":"signup"${',"a":'.padEnd(3_000, '[')}`,
    '{"action":"signup"',
  ])('decision 12: JSON of another shape is opaque like any other state: %s', async (state) => {
    expect((await roundTrip(state)).states).toEqual([state, state]);
    expect(({} as { action?: string }).action).toBeUndefined();
  });
});
