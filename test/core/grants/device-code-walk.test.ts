import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../../src/core/decision.ts';
import {
  type DeviceCode,
  decideDeviceCode,
  deviceCodeMachine,
  withdraw,
} from '../../../src/core/grants/device-code.ts';
import { poll } from '../../../src/core/grants/device-poll.ts';
import type { TokenGrant } from '../../../src/core/grants/tokens.ts';
import type { Write } from '../../../src/core/write.ts';
import { noRecords, type Records, written } from '../../support/machines/memory.ts';
import { broken, type Events, type Visit, walk } from '../../support/machines/walk.ts';
import { deviceCodeRecord } from '../../support/records/device-code-record.ts';
import { clientRecord, memberRecord, minute, now } from '../../support/records/records.ts';

/** One device code, what became of it, and everything that was ever given out for it. */
interface World {
  readonly now: number;
  readonly code: DeviceCode;
  readonly lastPolledAt: number | null;
  readonly records: Records;
  readonly tokens: readonly TokenGrant[];
  /** The error of the last poll, or `tokens`; null before the first. */
  readonly polled: string | null;
}

const start: World = {
  now,
  code: deviceCodeRecord(),
  lastPolledAt: null,
  records: noRecords,
  tokens: [],
  polled: null,
};

const client = clientRecord();
const signInOf = ({ records }: World) => records.signIns['sign-in-1'] ?? null;

/** What the storage does: a device code moves only from the state in which it was found. */
function stored(world: World, writes: readonly Write[]): World {
  let { code } = world;
  for (const write of writes) {
    if (write.write !== 'moveDeviceCode') continue;
    if (write.from !== code.state) throw new Error('the device code is not as the write expects it');
    code = write.code;
  }
  const others = writes.filter(({ write }) => write !== 'moveDeviceCode');
  return { ...world, code, records: written(world.records, others) };
}

const polling = (by: typeof client) => (world: World) => {
  const { answer, writes } = poll(world.code, {
    client: by,
    member: world.code.memberId === null ? null : memberRecord({ id: world.code.memberId }),
    begun: signInOf(world),
    lastPolledAt: world.lastPolledAt,
    jkt: null,
    now: world.now,
    signInId: 'sign-in-1',
  });
  return {
    ...stored(world, writes),
    lastPolledAt: answer.paced === true ? world.now : world.lastPolledAt,
    tokens: isRefusal(answer) ? world.tokens : [...world.tokens, answer],
    polled: isRefusal(answer) ? answer.error : 'tokens',
  };
};

const deciding = (verdict: 'approve' | 'reject', number: 1 | 2) => (world: World) => {
  const { writes } = decideDeviceCode(world.code, {
    verdict,
    memberId: `member-${number}`,
    sessionId: `session-${number}`,
    authenticatedAt: now,
    now: world.now,
  });
  return stored(world, writes);
};

const pollNow = polling(client);

const events: Events<World> = {
  'poll at once': pollNow,
  'poll on time': (world) => pollNow({ ...world, now: world.now + world.code.interval }),
  'poll by another client': polling(clientRecord({ clientId: 'client-2' })),
  'approve by member 1': deciding('approve', 1),
  'approve by member 2': deciding('approve', 2),
  'reject by member 1': deciding('reject', 1),
  'reject by member 2': deciding('reject', 2),
  'fifteen minutes pass': (world) => ({ ...world, now: world.now + 15 * minute }),
  withdraw: (world) => stored(world, withdraw(world.code)),
};

const known = new Map<string, unknown>();

/** Equal values become one and the same. */
function one<Value>(value: Value): Value {
  const text = JSON.stringify(value);
  if (!known.has(text)) known.set(text, value);
  return known.get(text) as Value;
}

/** Half a million histories lead through few worlds: what happens in each is decided once. */
function remembered(happen: (world: World) => World): (world: World) => World {
  const results = new Map<World, World>();
  return (before) => {
    const found = results.get(before);
    if (found !== undefined) return found;
    const { code, records, tokens, ...rest } = happen(before);
    const after = one({ ...rest, code: one(code), records: one(records), tokens: one(tokens) });
    results.set(before, after);
    return after;
  };
}

