import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type DpopKey,
  dpopHeader,
  dpopKey,
  proofOf,
  setClient,
  tokenProof,
} from '../../../support/clients/dpop.ts';
import { expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { pushUrl } from '../../../support/requests/push.ts';
import { apps, credentialsOf } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import { answerOf, authorizationParameters, pkce, token, visitor } from '../../../support/visitor.ts';

const service = useService({ data: 'security' });
const { pub1 } = apps;
let key: DpopKey;
let other: DpopKey;

beforeAll(async () => {
  [key, other] = [await dpopKey(), await dpopKey()];
  await setClient(service, hosts.a, 'pub1', { pushedRequests: 'allowed', dpop: 'allowed' });
});
beforeEach(() => service.clock.advance(61_000));

const pushProof = (by: DpopKey, more: object = {}) =>
  proofOf(by, { url: `https://a.test${pushUrl}`, now: service.clock.now(), ...more });

const push = (proof: string | null, more: Record<string, string> = {}, proofKey = pkce()): Promise<Answer> =>
  service.http(hosts.a, pushUrl, {
    body: { ...authorizationParameters('pub1', pub1.redirectUri, proofKey), ...more },
    headers: dpopHeader(proof),
  });

describe('a proof beside a pushed request', () => {
  it('I59: binds the code to its key, as dpop_jkt would', async () => {
    const proof = pkce();
    const { request_uri: requestUri } = (await push(pushProof(key), {}, proof)).json<{
      request_uri: string;
    }>();
    const browser = visitor(service, hosts.a);
    const page = await browser.authorize({ client_id: 'pub1', request_uri: requestUri });
    const code = String(answerOf(await browser.signIn(page, 'u1@example.test')).get('code'));
    const fields = { grant_type: 'authorization_code', code, code_verifier: proof.verifier };
    const exchange = (by: DpopKey | null) =>
      token(
        service,
        hosts.a,
        { ...credentialsOf(pub1), ...fields },
        dpopHeader(by === null ? null : tokenProof(service, hosts.a, by)),
      );
    expectJsonError(await exchange(other), 400, 'invalid_grant');
    expectJsonError(await exchange(null), 400, 'invalid_grant');
    expect((await exchange(key)).status).toBe(200);
  });

  it('I59: need not be there', async () => {
    expect((await push(null)).status).toBe(201);
    expect((await push(null, { dpop_jkt: key.jkt })).status).toBe(201);
    await setClient(service, hosts.a, 'pub1', { dpop: 'required' });
    expect((await push(null)).status).toBe(201);
    await setClient(service, hosts.a, 'pub1', { dpop: 'allowed' });
  });

  it('PR27: is refused with another key than dpop_jkt, a second time, or for another address', async () => {
    expect((await push(pushProof(key), { dpop_jkt: key.jkt })).status).toBe(201);
    expectJsonError(await push(pushProof(key), { dpop_jkt: other.jkt }), 400, 'invalid_dpop_proof');
    const proof = pushProof(key);
    expect((await push(proof)).status).toBe(201);
    expectJsonError(await push(proof), 400, 'invalid_dpop_proof');
    expectJsonError(await push(tokenProof(service, hosts.a, key)), 400, 'invalid_dpop_proof');
    expectJsonError(await push('x.y.z'), 400, 'invalid_dpop_proof');
  });

  it('PR27, I59: carries a nonce where its client must', async () => {
    await setClient(service, hosts.a, 'pub1', { dpopNonce: true });
    const told = await push(pushProof(key));
    expectJsonError(told, 400, 'use_dpop_nonce');
    const nonce = told.headers['dpop-nonce'];
    expect((await push(pushProof(key, { claims: { nonce } }))).status).toBe(201);
    await setClient(service, hosts.a, 'pub1', { dpopNonce: false });
  });
});
