import { afterEach, describe, expect, it } from 'vitest';
import { codesFor, phoneOf, pollTokens, setLimits, unlimited } from '../../../support/device.ts';
import { hosts } from '../../../support/fixtures.ts';
import { idOf } from '../../../support/operators/audit-watch.ts';
import { run } from '../../../support/operators/desk.ts';
import { noticesOf, patientOutbound, tell, tellNoMore } from '../../../support/outbound/told.ts';
import { apps, claimsOf, credentialsOf, refreshAs, revoke, tokensOf } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import { visitor } from '../../../support/visitor.ts';

const { outbound } = patientOutbound();
const service = useService({ data: 'security', outbound });
const a = hosts.a;

afterEach(async () => {
  for (const clientId of ['conf1', 'conf2', 'pub1']) await tellNoMore(service, a, clientId);
  await service.clientsTold();
});

const end = (browser: ReturnType<typeof visitor>, clientId = 'conf1') =>
  browser.send(`/api/oidc/session/end?client_id=${clientId}`);

const offline = { scope: 'openid offline_access' };

/** What a client reads in the tokens that it was told with. */
const saidIn = (tokens: readonly string[]) => tokens.map((token) => claimsOf(token));

describe('who is told of the end of a sign-in', () => {
  it('I66: its client, with sid, when an operator ends it, and no other client of the session', async () => {
    const [told, other] = [await tell(service, a, 'conf1'), await tell(service, a, 'pub1')];
    const browser = visitor(service, a);
    const { id_token } = await tokensOf(service, a, apps.conf1, { browser, more: offline });
    await tokensOf(service, a, apps.pub1, { browser, more: offline });
    const memberId = await idOf(service, 'u1@example.test');
    const { signIns } = await run<{ signIns: readonly { id: string; clientId: string }[] }>(
      service,
      'signIns.list',
      { tenant: a, memberId, limit: 50 },
    );
    const signInId = signIns.find(({ clientId }) => clientId === 'conf1')?.id;
    await run(service, 'members.endSignIn', { tenant: a, memberId, signInId });
    await service.clientsTold();
    expect(saidIn(told.tokens())).toMatchObject([{ sid: claimsOf(id_token).sid, sub: memberId }]);
    expect(other.received).toEqual([]);
    // The session ends later: the one was told, the other is told now.
    await end(browser);
    await service.clientsTold();
    expect([told.received.length, other.received.length]).toEqual([1, 1]);
  });

  it('I66: its client, when a used refresh token came back', async () => {
    const told = await tell(service, a, 'conf1');
    const { id_token, refresh_token } = await tokensOf(service, a, apps.conf1, { more: offline });
    await refreshAs(service, a, apps.conf1, refresh_token);
    await service.clientsTold();
    expect(told.received).toEqual([]);
    await refreshAs(service, a, apps.conf1, refresh_token);
    await service.clientsTold();
    expect(saidIn(told.tokens())).toMatchObject([{ sid: claimsOf(id_token).sid }]);
  });

  it('I66: that of a TV, when the member signs it out', async () => {
    await setLimits(service, a, unlimited);
    const told = await tell(service, a, 'pub1');
    const phone = await phoneOf(service, a);
    const codes = await codesFor(service, a);
    await phone.approve(codes.user_code);
    const { id_token } = await pollTokens(service, a, codes.device_code);
    const memberId = await idOf(service, 'u1@example.test');
    await run(service, 'members.signOutEverywhere', { tenant: a, memberId });
    await service.clientsTold();
    const sids = saidIn(told.tokens()).map(({ sid }) => sid);
    expect(sids).toContain(claimsOf(id_token ?? '').sid);
    expect(new Set(sids).size).toBe(sids.length);
  });

  it('I66: each client once for each session, when an operator signs a member out everywhere', async () => {
    const told = await tell(service, a, 'conf1');
    const tokens = [
      await tokensOf(service, a, apps.conf1, { more: offline }),
      await tokensOf(service, a, apps.conf1, { more: offline }),
    ];
    const memberId = await idOf(service, 'u1@example.test');
    await run(service, 'members.signOutEverywhere', { tenant: a, memberId });
    await service.clientsTold();
    const sids = saidIn(told.tokens()).map(({ sid }) => sid);
    expect(new Set(sids).size).toBe(sids.length);
    for (const { id_token } of tokens) expect(sids).toContain(claimsOf(id_token).sid);
  });

  it('I66: the clients of a member who is disabled', async () => {
    const told = await tell(service, a, 'conf1');
    const { id_token } = await tokensOf(service, a, apps.conf1, { email: 'u2@example.test' });
    const memberId = await idOf(service, 'u2@example.test');
    await run(service, 'members.disable', { tenant: a, memberId });
    await service.clientsTold();
    await run(service, 'members.enable', { tenant: a, memberId });
    expect(saidIn(told.tokens())).toContainEqual(
      expect.objectContaining({ sid: claimsOf(id_token).sid, sub: memberId }),
    );
  });

  it('not a client that ended it itself, by revocation', async () => {
    const told = await tell(service, a, 'conf1');
    const { refresh_token } = await tokensOf(service, a, apps.conf1, { more: offline });
    await revoke(service, a, { ...credentialsOf(apps.conf1), token: refresh_token ?? '' });
    await service.clientsTold();
    expect(told.received).toEqual([]);
  });

  it('not a client that is disabled: it is as if it were not there', async () => {
    const told = await tell(service, a, 'conf1');
    const browser = visitor(service, a);
    await tokensOf(service, a, apps.conf1, { browser, more: offline });
    await end(browser);
    await run(service, 'clients.disable', { tenant: a, clientId: 'conf1' });
    await service.clientsTold();
    expect(told.received).toEqual([]);
    expect((await noticesOf(service, a, 'conf1'))[0]).toMatchObject({
      state: 'given_up',
      lastResult: 'not registered',
      attempts: 0,
    });
    await run(service, 'clients.enable', { tenant: a, clientId: 'conf1' });
  });
});
