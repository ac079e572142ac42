import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { setLimits, tenantOf, unlimited } from '../support/device.ts';
import { text } from '../support/fuzz/hostile.ts';
import { hostileRequest, secretMark, written } from '../support/fuzz/requests.ts';
import { holds, patience } from '../support/fuzz/runs.ts';
import { expectSound, logOf, readAnswer } from '../support/fuzz/sound.ts';
import { freshVisit } from '../support/fuzz/visit.ts';
import { run } from '../support/operators/desk.ts';
import { rawExchange } from '../support/process/raw-socket.ts';
import { type Route, useRoutes } from '../support/routes.ts';

const { service, routes } = useRoutes({ data: 'security' });
let hash: string;

beforeAll(async () => {
  for (const host of ['a.test', 'c.test']) await setLimits(service, host, unlimited);
  hash = await service.passwords.hash('the password of all of them');
});

/** Sends the bytes of a request and holds the answer to what every answer keeps. */
async function exchange(sent: Buffer) {
  let received = '';
  // What counts tries over a minute starts anew with each request.
  service.clock.advance(16 * 60_000);
  const logged = await logOf(service, async () => {
    received = await rawExchange(service.port, sent);
  });
  const answer = readAnswer(received);
  if (answer === null) throw new Error(`no answer but ${JSON.stringify(received)}`);
  expectSound(answer, logged);
  return answer;
}

/** What makes an authorization request come through to the pages, but for a few of its values. */
const parameters = fc
  .record({
    state: text(),
    nonce: text(),
    login_hint: text(),
    ui_locales: text(5),
    prompt: fc.constantFrom('', 'create'),
  })
  .map((more) => ({
    response_type: 'code',
    client_id: 'pub1',
    redirect_uri: 'https://pub1.test/cb',
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    ...Object.fromEntries(Object.entries(more).filter(([, value]) => value !== '')),
  }));

/** A tenant whose administrator pressed the wrong button is brought back. */
async function mendTenant(host: string): Promise<void> {
  const { disabledAt } = service.tenants.all().find((known) => known.host === host) ?? {};
  if (disabledAt !== null) await run(service, 'tenants.enable', { tenant: host });
  await setLimits(service, host, unlimited);
}

const isPortal = ({ url }: Route) => url.startsWith('/admin');

describe('every route', () => {
  it(
    'answers any request of a member or a stranger, fails at none and gives nothing away',
    () =>
      holds(
        fc.asyncProperty(
          hostileRequest(routes.filter((route) => !isPortal(route))),
          parameters,
          async (request, asked) => {
            const browser = await freshVisit(service, 'a.test', hash, asked);
            await exchange(written(request, 'a.test', browser));
          },
        ),
        160,
      ),
    patience,
  );

  it(
    'of the portal answers any request of an administrator, and fails at none',
    () =>
      holds(
        fc.asyncProperty(hostileRequest(routes.filter(isPortal)), async (request) => {
          await mendTenant('c.test');
          const browser = await freshVisit(service, 'c.test', hash, null, 'tenant_admin');
          // Most pages are below a tenant; the administrator has this one.
          const segments = ['c.test', ...request.segments.slice(1)];
          // A list keeps its address for its next page; nothing of ours leads there with a secret in it.
          const query = request.query.filter(({ value }) => !value.includes(secretMark));
          await exchange(written({ ...request, segments, query, isSignedIn: true }, 'c.test', browser));
        }),
        80,
      ),
    patience,
  );
});

describe('the tenant', () => {
  it(
    'X7: is found by its very host and port, in any letters, and no other host learns anything',
    () =>
      holds(
        fc.asyncProperty(
          fc.oneof(
            fc.constantFrom(
              'a.test',
              'A.TEST',
              'a.test:443',
              'a.test:80',
              'a.test:8443',
              'a.test.',
              '.a.test',
              'a.test:',
              '',
            ),
            fc.constantFrom(
              'a.test,b.test',
              'a.test b.test',
              'b.test@a.test',
              'a.test/',
              'a.test#',
              '[::1]',
              'a%2etest',
              '__proto__',
            ),
            fc.stringMatching(/^[!-~]{0,20}$/),
          ),
          async (host) => {
            const head = `GET /.well-known/openid-configuration HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
            const { status, text: body } = await exchange(Buffer.from(head, 'latin1'));
            const isOurs = ['a.test', 'b.test', 'c.test'].includes(
              host.toLowerCase().replace(/:(80|443)$/, ''),
            );
            expect(status === 200, `${host} ${status}`).toBe(isOurs);
            if (!isOurs) for (const known of service.tenants.all()) expect(body).not.toContain(known.host);
          },
        ),
        60,
      ),
    patience,
  );
});

describe('state', () => {
  it(
    'S8, decision 12: comes back byte for byte, whatever it is, and nothing else with it',
    () =>
      holds(
        fc.asyncProperty(
          fc.oneof(
            text(),
            fc.string({ unit: 'binary', maxLength: 1_000 }).map((made) => made.toWellFormed()),
          ),
          async (state) => {
            const query = new URLSearchParams({
              response_type: 'code',
              client_id: 'pub1',
              redirect_uri: 'https://pub1.test/cb',
              scope: 'openid',
              code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
              code_challenge_method: 'S256',
              prompt: 'none',
              state,
            });
            const head = `GET /api/oidc/auth?${query} HTTP/1.1\r\nhost: a.test\r\nconnection: close\r\n\r\n`;
            const { headers, text: body } = await exchange(Buffer.from(head));
            // Beyond what an address may hold, the person in front is told.
            if (query.toString().length > 6_000) return;
            const [, location = ''] = headers.find(([name]) => name === 'location') ?? [];
            const sent = new URL(location, 'https://a.test').searchParams;
            expect(sent.get('state') ?? '', body).toBe(state);
            expect([...sent.keys()].sort()).toEqual(
              ['error', 'error_description', 'iss', ...(state === '' ? [] : ['state'])].sort(),
            );
            expect(sent.get('iss')).toBe(tenantOf(service, 'a.test').issuer);
          },
        ),
        60,
      ),
    patience,
  );
});
