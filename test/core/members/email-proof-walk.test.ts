import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/core/decision.ts';
import {
  beginTry,
  type EmailProof,
  type EmailProofWrite,
  emailProofMachine,
  failTry,
  finishProof,
  presentProof,
  withdrawProof,
} from '../../../src/core/members/email-proof.ts';
import { broken, type Events, type Visit, walk } from '../../support/machines/walk.ts';
import { emailProofRecord } from '../../support/records/email-proof-record.ts';
import { day, now } from '../../support/records/records.ts';

/** One proof, and what became of it. */
interface World {
  readonly now: number;
  readonly proof: EmailProof;
  /** The answer to the last event; null if it asked for none. */
  readonly answer: boolean | null;
  /** How often it was used up. */
  readonly finished: number;
}

/** What the storage does: a proof moves only from the state in which it was found. */
function stored(world: World, { answer, writes }: Decision<boolean, EmailProofWrite>): World {
  let { proof } = world;
  for (const write of writes) {
    if (write.write !== 'moveEmailProof' || write.from !== proof.state) throw new Error('a stray write');
    proof = write.proof;
  }
  return { ...world, proof, answer };
}

const wrongCode = (world: World) =>
  stored(world, presentProof(world.proof, { by: 'code', codeHash: 'wrong' }, world.now));

/** A password of the sign-up, typed in another browser: it counts before it is judged. */
const password = (world: World, isRight: boolean) => {
  const tried = stored(world, beginTry(world.proof, world.now));
  if (tried.answer !== true) return tried;
  if (isRight) return stored(tried, presentProof(tried.proof, { by: 'link' }, tried.now));
  return stored(tried, { answer: false, writes: failTry(tried.proof) });
};

const events: Events<World> = {
  link: (world) => stored(world, presentProof(world.proof, { by: 'link' }, world.now)),
  code: (world) =>
    stored(world, presentProof(world.proof, { by: 'code', codeHash: world.proof.codeHash }, world.now)),
  'wrong code': wrongCode,
  'four wrong codes': (world) => [1, 2, 3, 4].reduce(wrongCode, world),
  'a wrong password': (world) => password(world, false),
  'the right password': (world) => password(world, true),
  finish: (world) => {
    const after = stored(world, finishProof(world.proof, world.now));
    return { ...after, finished: world.finished + (after.answer === true ? 1 : 0) };
  },
  withdraw: (world) =>
    stored({ ...world, answer: null }, { answer: false, writes: withdrawProof(world.proof) }),
  'its time passes but for 1 ms': (world) => ({ ...world, now: world.proof.expiresAt - 1, answer: null }),
  'a day passes': (world) => ({ ...world, now: world.now + day, answer: null }),
};

const visits = walk({ now, proof: emailProofRecord(), answer: null, finished: 0 }, events, 5);

const isOver = ({ proof }: World) => ['finished', 'expired', 'exhausted'].includes(proof.state);

/** How many wrong codes and passwords came while the proof was pending, before and with this event. */
const wrongCodesIn = ({ path }: Visit<World>) =>
  path
    .split('; ')
    .reduce(
      (sum, event) => sum + ({ 'wrong code': 1, 'a wrong password': 1, 'four wrong codes': 4 }[event] ?? 0),
      0,
    );

const rules: Record<string, (visit: Visit<World>) => boolean> = {
  'it is used up at most once': ({ after }) => after.finished <= 1,
  'it is used up only when it was proven': ({ before, after }) =>
    after.finished === before.finished || before.proof.state === 'proven',
  'it becomes proven by the link, the right code or password alone, while it is pending and not over': ({
    event,
    before,
    after,
  }) =>
    before.proof.state === 'proven' ||
    after.proof.state !== 'proven' ||
    (['link', 'code', 'the right password'].includes(event) &&
      before.proof.state === 'pending' &&
      before.now < before.proof.expiresAt),
  'after its time nothing becomes proven, and nothing is used up': ({ before, after }) =>
    before.now < before.proof.expiresAt ||
    (after.finished === before.finished &&
      (after.proof.state === before.proof.state || after.proof.state === 'expired')),
  'what is finished, expired or exhausted stays so, and says no': ({ before, after }) =>
    !isOver(before) || (after.proof === before.proof && after.answer !== true),
  'the link of a proven address confirms it in every browser, however often it is opened': ({
    event,
    before,
    after,
  }) => event !== 'link' || before.proof.state !== 'proven' || (after.answer === true && !isOver(after)),
  'five wrong codes and passwords exhaust it, and four do not': (visit) => {
    const { before, after } = visit;
    if (before.proof.state !== 'pending' || before.now >= before.proof.expiresAt) return true;
    if (!visit.event.includes('wrong')) return after.proof.state !== 'exhausted';
    return (after.proof.state === 'exhausted') === wrongCodesIn(visit) >= 5;
  },
  'what is withdrawn is never proven or used up again': ({ event, after }) =>
    event !== 'withdraw' || isOver(after),
  'a link or a code after five wrong ones is refused': ({ event, before, after }) =>
    before.proof.state !== 'exhausted' ||
    !['link', 'code', 'the right password'].includes(event) ||
    after.answer === false,
  'it keeps its address, its payload and its end': ({ after }) =>
    JSON.stringify({ ...after.proof, state: 'pending', wrongCodes: 0 }) ===
    JSON.stringify(emailProofRecord()),
};

describe('every history of one proof of an address, five events long', () => {
  it.each(Object.entries(rules))('%s', (_rule, holds) => {
    expect(broken(visits, holds)).toEqual([]);
  });

  it('meets every state of the machine', () => {
    const met = new Set(visits.map(({ after }) => after.proof.state));
    expect([...met].sort()).toEqual([...emailProofMachine.states.keys()].sort());
  });
});
