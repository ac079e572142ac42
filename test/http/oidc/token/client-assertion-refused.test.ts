import { createHmac } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { foreignPair, jwtPart, signForeign } from '../../../support/clients/foreign-jwt.ts';
import {
  asSigned,
  assertionClaims,
  assertionOf,
  assertionType,
  authenticate,
  jwksOf,
  registerSigned,
} from '../../../support/clients/signed-client.ts';
import { setLimits, unlimited } from '../../../support/device.ts';
import { expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts, secrets } from '../../../support/fixtures.ts';
import { watchAudit } from '../../../support/operators/audit-watch.ts';
import { run } from '../../../support/operators/desk.ts';
import { expectError } from '../../../support/tokens.ts';
import { serviceForTest, useService } from '../../../support/use-service.ts';

const pair = await foreignPair();
const others = {
  ES256: pair,
  PS256: await foreignPair('PS256'),
  EdDSA: await foreignPair('EdDSA'),
  RS256: await foreignPair('RS256'),
};
const foreign = await foreignPair();
const { kid } = pair.publicJwk;
const header = { alg: 'ES256', kid };

const service = useService({ data: 'security' });

beforeAll(async () => {
  await setLimits(service, hosts.a, unlimited);
  await registerSigned(service, hosts.a, 'signed', Object.values(others));
  await run(service, 'clients.setDeviceFlow', { tenant: hosts.a, clientId: 'signed', enabled: true });
  await registerSigned(service, hosts.a, 'signed2', [foreign]);
});
beforeEach(() => service.clock.advance(60_000));

const make = (changes: object = {}, more: object = {}) => assertionOf(service, pair, changes, more);
const send = (assertion: string, more: Record<string, string> = {}) =>
  authenticate(service, { ...asSigned(assertion), ...more });

