import { describe, expect, it } from 'vitest';
import { endSignIn, rotateSignIn, type SignIn, type SignInEnd } from '../../../src/core/grants/sign-in.ts';
import type { Write } from '../../../src/core/write.ts';
import { noRecords, type Records, written } from '../../support/machines/memory.ts';
import { broken, type Events, type Visit, walk } from '../../support/machines/walk.ts';
import { now, signInRecord } from '../../support/records/records.ts';

interface World {
  readonly now: number;
  readonly records: Records;
  /** Whether the last event was refused. */
  readonly refused: boolean;
}

const began = signInRecord({ generation: 1, createdAt: now, rotatedAt: now });
const start: World = { now, records: { ...noRecords, signIns: { [began.id]: began } }, refused: false };

const signInOf = ({ records }: World): SignIn => records.signIns[began.id] ?? began;

/** Each event comes a millisecond after the one before it. */
const following = (world: World, writes: readonly Write[]): World => ({
  now: world.now + 1,
  records: written(world.records, writes),
  refused: false,
});

const ending = (reason: SignInEnd) => (world: World) =>
  following(world, endSignIn(signInOf(world), reason, world.now));

const events: Events<World> = {
  rotate: (world) => {
    try {
      return following(world, rotateSignIn(signInOf(world), world.now));
    } catch {
      return { ...world, now: world.now + 1, refused: true };
    }
  },
  revoke: ending('revoked'),
  'sign out': ending('signed_out'),
};

const visits = walk(start, events, 7);

const rules: Record<string, (visit: Visit<World>) => boolean> = {
  'nothing leaves ended: time, reason and generation stay': (visit) =>
    signInOf(visit.before).state !== 'ended' || signInOf(visit.after) === signInOf(visit.before),
  'a rotation of an active sign-in goes on by one generation, at its time': ({ event, before, ...visit }) =>
    event !== 'rotate' ||
    signInOf(before).state === 'ended' ||
    (signInOf(visit.after).generation === signInOf(before).generation + 1 &&
      signInOf(visit.after).rotatedAt === before.now),
  'a rotation of an ended sign-in is a bug, and throws': ({ event, before, ...visit }) =>
    visit.after.refused === (event === 'rotate' && signInOf(before).state === 'ended'),
  'a sign-in has a time and a reason of its end exactly if it has ended': (visit) => {
    const { state, endedAt, endReason } = signInOf(visit.after);
    return (state === 'ended') === (endedAt !== null) && (state === 'ended') === (endReason !== null);
  },
};

describe('every history of one sign-in by itself, seven events long', () => {
  it.each(Object.entries(rules))('%s', (_rule, holds) => {
    expect(broken(visits, holds)).toEqual([]);
  });
});
