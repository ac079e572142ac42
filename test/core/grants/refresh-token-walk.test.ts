import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/core/client.ts';
import { isRefusal } from '../../../src/core/decision.ts';
import { type RefreshCommand, refresh, revoke } from '../../../src/core/grants/refresh-token.ts';
import type { SignIn } from '../../../src/core/grants/sign-in.ts';
import type { TokenGrant } from '../../../src/core/grants/tokens.ts';
import { noRecords, type Records, written } from '../../support/machines/memory.ts';
import { broken, type Events, type Visit, walk } from '../../support/machines/walk.ts';
import { clientRecord, day, memberRecord, now, second, signInRecord } from '../../support/records/records.ts';

/** One sign-in, and every answer that its refresh tokens got. */
interface World {
  readonly now: number;
  readonly records: Records;
  readonly memberIsActive: boolean;
  readonly answers: readonly { readonly token: number; readonly grant: TokenGrant }[];
}

const began = signInRecord({ generation: 1, createdAt: now, rotatedAt: now });

const start: World = {
  now,
  records: { ...noRecords, signIns: { [began.id]: began } },
  memberIsActive: true,
  answers: [],
};

const signInOf = ({ records }: World): SignIn => records.signIns[began.id] ?? began;
const newest = (world: World) => signInOf(world).generation;
const replaced = (world: World) => Math.max(1, newest(world) - 1);
const first = () => 1;

const commandOf = (world: World, client: Client, generation: number): RefreshCommand => ({
  client,
  token: { signInId: began.id, generation },
  member: memberRecord({ status: world.memberIsActive ? 'active' : 'disabled' }),
  scope: undefined,
  jkt: null,
  now: world.now,
});

type Which = (world: World) => number;

const refreshing =
  (client: Client, which: Which, change: Partial<RefreshCommand> = {}) =>
  (world: World) => {
    const token = which(world);
    const { answer, writes } = refresh(signInOf(world), { ...commandOf(world, client, token), ...change });
    const answers = isRefusal(answer) ? world.answers : [...world.answers, { token, grant: answer }];
    return { ...world, records: written(world.records, writes), answers };
  };

const revoking = (client: Client, which: Which) => (world: World) => {
  const writes = revoke(signInOf(world), commandOf(world, client, which(world)));
  return { ...world, records: written(world.records, writes) };
};

const eventsFor = (client: Client): Events<World> => ({
  'refresh with the newest token': refreshing(client, newest),
  'refresh with the one it replaced': refreshing(client, replaced),
  'refresh with the first token': refreshing(client, first),
  'refresh for a wider scope': refreshing(client, newest, { scope: 'openid phone' }),
  'refresh for a wider scope with the one it replaced': refreshing(client, replaced, {
    scope: 'openid phone',
  }),
  'revoke the one the newest replaced': revoking(client, replaced),
  'the member is disabled': (world) => ({ ...world, memberIsActive: false }),
  '20 seconds pass': (world) => ({ ...world, now: world.now + 20 * second }),
  '30 days pass': (world) => ({ ...world, now: world.now + 30 * day }),
});

/** The generations that a refresh would replace by a new one, were it sent now. Many worlds are alike. */
function rotatableBy(client: Client): (world: World) => readonly number[] {
  const known = new Map<string, readonly number[]>();
  return (world) => {
    const { state, generation, rotatedAt } = signInOf(world);
    const alike = [state, generation, rotatedAt, world.now, world.memberIsActive].join();
    const found =
      known.get(alike) ??
      [1, 2, 3, 4, 5, 6, 7].filter((token) =>
        refresh(signInOf(world), commandOf(world, client, token)).writes.some(
          ({ write }) => write === 'rotateSignIn',
        ),
      );
    known.set(alike, found);
    return found;
  };
}

const answered = ({ before, after }: Visit<World>) => after.answers.length > before.answers.length;

const rulesFor = (
  client: Client,
  rotatable = rotatableBy(client),
): Record<string, (visit: Visit<World>) => boolean> => ({
  'at most one token is current: the newest, of a sign-in that lives': ({ after }) =>
    rotatable(after).every((token) => token === newest(after) && signInOf(after).state === 'active'),
  'each token has one successor, however often it is sent': ({ after }) =>
    after.answers.every(({ token, grant }) => grant.refreshToken?.generation === token + 1),
  'what an answer carries is the newest token': (visit) =>
    !answered(visit) || visit.after.answers.at(-1)?.grant.refreshToken?.generation === newest(visit.after),
  'an old token gets an answer within the replay window alone': (visit) =>
    !answered(visit) ||
    visit.after.answers.at(-1)?.token === newest(visit.before) ||
    visit.before.now < signInOf(visit.before).rotatedAt + client.replayWindow,
  'an old token that gets no answer ends the sign-in': (visit) =>
    visit.event !== 'refresh with the first token' ||
    newest(visit.before) === 1 ||
    answered(visit) ||
    signInOf(visit.after).state === 'ended',
  'a revocation ends the sign-in, whichever of its tokens is sent': ({ event, after }) =>
    !event.startsWith('revoke') || signInOf(after).state === 'ended',
  'an ended sign-in never gives a token again, and stays as it ended': ({ before, after }) =>
    signInOf(before).state !== 'ended' ||
    (after.answers === before.answers && signInOf(after) === signInOf(before)),
  'a wider scope of a sign-in that lives changes nothing': ({ event, before, after }) =>
    event !== 'refresh for a wider scope' ||
    !before.memberIsActive ||
    before.now >= signInOf(before).rotatedAt + 30 * day ||
    (after.records === before.records && after.answers === before.answers),
  'a wider scope within the replay window changes nothing': ({ event, before, after }) =>
    event !== 'refresh for a wider scope with the one it replaced' ||
    !before.memberIsActive ||
    before.now >= signInOf(before).rotatedAt + client.replayWindow ||
    (after.records === before.records && after.answers === before.answers),
  'no token is given 30 days after the last, or to a disabled member': (visit) =>
    !answered(visit) ||
    (visit.before.memberIsActive && visit.before.now < signInOf(visit.before).rotatedAt + 30 * day),
});

describe.each([
  ['without a replay window', clientRecord()],
  ['with a replay window of 30 s', clientRecord({ replayWindow: 30 * second })],
])('every history of one sign-in, five events long, %s', (_name, client) => {
  const visits = walk(start, eventsFor(client), 5);

  it.each(Object.entries(rulesFor(client)))('%s', (_rule, holds) => {
    expect(broken(visits, holds)).toEqual([]);
  });

  it('meets every way for it to end, and five rotations', () => {
    const reasons = new Set(visits.map(({ after }) => signInOf(after).endReason ?? 'lives'));
    expect([...reasons].sort()).toEqual([
      'expired',
      'lives',
      'member_inactive',
      'refresh_token_reused',
      'revoked',
    ]);
    expect(Math.max(...visits.map(({ after }) => after.answers.length))).toBe(5);
  });
});
