import { expect } from 'vitest';
import type { TestService } from '../../service.ts';
import { forgottenAt, type World } from './world.ts';

/** What is stored of a world, as far as the model speaks of it. */
async function storedOf({ service, clients, members }: World) {
  const ofClients = clients.map(({ clientId }) => clientId);
  const ofMembers = members.map(({ id }) => id);
  return service.store.transaction(async (tx) => ({
    deviceCodes: await tx
      .selectFrom('deviceCodes')
      .select(['state', 'interval', 'memberId', 'createdAt'])
      .where('clientId', 'in', ofClients)
      .orderBy('id')
      .execute(),
    codes: await tx
      .selectFrom('authorizationCodes')
      .select(['state'])
      .where('clientId', 'in', ofClients)
      .orderBy('issuedAt')
      .execute(),
    signIns: await tx
      .selectFrom('signIns')
      .select(['state', 'endReason', 'generation', 'memberId', 'scope'])
      .where('clientId', 'in', ofClients)
      .orderBy('createdAt')
      .execute(),
    sessions: await tx
      .selectFrom('sessions')
      .select(['state', 'memberId'])
      .where('memberId', 'in', ofMembers)
      .orderBy('createdAt')
      .orderBy('id')
      .execute(),
  }));
}

/** Holds what is stored to the model: every state, and what the states hang on. */
export async function expectStored(world: World): Promise<void> {
  const { deviceCodes, codes, signIns, sessions } = await storedOf(world);
  // What cannot be asked for any more may be swept.
  const kept = world.deviceCodes.filter((code) => code.state === 'used' || world.now < forgottenAt(code));
  const storedKept = deviceCodes.filter(
    ({ state, createdAt }) => state === 'used' || world.now < createdAt + 30 * 60_000,
  );
  expect(storedKept.map(({ createdAt: _, ...code }) => code)).toEqual(
    kept.map(({ state, interval, member }) => ({ state, interval, memberId: member?.id ?? null })),
  );
  expect(codes).toEqual(world.codes.map(({ state }) => ({ state })));
  expect(signIns).toEqual(
    world.signIns.map(({ state, endReason, generation, member, scope }) => ({
      state,
      endReason,
      generation,
      memberId: member.id,
      scope,
    })),
  );
  expect(sessions).toEqual(world.sessions.map(({ state, member }) => ({ state, memberId: member.id })));
}

/** Rules of the contract that hold whatever the tables say, told from the answers alone. */
export function expectInvariants(world: World): void {
  for (const code of world.deviceCodes) {
    expect(code.given, 'a device code gives tokens at most once').toBeLessThanOrEqual(1);
    if (code.given > 0) expect(code.verdict, 'tokens come after an approval alone').toBe('approve');
    if (code.verdict === 'reject') expect(code.state, 'nothing leaves denied').toBe('denied');
  }
  for (const code of world.codes)
    expect(code.given, 'a code gives tokens at most once').toBeLessThanOrEqual(1);
}

/** Whether the row of a sign-in says that it ended: asked before a token is presented. */
export async function isEnded({ store }: Pick<TestService, 'store'>, signInId: string): Promise<boolean> {
  const row = await store.transaction((tx) =>
    tx.selectFrom('signIns').select('state').where('id', '=', signInId).executeTakeFirst(),
  );
  return row?.state === 'ended';
}
