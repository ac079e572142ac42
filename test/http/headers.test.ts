import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { contentSecurityPolicy, formTarget } from '../../src/http/headers.ts';
import { hosts } from '../support/fixtures.ts';
import type { Answer } from '../support/http.ts';
import { serviceForTest, useService } from '../support/use-service.ts';
import { authorizationParameters, codeFor, field, pkce, type Visitor, visitor } from '../support/visitor.ts';

const redirectUri = 'https://pub1.test/cb';
const parameters = (more: Record<string, string> = {}) =>
  authorizationParameters('pub1', redirectUri, pkce(), more);

const service = useService({ data: 'security' });
let browser: Visitor;

beforeAll(async () => {
  browser = visitor(service, hosts.a);
  await codeFor(browser, 'pub1', redirectUri);
});

/** The answer while another process holds the database: 503. */
const whileLocked = async (ask: () => Promise<Answer>): Promise<Answer> => {
  const other = new SQLite(join(service.folder, 'memberdoor.db'));
  other.exec('begin immediate');
  try {
    return await ask();
  } finally {
    other.close();
  }
};

const newcomer = () => visitor(service, hosts.a);
const crossSite = { 'sec-fetch-site': 'cross-site' };

/** Every page there is, and every error page, with its status. */
const pages: Record<string, { status: number; ask: () => Promise<Answer> }> = {
  'sign-in': { status: 200, ask: () => newcomer().authorize(parameters()) },
  'sign-in with a problem': {
    status: 422,
    ask: async () => {
      const person = newcomer();
      return person.signIn(await person.authorize(parameters()), 'u1@example.test', 'wrong');
    },
  },
  consent: {
    status: 200,
    ask: () => browser.authorize(authorizationParameters('third', 'https://third.test/cb', pkce())),
  },
  account: { status: 200, ask: () => browser.send('/account') },
  device: { status: 200, ask: () => browser.send('/device') },
  'form_post answer': {
    status: 200,
    ask: () => browser.authorize(parameters({ response_mode: 'form_post' })),
  },
  'sign-out question': { status: 200, ask: () => browser.send('/api/oidc/session/end') },
  'signed out': { status: 200, ask: () => newcomer().send('/api/oidc/session/end') },
  'bad request': { status: 400, ask: () => browser.send('/api/oidc/auth?client_id=unknown') },
  'no flow': { status: 400, ask: () => browser.send('/consent') },
  'form of another site': {
    status: 403,
    ask: () => browser.send('/sign-in', { body: { flow: 'x' }, headers: crossSite }),
  },
  "another browser's flow": {
    status: 403,
    ask: async () => {
      const page = await newcomer().authorize(parameters());
      return newcomer().send('/sign-in', { body: { flow: field(page, 'flow') } });
    },
  },
  'not found': { status: 404, ask: () => browser.send('/nothing') },
  busy: {
    status: 503,
    ask: async () => {
      const person = newcomer();
      const page = await person.authorize(parameters());
      return whileLocked(() => person.signIn(page, 'u1@example.test'));
    },
  },
};

