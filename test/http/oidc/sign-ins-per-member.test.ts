import { beforeAll, expect, it } from 'vitest';
import { beginSignIn } from '../../../src/core/grants/sign-in.ts';
import { signInsPerMember } from '../../../src/core/limits.ts';
import { listActiveSignIns } from '../../../src/storage/grants/member-sign-ins.ts';
import { insertSignIn } from '../../../src/storage/grants/sign-in.ts';
import { phoneOf, setLimits, unlimited, usedCodes } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { watchAudit } from '../../support/operators/audit-watch.ts';
import { run } from '../../support/operators/desk.ts';
import { type App, apps, claimsOf, refreshAs, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import type { Tokens } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

beforeAll(async () => {
  await setLimits(service, hosts.a, unlimited);
});

const allow = (clientId: string, count: number) =>
  run(service, 'clients.change', { tenant: hosts.a, clientId, signInsPerMember: count });

const offline = { scope: 'openid offline_access' };
const signIn = (app: App, more: Record<string, string> = offline, email?: string) => {
  service.clock.advance(1_000);
  return tokensOf(service, hosts.a, app, { more, ...(email === undefined ? {} : { email }) });
};

/** Which of these still get new tokens, each with its successor. */
async function refreshed(app: App, all: readonly Tokens[]): Promise<readonly boolean[]> {
  const answers = [];
  for (const { refresh_token } of all) answers.push(await refreshAs(service, hosts.a, app, refresh_token));
  return answers.map(({ status }) => status === 200);
}

it('F10: a member has so many live sign-ins with a client as it allows; one more ends the oldest, and the audit says so', async () => {
  await allow('pub1', 3);
  await allow('conf1', 1);
  const elsewhere = await signIn(apps.conf1);
  const another = await signIn(apps.pub1, offline, 'u2@example.test');
  const three = [await signIn(apps.pub1), await signIn(apps.pub1), await signIn(apps.pub1)];
  const phone = await phoneOf(service, hosts.a);
  const watch = watchAudit(service);
  await watch.newEvents();
  const tv = (await usedCodes(service, phone)).tokens;

  const ends = (await watch.newEvents()).filter(({ event }) => event === 'sign_in_ended');
  expect(ends).toMatchObject([
    {
      clientId: 'pub1',
      reason: 'the client allows a member no more, and this was the oldest',
    },
  ]);
  expect(await refreshed(apps.pub1, [...three, tv, another])).toEqual([false, true, true, true, true]);
  expect(await refreshed(apps.conf1, [elsewhere])).toEqual([true]);
});

it('F10: what gives no access any more does not count', async () => {
  await allow('pub2', 2);
  const lasting = await signIn(apps.pub2);
  for (let count = 0; count < 3; count += 1) {
    await signIn(apps.pub2, { scope: 'openid' });
    service.clock.advance(4_000_000);
  }
  await signIn(apps.pub2);
  expect(await refreshed(apps.pub2, [lasting])).toEqual([true]);
});

it('F10: of thousands from before, each further sign-in ends a bounded number, until there are no more than allowed', async () => {
  await allow('conf2', 5);
  const { access_token } = await signIn(apps.conf2);
  const { sub, sid } = claimsOf(access_token);
  const memberId = String(sub);
  const { id: tenantId } = service.tenants.byHost(hosts.a) ?? { id: '' };
  const now = service.clock.now();
  await service.store.transaction(async (tx) => {
    const facts = {
      tenantId,
      clientId: 'conf2',
      memberId,
      sessionId: String(sid),
      scope: 'openid offline_access',
      dpopJkt: null,
      resources: '',
    };
    for (let count = 0; count < 2 * signInsPerMember.bite; count += 1) {
      const id = service.deps.random.id(now);
      await insertSignIn(tx, beginSignIn({ ...facts, id, authenticatedAt: now }, now));
    }
  });
  const living = async () =>
    (await service.store.transaction((tx) => listActiveSignIns(tx, memberId))).filter(
      ({ clientId }) => clientId === 'conf2',
    ).length;
  const before = await living();
  const last = await signIn(apps.conf2);
  expect(await living()).toBe(before + 1 - signInsPerMember.bite);
  await signIn(apps.conf2);
  await signIn(apps.conf2);
  expect(await living()).toBe(5);
  expect(await refreshed(apps.conf2, [last])).toEqual([true]);
});