const visits = walk(
  remembered((world) => world)(start),
  Object.fromEntries(Object.entries(events).map(([name, happen]) => [name, remembered(happen)])),
  6,
);

const isOwnPoll = (event: string) => event === 'poll at once' || event === 'poll on time';
const verdictOf = (event: string) => /^(approve|reject) by member ([12])$/.exec(event);
const gaveTokens = ({ before, after }: Visit<World>) => after.tokens.length > before.tokens.length;

const rules: Record<string, (visit: Visit<World>) => boolean> = {
  'tokens are given at most once': ({ after }) => after.tokens.length <= 1,
  'tokens are given for an approved code alone': (visit) =>
    !gaveTokens(visit) || visit.before.code.state === 'approved',
  'a code becomes approved by an approval alone, while it is pending and not over': ({
    event,
    before,
    after,
  }) =>
    before.code.state === 'approved' ||
    after.code.state !== 'approved' ||
    (event.startsWith('approve') && before.code.state === 'pending' && before.now < before.code.expiresAt),
  'tokens are those of the member who approved': ({ path, after }) =>
    after.tokens.every(({ member }) => {
      const [first] = path.split('; ').filter((event) => verdictOf(event) !== null);
      return first === `approve by ${member.id.replace('-', ' ')}`;
    }),
  'nothing leaves denied, expired, withdrawn or used': ({ before, after }) =>
    ['pending', 'approved'].includes(before.code.state) || after.code.state === before.code.state,
  'denied, expired and withdrawn codes never give tokens': (visit) =>
    !['denied', 'expired', 'withdrawn'].includes(visit.before.code.state) || !gaveTokens(visit),
  'a used code that is polled again ends the sign-in': ({ event, before, after }) =>
    !isOwnPoll(event) ||
    before.code.state !== 'used' ||
    (after.polled === 'invalid_grant' && signInOf(after)?.state === 'ended'),
  'a sign-in begins with the tokens and never without': ({ after }) =>
    (signInOf(after) === null) === (after.tokens.length === 0),
  'a sign-in ends by a second poll alone, and stays as it ended': ({ event, before, after }) =>
    signInOf(after) === signInOf(before) ||
    (isOwnPoll(event) && (signInOf(before)?.state ?? 'active') === 'active'),
  'another client changes nothing and hears invalid_grant': ({ event, before, after }) =>
    event !== 'poll by another client' ||
    (after.code === before.code &&
      after.records === before.records &&
      after.tokens === before.tokens &&
      after.lastPolledAt === before.lastPolledAt &&
      after.polled === 'invalid_grant'),
  'the first decision is final: no later event changes it': ({ event, before, after }) =>
    verdictOf(event) === null || before.code.memberId === null || after.code === before.code,
  'slow_down is heard while the code is pending and not over, and makes the interval 5 s longer': ({
    event,
    before,
    after,
  }) =>
    !isOwnPoll(event) ||
    (after.polled === 'slow_down') === (after.code.interval === before.code.interval + 5_000),
  'the interval never changes in another way': ({ event, before, after }) =>
    after.code.interval === before.code.interval || (isOwnPoll(event) && after.polled === 'slow_down'),
  'a poll on time is never told to slow down': ({ event, after }) =>
    event !== 'poll on time' || after.polled !== 'slow_down',
  'a code that is over is neither approved nor rejected any more': ({ event, before, after }) =>
    verdictOf(event) === null ||
    before.now < before.code.expiresAt ||
    after.code.memberId === before.code.memberId,
};

describe('every history of one device code, six events long', () => {
  it.each(Object.entries(rules))('%s', (_rule, holds) => {
    expect(broken(visits, holds)).toEqual([]);
  });

  it('meets every state of the machine', () => {
    const met = new Set(visits.map(({ after }) => after.code.state));
    expect([...met].sort()).toEqual([...deviceCodeMachine.states.keys()].sort());
  });

  it('meets every answer to a poll', () => {
    const met = new Set(visits.map(({ after }) => after.polled ?? 'none'));
    expect([...met].sort()).toEqual([
      'access_denied',
      'authorization_pending',
      'expired_token',
      'invalid_grant',
      'none',
      'slow_down',
      'tokens',
    ]);
  });
});
