import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../../src/core/decision.ts';
import {
  authorizationCodeMachine,
  type ExchangeCommand,
  exchange,
} from '../../../src/core/grants/authorization-code.ts';
import { refresh } from '../../../src/core/grants/refresh-token.ts';
import type { TokenGrant } from '../../../src/core/grants/tokens.ts';
import { noRecords, type Records, written } from '../../support/machines/memory.ts';
import { broken, type Events, type Visit, walk } from '../../support/machines/walk.ts';
import {
  clientRecord,
  codeRecord,
  memberRecord,
  minute,
  now,
  verifier,
} from '../../support/records/records.ts';

/** One code, and everything that was ever given out for it. */
interface World {
  readonly now: number;
  readonly records: Records;
  readonly memberIsActive: boolean;
  /** Tokens that the code itself gave, and tokens that refreshes gave. */
  readonly exchanged: readonly TokenGrant[];
  readonly refreshed: readonly TokenGrant[];
}

const code = codeRecord();
const client = clientRecord();

const start: World = {
  now,
  records: { ...noRecords, codes: { [code.hash]: code } },
  memberIsActive: true,
  exchanged: [],
  refreshed: [],
};

const codeOf = ({ records }: World) => records.codes[code.hash] ?? code;
const signInOf = (world: World) => world.records.signIns['sign-in-1'] ?? null;
const memberOf = ({ memberIsActive }: World) =>
  memberRecord({ status: memberIsActive ? 'active' : 'disabled' });

const exchanging = (change: Partial<ExchangeCommand>) => (world: World) => {
  const { answer, writes } = exchange(codeOf(world), {
    client,
    member: memberOf(world),
    begun: signInOf(world),
    codeVerifier: verifier,
    redirectUri: undefined,
    jkt: null,
    now: world.now,
    signInId: 'sign-in-1',
    ...change,
  });
  const exchanged = isRefusal(answer) ? world.exchanged : [...world.exchanged, answer];
  return { ...world, records: written(world.records, writes), exchanged };
};

const events: Events<World> = {
  exchange: exchanging({}),
  'exchange with a wrong verifier': exchanging({ codeVerifier: verifier.replace('d', 'e') }),
  'exchange for another redirect_uri': exchanging({ redirectUri: 'https://app.test/cb2' }),
  'exchange by another client': exchanging({ client: clientRecord({ clientId: 'client-2' }) }),
  refresh: (world) => {
    const signIn = signInOf(world);
    if (signIn === null) return world;
    const token = { signInId: signIn.id, generation: signIn.generation };
    const command = { client, token, member: memberOf(world), scope: undefined, jkt: null, now: world.now };
    const { answer, writes } = refresh(signIn, command);
    const refreshed = isRefusal(answer) ? world.refreshed : [...world.refreshed, answer];
    return { ...world, records: written(world.records, writes), refreshed };
  },
  'the member is disabled': (world) => ({ ...world, memberIsActive: false }),
  'ten minutes pass': (world) => ({ ...world, now: world.now + 10 * minute }),
};

const visits = walk(start, events, 5);

const gaveTokens = ({ before, after }: Visit<World>) =>
  after.exchanged.length + after.refreshed.length > before.exchanged.length + before.refreshed.length;

const rules: Record<string, (visit: Visit<World>) => boolean> = {
  'a code gives tokens at most once': ({ after }) => after.exchanged.length <= 1,
  'a code gives tokens in its first ten minutes alone': ({ after }) =>
    after.exchanged.every(({ issuedAt }) => issuedAt < code.expiresAt),
  'a code that was used, burned or has expired stays so': ({ before, after }) =>
    codeOf(before).state === 'issued' || codeOf(after).state === codeOf(before).state,
  'a wrong verifier from the right client leaves no code to exchange': ({ event, after }) =>
    event !== 'exchange with a wrong verifier' || codeOf(after).state !== 'issued',
  'another client changes nothing': ({ event, before, after }) =>
    event !== 'exchange by another client' || after.records === before.records,
  'a second exchange ends the sign-in of the first': ({ event, before, after }) =>
    event !== 'exchange' || codeOf(before).state !== 'used' || signInOf(after)?.state === 'ended',
  'a sign-in begins with the tokens of the code and never without': ({ after }) =>
    (signInOf(after) === null) === (after.exchanged.length === 0),
  'an ended sign-in never gives tokens again, and stays as it ended': ({ before, after }) =>
    signInOf(before)?.state !== 'ended' ||
    (after.refreshed === before.refreshed && signInOf(after) === signInOf(before)),
  'a disabled member gets no tokens': (visit) => visit.before.memberIsActive || !gaveTokens(visit),
};

describe('every history of one authorization code, five events long', () => {
  it.each(Object.entries(rules))('%s', (_rule, holds) => {
    expect(broken(visits, holds)).toEqual([]);
  });

  it('meets every state of the machine', () => {
    const met = new Set(visits.map(({ after }) => codeOf(after).state));
    expect([...met].sort()).toEqual([...authorizationCodeMachine.states.keys()].sort());
  });

  it('meets tokens from the code, from a refresh, and none', () => {
    const met = new Set(
      visits.map(({ after }) => `${after.exchanged.length > 0} ${after.refreshed.length > 0}`),
    );
    expect([...met].sort()).toEqual(['false false', 'true false', 'true true']);
  });
});
