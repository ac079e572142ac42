import type { Ask } from '../../../test/support/http.ts';
import { rawSocket } from '../../../test/support/process/raw-socket.ts';
import { type Actor, anyOf, expectSo, expectStatus, type Stage } from '../actor.ts';
import { apps, host } from '../site.ts';

const tokenPath = '/api/oidc/token';
const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** Requests that no honest client sends, each with the statuses that it may be answered by. */
const malformed: readonly (readonly [string, Ask, ...number[]])[] = [
  [
    tokenPath,
    { body: '{"grant_type":"refresh_token"}', headers: { 'content-type': 'application/json' } },
    400,
  ],
  [tokenPath, { body: 'grant_type=a&grant_type=b', headers: form }, 400],
  [tokenPath, { body: 'grant_type=%ff%fe', headers: form }, 400],
  [tokenPath, { body: `grant_type=${'x'.repeat(20_000)}`, headers: form }, 400, 413],
  [tokenPath, { method: 'PUT', body: 'x=1', headers: form }, 404, 405],
  [tokenPath, { body: 'grant_type[]=refresh_token', headers: form }, 400],
  [tokenPath, { body: { grant_type: 'refresh_token', client_id: 'nobody', refresh_token: 'x' } }, 401, 429],
  [tokenPath, { body: { grant_type: 'password', client_id: apps.spa.clientId } }, 400],
  ['/api/oidc/device/auth', { body: { client_id: apps.tv.clientId, device_name: 'x'.repeat(65) } }, 400, 429],
  ['/api/oidc/token/revocation', { body: { client_id: apps.spa.clientId, token: '\u0000' } }, 200, 400],
  ['/api/oidc/auth?client_id=spa&redirect_uri=https%3A%2F%2Fevil.test%2F', {}, 400],
  ['/api/oidc/auth?client_id=__proto__', {}, 400],
  ['/api/oidc/session/end?post_logout_redirect_uri=https%3A%2F%2Fevil.test%2F', {}, 200, 303],
  ['/sign-in', { body: { flow: 'forged', email: 'a@b.test', password: 'x' } }, 400, 403],
  ['/sign-in', { body: {}, headers: { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' } }, 403],
  ['/account', { headers: { cookie: '__Host-memberdoor-session=forged; x=%ff' } }, 303],
  ['/checkout?packageId=1&onCheckoutCompletedUrl=%2F%2Fevil.test', {}, 200, 400, 404],
  ['/hostile/%2e%2e/%00', {}, 400, 404],
  ['/hostile/%zz', {}, 400, 404],
  ['/admin', { headers: { cookie: '__Host-memberdoor-admin=forged' } }, 303],
  ['/api/v1/admin/tenants', { headers: { authorization: 'Bearer mda_forged' } }, 401, 429],
];

/** Sends requests that are broken, forged or not allowed. */
export const malformedSender: Actor = { name: 'malformed requests', count: 2, pause: 200, begin };

function begin({ service }: Stage): () => Promise<void> {
  return async () => {
    const [path, ask, ...statuses] = anyOf(malformed);
    const what = `${ask.method ?? ''} ${path.slice(0, 60)} ${JSON.stringify(ask.body ?? '').slice(0, 60)}`;
    expectStatus(await service.http(host, path, ask), what, ...statuses);
    const stranger = await service.http('unknown.soak.test', '/.well-known/openid-configuration');
    expectStatus(stranger, 'an unknown host', 404, 421);
  };
}

/** How many requests a flood brings at once. */
const waveSize = 40;

/** One address that asks for device codes, and for tokens with what it made up, far beyond its limits. */
export const flooder: Actor = { name: 'flood of one address', count: 1, pause: 1_500, begin: beginFlood };

function beginFlood({ from }: Stage): () => Promise<void> {
  const service = from('203.0.113.66');
  const codes = () =>
    service.http(host, '/api/oidc/device/auth', { body: { client_id: apps.tv.clientId, scope: 'openid' } });
  const grant = { grant_type: 'refresh_token', client_id: apps.spa.clientId, refresh_token: 'made-up' };
  const tokens = () => service.http(host, tokenPath, { body: grant });
  return async () => {
    const answers = await Promise.all(
      Array.from({ length: waveSize }, (_, index) => (index % 2 === 0 ? codes() : tokens())),
    );
    for (const [index, answer] of answers.entries()) {
      expectStatus(answer, 'a request of a flood', index % 2 === 0 ? 200 : 400, 429);
    }
  };
}

/** A connection that is silent this long, in ms, should be gone (30 s, and what a busy machine takes). */
const longestSilence = 45_000;

/** Opens connections and says next to nothing. */
export const dawdler: Actor = { name: 'slow connections', count: 1, pause: 1_000, begin: beginSlowly };

function beginSlowly({ site }: Stage): () => Promise<void> {
  return async () => {
    const sockets = await Promise.all(Array.from({ length: 10 }, () => rawSocket(site.port)));
    for (const socket of sockets) {
      socket.write(`POST ${tokenPath} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100\r\n\r\na`);
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), longestSilence);
    });
    const closed = Promise.all(sockets.map((socket) => socket.closed)).then(() => true);
    const isClosed = await Promise.race([closed, late]);
    clearTimeout(timer);
    for (const socket of sockets) socket.destroy();
    expectSo(isClosed, 'a silent connection is still open');
  };
}