describe.each(Object.entries(pages))('the page %s', (_name, { status, ask }) => {
  let answer: Answer;
  let policy: Map<string, string>;

  beforeAll(async () => {
    answer = await ask();
    policy = new Map(
      String(answer.headers['content-security-policy'])
        .split(';')
        .map((directive) => {
          const [key = '', ...sources] = directive.trim().split(' ');
          return [key, sources.join(' ')];
        }),
    );
  });

  it("W1: allows nothing but its own style and script, and forms to us and to the flow's client", () => {
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(policy.get('default-src')).toBe("'none'");
    expect(policy.get('base-uri')).toBe("'none'");
    expect(policy.get('object-src')).toBe("'none'");
    expect(policy.get('script-src')).toBe("'self'");
    expect(policy.get('style-src')).toMatch(/^'sha256-[A-Za-z0-9+/=]+'$/);
    expect(policy.get('form-action')).toMatch(/^'self'(?: https:\/\/(?:pub1|third)\.test)?$/);
    expect([...policy.values()].join(' ')).not.toMatch(/unsafe|\*/);
    expect(answer.text).not.toMatch(/<script(?![^>]*src="\/assets\/)|\son\w+=|style=/i);
  });

  it('U24: cannot be framed', () => {
    expect(policy.get('frame-ancestors')).toBe("'none'");
    expect(answer.headers['x-frame-options']).toBe('DENY');
  });

  it('W2: is kept by no cache, opens in no group of another, and sends no referrer', () => {
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['cross-origin-opener-policy']).toBe('same-origin');
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
  });
});

describe('every answer', () => {
  const answers: Record<string, () => Promise<Answer>> = {
    ...Object.fromEntries(Object.entries(pages).map(([name, { ask }]) => [`the page ${name}`, ask])),
    'a redirect to the client': () => browser.authorize(parameters()),
    'a redirect to a page': () =>
      service.http(hosts.a, `/api/oidc/auth?${new URLSearchParams(parameters())}`),
    'a token error': () => service.http(hosts.a, '/api/oidc/token', { body: {} }),
    'a wrong method': () => service.http(hosts.a, '/api/oidc/token'),
    'a body too large': () => service.http(hosts.a, '/api/oidc/token', { body: { x: 'x'.repeat(20_000) } }),
    'storage trouble': () =>
      whileLocked(() =>
        service.http(hosts.a, '/api/oidc/device/auth', { body: { client_id: 'pub1', scope: 'openid' } }),
      ),
    'an empty revocation': () =>
      service.http(hosts.a, '/api/oidc/token/revocation', { body: { client_id: 'pub1', token: 'x' } }),
    'UserInfo without a token': () => service.http(hosts.a, '/api/oidc/me'),
    'a preflight': () => service.http(hosts.a, '/api/oidc/token', { method: 'OPTIONS' }),
    'an unknown address of the API': () => service.http(hosts.a, '/api/nothing'),
    'an unreadable address': () => service.http(hosts.a, '/%zz'),
    'an unknown host': () => service.http('unknown.test', '/'),
  };

  it.each(Object.entries(answers))('W2: has the security headers: %s', async (_name, ask) => {
    const { headers } = await ask();
    const age = Number(/^max-age=(\d+)/.exec(headers['strict-transport-security'] ?? '')?.[1]);
    expect(age).toBeGreaterThanOrEqual(31_536_000);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(headers['x-frame-options']).toBe('DENY');
  });

  it('W2: of discovery and keys too', async () => {
    for (const path of ['/.well-known/openid-configuration', '/api/oidc/jwks']) {
      const { headers } = await service.http(hosts.a, path);
      expect(headers['strict-transport-security']).toMatch(/^max-age=\d{8}/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    }
  });

  it('W2: names the service busy and when to come back, where it is 503', async () => {
    const page = await pages.busy?.ask();
    expect(page?.headers['retry-after']).toBe('5');
    const json = await answers['storage trouble']?.();
    expect({ status: json?.status, retry: json?.headers['retry-after'] }).toEqual({
      status: 503,
      retry: '5',
    });
    expect(json?.json()).toMatchObject({ error: 'server_error' });
  });
});

describe('cookies', () => {
  const attributesOf = ({ headers }: Answer, name: string) => {
    const line = headers['set-cookie']?.find((candidate) => candidate.startsWith(`${name}=`)) ?? '';
    return line.split('; ').slice(1).sort();
  };

  it('W3, I25: of the session and of the browser are __Host-, Secure, HttpOnly, Lax, of this host alone', async () => {
    const person = newcomer();
    const begun = await person.send(`/api/oidc/auth?${new URLSearchParams(parameters())}`);
    const lasting = attributesOf(begun, '__Host-memberdoor-browser');
    expect(lasting.filter((attribute) => !attribute.startsWith('Max-Age='))).toEqual([
      'HttpOnly',
      'Path=/',
      'SameSite=Lax',
      'Secure',
    ]);
    const done = await person.signIn(await person.authorize(parameters()), 'u1@example.test');
    expect(attributesOf(done, '__Host-memberdoor-session')).toEqual([
      'HttpOnly',
      `Max-Age=${90 * 24 * 60 * 60}`,
      'Path=/',
      'SameSite=Lax',
      'Secure',
    ]);
  });

  it('W3: on a development tenant on http go without the prefix and Secure, and HSTS is not sent', async () => {
    const development = await serviceForTest({ data: 'development' });
    const person = visitor(development, `localhost:${development.port}`);
    const uri = 'http://localhost:9878/callback';
    const page = await person.authorize(authorizationParameters('web-single', uri, pkce()));
    const done = await person.signIn(page, 'ada@example.com');
    expect(done.headers.location).toContain(`${uri}?code=`);
    expect(attributesOf(done, 'memberdoor-session')).toContain('HttpOnly');
    expect(attributesOf(done, 'memberdoor-session')).not.toContain('Secure');
    expect(page.headers['strict-transport-security']).toBeUndefined();
  });

  it('W5: the answer to the password is 303, so that no browser sends it on', async () => {
    const person = newcomer();
    const done = await person.signIn(await person.authorize(parameters()), 'u1@example.test');
    expect(done.status).toBe(303);
    const own = newcomer();
    const begun = await own.send('/sign-in');
    const inside = await own.signIn(await own.send(begun.headers.location ?? ''), 'u1@example.test');
    expect({ status: inside.status, location: inside.headers.location }).toEqual({
      status: 303,
      location: '/account',
    });
  });
});

describe('the policy of a page whose flow goes on to a client', () => {
  it.each([
    ['https://app.test/cb?x=1', 'https://app.test'],
    ['https://app.test:8443/cb', 'https://app.test:8443'],
    ['http://127.0.0.1:53211/cb', 'http://127.0.0.1:53211'],
    ['http://[::1]:53211/cb', 'http:'],
    ['com.example.app:/cb', 'com.example.app:'],
  ])('W1: lets its form lead to %s as %s, and to nothing else', (uri, source) => {
    expect(formTarget(uri)).toBe(source);
    expect(contentSecurityPolicy('sha256-x', [source])).toContain(`form-action 'self' ${source};`);
  });
});
