import { describe, expect, it } from 'vitest';
import { hosts } from '../../support/fixtures.ts';
import { noticesOf, patientOutbound, tell } from '../../support/outbound/told.ts';
import { sharedDatabase } from '../../support/run/test-store.ts';
import { startTestService } from '../../support/service.ts';
import { apps, claimsOf, tokensOf } from '../../support/tokens.ts';
import { useStarted } from '../../support/use-service.ts';
import { visitor } from '../../support/visitor.ts';

/** Two processes of one service, as far as one process can hold two. */
const pair = useStarted(async () => {
  const database = await sharedDatabase();
  const start = () => startTestService({ data: 'security', database, ...patientOutbound() });
  const [one, other] = [await start(), await start()];
  return { one, other, stop: () => Promise.all([one.stop(), other.stop()]) };
});

describe('two processes on one database', () => {
  it('decision 51: tell a client once of each sign-out, whichever of them it was at', async () => {
    const { one, other } = pair;
    const told = await tell(one, hosts.a, 'conf1');
    const sids: unknown[] = [];
    for (let n = 0; n < 10; n += 1) {
      const at = n % 2 === 0 ? one : other;
      const browser = visitor(at, hosts.a);
      const { id_token } = await tokensOf(at, hosts.a, apps.conf1, { browser });
      sids.push(claimsOf(id_token).sid);
      await browser.send('/api/oidc/session/end?client_id=conf1');
    }
    await Promise.all([one.clientsTold(), other.clientsTold()]);
    expect(
      told
        .tokens()
        .map((token) => claimsOf(token).sid)
        .sort(),
    ).toEqual(sids.toSorted());
    const notices = await noticesOf(other, hosts.a, 'conf1');
    expect(new Set(notices.map(({ state }) => state))).toEqual(new Set(['delivered']));
  });

  it('decision 51: an address that one of them changes is where the other tells the client at once', async () => {
    const { one, other } = pair;
    const before = await tell(one, hosts.a, 'conf1');
    const browser = visitor(other, hosts.a);
    await tokensOf(other, hosts.a, apps.conf1, { browser });
    await browser.send('/api/oidc/session/end?client_id=conf1');
    const after = await tell(one, hosts.a, 'conf1');
    await other.clientsTold();
    expect([before.received.length, after.received.length]).toEqual([0, 1]);
  });
});