describe('an assertion is refused', () => {
  const inSeconds = (ahead: number) => Math.floor(service.clock.now() / 1_000) + ahead;
  it.each<[string, () => string]>([
    ['J1: alg none', () => `${jwtPart({ ...header, alg: 'none' })}.${jwtPart(assertionClaims(service))}.`],
    ['J1: alg none with a signature', () => make({}, { alg: 'none' })],
    ['J2: HS256 with the public key as secret', () => hmacSigned(JSON.stringify(pair.publicJwk))],
    ['J2: HS256 with the text of the JWKS', () => hmacSigned(jwksOf(...Object.values(others)))],
    ['J3: another audience', () => make({ aud: 'https://other.test' })],
    ['J3: the audience of another tenant', () => make({ aud: `https://${hosts.b}` })],
    ['J3: no audience', () => make({ aud: undefined })],
    ['J3: another endpoint as audience', () => make({ aud: `https://${hosts.a}/api/oidc/me` })],
    ['J4: a list of one audience', () => make({ aud: [`https://${hosts.a}`] })],
    ['J4: two audiences', () => make({ aud: [`https://${hosts.a}`, 'https://other.test'] })],
    ['J5: an end that is too far', () => make({ exp: inSeconds(311) })],
    ['J5: no end', () => make({ exp: undefined })],
    ['J5: an end that is a text', () => make({ exp: String(inSeconds(60)) })],
    ['J5: an end without end', () => make({ exp: 1e300 })],
    ['J6: an end that is over', () => make({ exp: inSeconds(0) })],
    ['J6: an iat ahead', () => make({ iat: inSeconds(11) })],
    ['J6: an nbf ahead', () => make({ nbf: inSeconds(11) })],
    ['J7: no jti', () => make({ jti: undefined })],
    ['J7: an empty jti', () => make({ jti: '' })],
    ['J7: a jti that is no text', () => make({ jti: 7 })],
    [
      'J9: claims twice',
      () => signForeign(pair, header, `${JSON.stringify(assertionClaims(service)).slice(0, -1)},"jti":"x"}`),
    ],
    [
      'J9: members of the header twice',
      () => signForeign(pair, `{"alg":"ES256","alg":"ES256","kid":"${kid}"}`, assertionClaims(service)),
    ],
    ['J10: crit', () => make({}, { crit: ['exp'], exp: 1 })],
    ['J10: a payload that is not encoded', () => make({}, { b64: false, crit: ['b64'] })],
    [
      'J11: an address of keys, which is not looked at',
      () =>
        assertionOf(
          service,
          foreign,
          {},
          { kid: undefined, jku: 'https://evil.test/keys', x5u: 'https://evil.test/' },
        ),
    ],
    ['J11: a key in its header', () => assertionOf(service, foreign, {}, { kid, jwk: foreign.publicJwk })],
    ['J12: the key of another client', () => assertionOf(service, foreign)],
    [
      'J12: the kid of one key and the signature of another',
      () => signForeign(foreign, header, assertionClaims(service)),
    ],
    ['J13: another sub than iss', () => make({ iss: 'signed2' })],
    ['J13: no iss', () => make({ iss: undefined })],
    ['J14: more than 8 KB', () => make({ pad: 'x'.repeat(8_200) })],
    ['J15: the type of an access token', () => make({}, { typ: 'at+jwt' })],
    ['J15: the type of a proof of possession', () => make({}, { typ: 'dpop+jwt' })],
    ['J16: no JWT at all', () => 'x'],
    ['J16: an encrypted one', () => 'a.b.c.d.e'],
    ['J16: a name where claims belong', () => signForeign(pair, header, '"signed"')],
  ])('%s', async (_what, build) => {
    expectJsonError(await send(build(), { client_id: 'signed' }), 401, 'invalid_client');
  });

  it('J17: beside a secret, beside Basic, of another type, of another client: as a malformed request', async () => {
    const both = { client_secret: secrets.conf1 };
    expectJsonError(await send(make(), both), 400, 'invalid_request');
    const headers = { authorization: `Basic ${Buffer.from('signed:x').toString('base64')}` };
    expectJsonError(await authenticate(service, asSigned(make()), headers), 400, 'invalid_request');
    for (const type of ['', 'jwt-bearer', assertionType.toUpperCase()]) {
      const fields = { ...asSigned(make()), client_assertion_type: type };
      expectJsonError(await authenticate(service, fields), 400, 'invalid_request');
    }
    expectJsonError(
      await authenticate(service, { client_assertion_type: assertionType }),
      400,
      'invalid_request',
    );
    expectJsonError(await send(make(), { client_id: 'signed2' }), 400, 'invalid_request');
    const twice = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: 'x',
      ...asSigned(make()),
    });
    twice.append('client_assertion', make());
    expectJsonError(await service.http(hosts.a, '/api/oidc/token', { body: twice }), 400, 'invalid_request');
  });

  it('J18: a client proves by the one way that it is set to', async () => {
    const ofSecret = (clientId: string) => signForeign(pair, header, assertionClaims(service, {}, clientId));
    expectJsonError(await send(ofSecret('conf1')), 401, 'invalid_client');
    expectJsonError(await send(ofSecret('pub1')), 401, 'invalid_client');
    const secret = await run<{ secret: string }>(service, 'clients.addSecret', {
      tenant: hosts.a,
      clientId: 'signed2',
    });
    for (const sent of [{}, { client_secret: secret.secret }, { client_secret: 'x' }]) {
      const answer = await authenticate(service, { client_id: 'signed2', ...sent });
      expectJsonError(answer, 401, 'invalid_client');
    }
  });

  it('J19: by an algorithm that the client does not use', async () => {
    await registerSigned(service, hosts.a, 'eddsa', [pair, others.EdDSA], { signingAlgorithms: ['EdDSA'] });
    const of = { iss: 'eddsa', sub: 'eddsa' };
    expectJsonError(await send(make(of)), 401, 'invalid_client');
    expectJsonError(await send(assertionOf(service, others.EdDSA, of)), 400, 'invalid_grant');
  });

  it('J20: of a client of the same name and key on another tenant', async () => {
    await registerSigned(service, hosts.b, 'signed', [pair]);
    const ofB = make({ aud: `https://${hosts.b}` });
    expectJsonError(await authenticate(service, asSigned(ofB), {}, hosts.a), 401, 'invalid_client');
    expectJsonError(await authenticate(service, asSigned(ofB), {}, hosts.b), 400, 'invalid_grant');
  });

  it('J8: the second time, also with other bytes under the same jti, and after a restart', async () => {
    const own = await serviceForTest({ data: 'security' });
    await registerSigned(own, hosts.a, 'signed', [pair]);
    const assertion = assertionOf(own, pair, { jti: 'once' });
    expectJsonError(await authenticate(own, asSigned(assertion)), 400, 'invalid_grant');
    expectJsonError(await authenticate(own, asSigned(assertion)), 401, 'invalid_client');
    await own.restart();
    expectJsonError(await authenticate(own, asSigned(assertion)), 401, 'invalid_client');
    const again = assertionOf(own, pair, { jti: 'once', exp: Math.floor(own.clock.now() / 1_000) + 200 });
    expectJsonError(await authenticate(own, asSigned(again)), 401, 'invalid_client');
    expectJsonError(await authenticate(own, asSigned(assertionOf(own, pair))), 400, 'invalid_grant');
  });

  it('J8: of 200 at once with one assertion one is taken', async () => {
    const assertion = make();
    const answers = await Promise.all(Array.from({ length: 200 }, () => send(assertion)));
    const errors = answers.map((answer) => answer.json().error);
    expect(errors.filter((error) => error === 'invalid_grant')).toHaveLength(1);
    expect(errors.filter((error) => error === 'invalid_client')).toHaveLength(199);
  });

  it('J8: with an end between two milliseconds, which is remembered whole on every engine', async () => {
    const exp = Math.floor(service.clock.now() / 1_000) + 60.12345;
    expectJsonError(await send(make({ exp })), 400, 'invalid_grant');
    const rows = await service.store.transaction((tx) => tx.selectFrom('usedIds').selectAll().execute());
    expect(rows.filter(({ expiresAt }) => !Number.isInteger(expiresAt))).toEqual([]);
  });

  it('J8: a jti of one client says nothing of another’s', async () => {
    const jti = 'of both';
    expectJsonError(await send(make({ jti })), 400, 'invalid_grant');
    const second = assertionOf(service, foreign, { jti, iss: 'signed2', sub: 'signed2' });
    expectJsonError(await send(second), 400, 'invalid_grant');
  });

  it('J21: by a key that was taken away, at once; and while it is verified', async () => {
    await registerSigned(service, hosts.a, 'changing', [pair, foreign]);
    const of = { iss: 'changing', sub: 'changing' };
    const change = (changes: object) =>
      run(service, 'clients.change', { tenant: hosts.a, clientId: 'changing', ...changes });
    expectJsonError(await send(make(of)), 400, 'invalid_grant');
    // The keys are read, and change before the transaction begins.
    const { lookUp } = service.deps.store;
    const store = service.deps.store as { lookUp: typeof lookUp };
    store.lookUp = async (work) => {
      const result = await lookUp(work);
      store.lookUp = lookUp;
      await change({ jwks: jwksOf(foreign) });
      return result;
    };
    expectJsonError(await send(make(of)), 401, 'invalid_client');
    expectJsonError(await send(make(of)), 401, 'invalid_client');
    await change({ jwks: jwksOf(pair) });
    expectJsonError(await send(make(of)), 400, 'invalid_grant');
    await run(service, 'clients.disable', { tenant: hosts.a, clientId: 'changing' });
    expectJsonError(await send(make(of)), 401, 'invalid_client');
  });

  it('J22: wrong ones are counted as wrong secrets are, and the audit says why, without any of it', async () => {
    const own = await serviceForTest({ data: 'security' });
    await registerSigned(own, hosts.a, 'signed', [pair]);
    const audit = watchAudit(own);
    const wrong = assertionOf(own, foreign, {}, { kid });
    for (let count = 0; count < 10; count += 1) {
      expectError(await authenticate(own, asSigned(wrong)), 401, 'invalid_client');
    }
    expect((await authenticate(own, asSigned(wrong))).status).toBe(429);
    expect((await authenticate(own, asSigned(assertionOf(own, pair)))).status).toBe(429);
    const events = await audit.newEvents();
    expect(events).toContainEqual(
      expect.objectContaining({
        event: 'client_authentication_failed',
        clientId: 'signed',
        reason: 'the client_assertion is refused: its signature is wrong',
      }),
    );
    const said = own.logLines.join('') + JSON.stringify(events);
    expect(said).not.toContain(String(wrong.split('.')[2]));
    own.clock.advance(61_000);
    expectJsonError(await authenticate(own, asSigned(assertionOf(own, pair))), 400, 'invalid_grant');
  });

  it('J23: when it may have been used before a backup was restored', async () => {
    const own = await serviceForTest({ data: 'security' });
    await registerSigned(own, hosts.a, 'signed', [pair]);
    const before = assertionOf(own, pair, { exp: Math.floor(own.clock.now() / 1_000) + 300 });
    own.clock.advance(30_000);
    await own.store.transaction(async (tx) => {
      await tx.updateTable('service').set({ tokensFrom: own.clock.now() }).execute();
      await own.tenants.reload(tx);
    });
    own.clock.advance(15_000);
    expectJsonError(await authenticate(own, asSigned(before)), 401, 'invalid_client');
    expectJsonError(await authenticate(own, asSigned(assertionOf(own, pair))), 400, 'invalid_grant');
  });
});

function hmacSigned(secret: string): string {
  const input = `${jwtPart({ ...header, alg: 'HS256' })}.${jwtPart(assertionClaims(service))}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}
