import { beforeAll, describe, expect, it } from 'vitest';
import {
  boundTokens,
  dpopKey,
  exchangeWith,
  proofOf,
  refreshWith,
  setClient,
  tokenProof,
} from '../../support/clients/dpop.ts';
import { hosts } from '../../support/fixtures.ts';
import { sharedDatabase } from '../../support/run/test-store.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { apps, expectError, profilePath } from '../../support/tokens.ts';
import { useStarted } from '../../support/use-service.ts';
import type { Tokens } from '../../support/visitor.ts';

const pair = useStarted(async () => {
  const database = await sharedDatabase();
  const one = await startTestService({ data: 'security', database });
  const other = await startTestService({ data: 'security', database });
  return { one, other, stop: () => Promise.all([one.stop(), other.stop()]) };
});
const at = hosts.a;

beforeAll(() => setClient(pair.one, at, 'pub1', { dpop: 'allowed' }));

describe('DPoP at two processes', () => {
  it('DP20: a proof that one took is refused by the other', async () => {
    const { one, other } = pair;
    const key = await dpopKey();
    const sent = tokenProof(one, at, key);
    const { refresh_token } = (await exchangeWith(one, at, apps.pub1, sent)).json<Tokens>();
    expectError(await refreshWith(other, at, apps.pub1, refresh_token, sent), 400, 'invalid_dpop_proof');
    const next = await refreshWith(other, at, apps.pub1, refresh_token, tokenProof(other, at, key));
    expect(next.status, next.text).toBe(200);
  });

  it('DP21: of 200 refreshes at once with one proof, at both, exactly one gets tokens', async () => {
    const { one, other } = pair;
    const key = await dpopKey();
    const first = (await exchangeWith(one, at, apps.pub1, tokenProof(one, at, key))).json<Tokens>();
    const sent = tokenProof(one, at, key);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        refreshWith(index % 2 === 0 ? one : other, at, apps.pub1, first.refresh_token, sent),
      ),
    );
    const right = answers.filter(({ status }) => status === 200);
    expect(right).toHaveLength(1);
    one.clock.advance(60_000);
    const next = right[0]?.json<Tokens>().refresh_token;
    const last = await refreshWith(one, at, apps.pub1, next, tokenProof(one, at, key));
    expect(last.status, last.text).toBe(200);
  });

  it.each(['/api/oidc/me', profilePath])(
    'DP20: a proof that one took at %s is refused by the other',
    async (path) => {
      const { one, other } = pair;
      const key = await dpopKey();
      const { access_token: accessToken } = await boundTokens(one, at, apps.pub1, key);
      const makeProof = () =>
        proofOf(key, { method: 'GET', url: `https://${at}${path}`, now: one.clock.now(), accessToken });
      const call = ({ http }: TestService, dpop: string) =>
        http(at, path, { headers: { authorization: `DPoP ${accessToken}`, dpop } });
      const sent = makeProof();
      expect((await call(one, sent)).status).toBe(200);
      expectError(await call(other, sent), 401, 'invalid_dpop_proof');
      const many = makeProof();
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, index) => call(index % 2 === 0 ? one : other, many)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    },
  );

  it('I49: a call that begins anew, since the other process changed something, goes on with its proof', async () => {
    const { one, other } = pair;
    const key = await dpopKey();
    const { access_token: accessToken } = await boundTokens(other, at, apps.pub1, key);
    await setClient(one, at, 'pub2', { signInsPerMember: 7 });
    const dpop = proofOf(key, {
      method: 'GET',
      url: `https://${at}${profilePath}`,
      now: other.clock.now(),
      accessToken,
    });
    const answer = await other.http(at, profilePath, {
      headers: { authorization: `DPoP ${accessToken}`, dpop },
    });
    expect(answer.status, answer.text).toBe(200);
  });

  it('I59: a nonce of one is taken by the other', async () => {
    const { one, other } = pair;
    await setClient(one, at, 'conf1', { dpop: 'required', dpopNonce: true });
    const key = await dpopKey();
    const first = await exchangeWith(one, at, apps.conf1, tokenProof(one, at, key));
    expectError(first, 400, 'use_dpop_nonce');
    const nonce = first.headers['dpop-nonce'];
    const answer = await exchangeWith(
      other,
      at,
      apps.conf1,
      tokenProof(other, at, key, { claims: { nonce } }),
    );
    expect(answer.status, answer.text).toBe(200);
  });
});
