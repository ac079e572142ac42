import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codesFor, phoneOf, setLimits, unlimited } from '../support/device.ts';
import { hosts } from '../support/fixtures.ts';
import type { Answer } from '../support/http.ts';
import { newAdmin } from '../support/operators/portal.ts';
import { allRows } from '../support/records/rows.ts';
import { useRoutes } from '../support/routes.ts';
import { apps, expectError } from '../support/tokens.ts';
import { answerOf, authorizationParameters, codeFor, pkce, token, type Visitor } from '../support/visitor.ts';

const { a } = hosts;
const minute = 60_000;
const { service, routes } = useRoutes({ data: 'security', setupOffered: true });
/** A browser in which a member is signed in, and an administrator too. */
let browser: Visitor;
/** Every address that serves GET, or says that it does not. */
let paths: readonly string[];

beforeAll(async () => {
  paths = [...new Set(routes.filter(({ method }) => method === 'GET').map(({ url }) => url))];
  await setLimits(service, a, unlimited);
  browser = await newAdmin(service, a, 'head@example.test', 'system_admin');
  await codeFor(browser, 'pub1', apps.pub1.redirectUri);
});
// Late enough that a GET writes down when a session was used last.
beforeEach(() => service.clock.advance(2 * minute));

const head = (path: string): Promise<Answer> => browser.send(path, { method: 'HEAD' });
const everyRow = () => allRows(service, []);

/** What is the same in two answers to the same request, sealed and issued values left out. */
const shapeOf = ({ status, headers }: Answer) => {
  const {
    date: _date,
    'request-id': _reference,
    'set-cookie': _cookies,
    'content-length': _length,
    location,
    ...others
  } = headers;
  return { status, location: location?.replace(/\?.*/, ''), ...others };
};

const noSessionCookie = ({ headers }: Answer) => {
  for (const line of headers['set-cookie'] ?? []) expect(line).not.toMatch(/memberdoor-(?:session|admin)=/);
};

/** Asks by HEAD, holds it to having done nothing, and to the answer that GET then gives. */
const likeGet = async (path: string): Promise<Answer> => {
  const before = await everyRow();
  const found = await head(path);
  expect(await everyRow()).toEqual(before);
  noSessionCookie(found);
  expect(found.text).toBe('');
  const asked = await browser.send(path);
  expect(shapeOf(found)).toEqual(shapeOf(asked));
  return asked;
};

describe('HEAD', () => {
  it('H9: is served on every route that GET is, with the same headers, and changes nothing', async () => {
    expect(paths).toEqual(
      expect.arrayContaining(['/api/oidc/auth', '/device', '/account/devices', '/admin']),
    );
    expect(paths.length).toBeGreaterThan(100);
    let shown = 0;
    for (const path of paths) {
      service.clock.advance(2 * minute);
      const filled = path.replace(':tenant', a).replaceAll(/:\w+/g, 'x');
      const { status } = await likeGet(filled).catch((error: Error) => {
        throw new Error(`HEAD ${filled}: ${error.message}`, { cause: error });
      });
      if (status === 200) shown += 1;
    }
    // Behind both sign-ins, that is: most of them are pages.
    expect(shown).toBeGreaterThan(20);
  });

  it('H9: of an authorization that GET answers by a code gives none that works', async () => {
    const proof = pkce();
    const { redirectUri } = apps.pub1;
    const query = new URLSearchParams(authorizationParameters('pub1', redirectUri, proof));
    const before = await everyRow();
    const answer = await head(`/api/oidc/auth?${query}`);
    expect(answer.status).toBe(303);
    expect(await everyRow()).toEqual(before);
    const fields = { grant_type: 'authorization_code', client_id: 'pub1', code_verifier: proof.verifier };
    const code = String(answerOf(answer).get('code'));
    expectError(await token(service, a, { ...fields, code }), 400, 'invalid_grant');
    expect((await browser.send(`/api/oidc/auth?${query}`)).status).toBe(303);
  });

  it('H9: of an authorization that is refused writes nothing down', async () => {
    await likeGet('/api/oidc/auth?client_id=unknown');
    const query = new URLSearchParams(
      authorizationParameters('pub1', apps.pub1.redirectUri, pkce(), { scope: 'x' }),
    );
    await likeGet(`/api/oidc/auth?${query}`);
  });

  it('decision 36: of the logout ends nothing, and leaves the cookie', async () => {
    const before = await everyRow();
    const answer = await head('/api/oidc/session/end?client_id=conf1');
    expect(answer.status).toBe(303);
    noSessionCookie(answer);
    expect(await everyRow()).toEqual(before);
    expect((await browser.send('/account')).status).toBe(200);
  });

  it('decision 32: of a code is no guess that is free: it looks up none, right or wrong', async () => {
    const phone = await phoneOf(service, a);
    const { user_code: right } = await codesFor(service, a);
    const wrong = right === '000 000' ? '000 001' : '000 000';
    const ask = (code: string) =>
      phone.send(`/device?user_code=${encodeURIComponent(code)}`, { method: 'HEAD' });
    const [one, other] = [await ask(right), await ask(wrong)];
    const { date: _one, ...found } = one.headers;
    const { date: _other, ...expected } = other.headers;
    expect({ status: one.status, headers: found }).toEqual({ status: 200, headers: expected });
    expect((await allRows(service)).wrongUserCodes).toEqual([]);
  });

  it('H9: of what takes a token is written down where it is wrong, as GET is', async () => {
    const path = '/api/v1/admin/tenants';
    const headers = { authorization: 'Bearer mda_wrong' };
    const before = (await everyRow()).auditEvents?.length ?? 0;
    expect((await service.http(a, path, { method: 'HEAD', headers })).status).toBe(401);
    expect((await everyRow()).auditEvents?.length).toBe(before + 1);
  });
});
