import { describe, expect, it } from 'vitest';
import {
  beginSession,
  endSession,
  type Session,
  sessionMachine,
  useSession,
} from '../../src/core/session.ts';
import { noRecords, type Records, written } from '../support/machines/memory.ts';
import { broken, type Events, type Visit, walk } from '../support/machines/walk.ts';
import { day, hour, memberRecord, now } from '../support/records/records.ts';

/** One browser, and every session it ever had. */
interface World {
  readonly now: number;
  readonly records: Records;
  /** The cookie the browser holds now, and how many it was given. */
  readonly cookie: string | null;
  readonly cookies: number;
  readonly memberIsActive: boolean;
  /** The session that the last use gave. */
  readonly used: Session | null;
}

const start: World = {
  now,
  records: noRecords,
  cookie: null,
  cookies: 0,
  memberIsActive: true,
  used: null,
};

const sessionsOf = ({ records }: World) => Object.values(records.sessions);
const currentOf = (world: World) =>
  sessionsOf(world).find(({ secretHash }) => secretHash === world.cookie) ?? null;

const signingIn = (memberId: string) => (world: World) => {
  const number = world.cookies + 1;
  const facts = {
    id: `session-${number}`,
    tenantId: 'tenant-a',
    memberId,
    kind: 'member' as const,
    secretHash: `cookie-${number}`,
    userAgent: 'Firefox',
    ipAddress: '192.0.2.1',
    amr: 'pwd',
    strongAt: null,
  };
  const { session, writes } = beginSession(currentOf(world), facts, world.now);
  const records = written(world.records, writes);
  return { ...world, records, cookie: session.secretHash, cookies: number, used: null };
};

const use = (world: World): World => {
  const current = currentOf(world);
  const member = memberRecord({
    id: current?.memberId ?? '',
    status: world.memberIsActive ? 'active' : 'disabled',
  });
  const { session, writes } = useSession(current, member, world.now);
  return { ...world, records: written(world.records, writes), used: session };
};

const passing = (time: number) => (world: World) => ({ ...world, now: world.now + time });

const events: Events<World> = {
  use,
  'member 1 signs in': signingIn('member-1'),
  'member 2 signs in': signingIn('member-2'),
  'sign out': (world) => {
    const current = currentOf(world);
    return current === null
      ? world
      : { ...world, records: written(world.records, endSession(current)), used: null };
  },
  'the members are disabled': (world) => ({ ...world, memberIsActive: false }),
  'an hour passes': passing(hour),
  '14 days pass': passing(14 * day),
  '78 days pass, with a use every 13': (world) =>
    [1, 2, 3, 4, 5, 6].reduce((at) => use(passing(13 * day)(at)), world),
};

const visits = walk(start, events, 5);

const lastOf = (world: World, id: string | undefined) =>
  id === undefined ? null : world.records.sessions[id];

const rules: Record<string, (visit: Visit<World>) => boolean> = {
  'a browser has at most one active session': ({ after }) =>
    sessionsOf(after).filter(({ state }) => state === 'active').length <= 1,
  'a session that is over stays as it was': ({ before, after }) =>
    sessionsOf(before).every(
      (session) => session.state === 'active' || lastOf(after, session.id) === session,
    ),
  'a session keeps its member, its tenant and its beginning': ({ before, after }) =>
    sessionsOf(before).every((session) => {
      const later = lastOf(after, session.id);
      return later?.memberId === session.memberId && later.createdAt === session.createdAt;
    }),
  'a session is used within 14 days of its last use and 90 of its beginning': ({ event, before, after }) => {
    const session = lastOf(before, after.used?.id);
    if (event !== 'use' || session == null) return true;
    return before.now < session.lastUsedAt + 14 * day && before.now < session.createdAt + 90 * day;
  },
  'a use gives an active session or none': ({ after }) =>
    after.used === null || after.used.state === 'active',
  'a disabled member uses no session, and has none after trying': ({ event, before, after }) =>
    event !== 'use' || before.memberIsActive || (after.used === null && currentOf(after)?.state !== 'active'),
  'each sign-in gives a new cookie, and the old one finds nothing that lives': ({ event, before, after }) =>
    !event.endsWith('signs in') ||
    (after.cookie !== before.cookie &&
      sessionsOf(after).every(({ secretHash, state }) => secretHash !== before.cookie || state !== 'active')),
  'after a sign-in the session is the member’s own, authenticated now': ({ event, after }) => {
    if (!event.endsWith('signs in')) return true;
    const session = currentOf(after);
    const memberId = event.startsWith('member 1') ? 'member-1' : 'member-2';
    return (
      session?.state === 'active' && session.memberId === memberId && session.authenticatedAt === after.now
    );
  },
  'after signing out no session is active': ({ event, after }) =>
    event !== 'sign out' || sessionsOf(after).every(({ state }) => state !== 'active'),
};

describe('every history of one browser, five events long', () => {
  it.each(Object.entries(rules))('%s', (_rule, holds) => {
    expect(broken(visits, holds)).toEqual([]);
  });

  it('meets every state of the machine', () => {
    const met = new Set(visits.flatMap(({ after }) => sessionsOf(after).map(({ state }) => state)));
    expect([...met].sort()).toEqual([...sessionMachine.states.keys()].sort());
  });
});
