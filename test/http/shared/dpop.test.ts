import { beforeAll, describe, expect, it } from 'vitest';
import { dpopKey, exchangeWith, refreshWith, setClient, tokenProof } from '../../support/dpop.ts';
import { hosts } from '../../support/fixtures.ts';
import { sharedDatabase } from '../../support/run/test-store.ts';
import { startTestService } from '../../support/service.ts';
import { apps, expectError } from '../../support/tokens.ts';
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
});
