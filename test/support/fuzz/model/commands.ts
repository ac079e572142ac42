import fc from 'fast-check';
import { expectInvariants, expectStored } from './compare.ts';
import { ask, decide, enter, pollAtOnce } from './device.ts';
import {
  changePassword,
  isSignedIn,
  setActive,
  setDisabled,
  signIn,
  signOut,
  signOutDevices,
  signOutEverywhere,
} from './people.ts';
import { authorize, callApi, exchange, refresh, revokeToken } from './tokens.ts';
import { tick, type World } from './world.ts';

type Command = fc.AsyncCommand<World, World>;

/** What an actor does, if there is something to do it with, and what must be stored after it. */
function command(name: string, find: (world: World) => (() => Promise<void>) | null): Command {
  return {
    check: (world) => find(world) !== null,
    run: async (world) => {
      tick(world);
      // Some things end as the clock moves on.
      await find(world)?.();
      await expectStored(world);
      expectInvariants(world);
    },
    toString: () => name,
  };
}

const pick = <Thing>(things: readonly Thing[], index: number): Thing | null =>
  // The newest is met most often.
  things.length === 0 ? null : (things[things.length - 1 - (index % things.length)] ?? null);

const two = fc.nat(1);
const some = fc.nat(3);
const offline = 'openid offline_access';
const scopes = fc.constantFrom(offline, offline, 'openid');
/** Mostly the client itself, and seldom the other one. */
const isOwn = fc.constantFrom(true, true, true, false);
const once = fc.constantFrom(1, 1, 2, 3);

const clientOf = ({ clients }: World, own: World['clients'][number], own_: boolean) =>
  own_ ? own : (clients.find((client) => client !== own) ?? own);

const asks = fc.tuple(two, scopes).map(([client, scope]) =>
  command(`ask for a code: client ${client}, ${scope}`, (world) => {
    const found = pick(world.clients, client);
    return found && (() => ask(world, found, scope));
  }),
);

const enters = fc.tuple(two, some).map(([index, which]) =>
  command(`enter: member ${index}, code -${which}`, (world) => {
    const [member, code] = [pick(world.members, index), pick(world.deviceCodes, which)];
    return member && code && member.wrongCodes < 4 ? () => enter(world, member, code) : null;
  }),
);

const decides = fc
  .tuple(two, some, fc.constantFrom('approve' as const, 'approve' as const, 'reject' as const))
  .map(([index, which, verdict]) =>
    command(`${verdict}: member ${index}, page -${which}`, (world) => {
      const member = pick(world.members, index);
      const entered = member && pick(member.entered, which);
      return member && entered && member.wrongCodes < 4
        ? () => decide(world, member, entered, verdict)
        : null;
    }),
  );

const polls = fc.tuple(some, isOwn, once).map(([which, own, count]) =>
  command(`poll: code -${which}, ${own ? 'own' : 'other'} client, ${count} at once`, (world) => {
    const code = pick(world.deviceCodes, which);
    return code && (() => pollAtOnce(world, code, clientOf(world, code.client, own), count));
  }),
);

const authorizes = fc.tuple(two, two, scopes).map(([index, client, scope]) =>
  command(`authorize: member ${index}, client ${client}, ${scope}`, (world) => {
    const [member, found] = [pick(world.members, index), pick(world.clients, client)];
    return member && found && (() => authorize(world, member, found, scope));
  }),
);

const exchanges = fc.tuple(some, isOwn, isOwn, once).map(([which, own, isRight, count]) =>
  command(
    `exchange: code -${which}, ${own ? 'own' : 'other'} client, ${isRight ? 'right' : 'wrong'} verifier, ${count} at once`,
    (world) => {
      const code = pick(world.codes, which);
      return code && (() => exchange(world, code, clientOf(world, code.client, own), isRight, count));
    },
  ),
);

/** One after the other, as it mostly goes: few histories would come that far by chance. */
async function inTurn(world: World, steps: readonly (() => Promise<void> | undefined)[]): Promise<void> {
  for (const step of steps) {
    await step();
    tick(world);
  }
}

const televisions = fc.tuple(two, two, scopes).map(([index, client, scope]) =>
  command(`TV: member ${index}, client ${client}, ${scope}`, (world) => {
    const [member, found] = [pick(world.members, index), pick(world.clients, client)];
    if (member === null || found === null || found.isDisabled || !isSignedIn(world, member)) return null;
    const newest = () => world.deviceCodes.at(-1);
    return () =>
      inTurn(world, [
        () => ask(world, found, scope),
        () => enter(world, member, newest() as World['deviceCodes'][number]),
        () => {
          const entered = member.entered.at(-1);
          return entered && decide(world, member, entered, 'approve');
        },
        () => pollAtOnce(world, newest() as World['deviceCodes'][number], found, 1),
      ]);
  }),
);

const webSignIns = fc.tuple(two, two, scopes).map(([index, client, scope]) =>
  command(`web: member ${index}, client ${client}, ${scope}`, (world) => {
    const [member, found] = [pick(world.members, index), pick(world.clients, client)];
    if (member === null || found === null || found.isDisabled || !isSignedIn(world, member)) return null;
    return () =>
      inTurn(world, [
        () => authorize(world, member, found, scope),
        () => exchange(world, world.codes.at(-1) as World['codes'][number], found, true, 1),
      ]);
  }),
);

/** A member signs out on the phone, and an app goes on with what it got in that session. */
const leaves = two.map((index) =>
  command(`leave: member ${index}`, (world) => {
    const member = pick(world.members, index);
    const newest = world.signIns.findLast((signIn) => signIn.member === member);
    if (member === null || newest === undefined) return null;
    return () => inTurn(world, [() => signOut(world, member), () => callApi(world, newest)]);
  }),
);

/** The newest refresh token, or one so many before it. */
const back = fc.constantFrom(0, 0, 0, 1, 2);
const sentOf = ({ generation }: World['signIns'][number], before: number) => Math.max(1, generation - before);

const withTokens = ({ signIns }: World) => signIns.filter(({ refreshTokens }) => refreshTokens.length > 0);

const refreshes = fc
  .tuple(some, back, isOwn, once, fc.constantFrom(null, null, null, 'openid', `${offline} email`))
  .map(([which, before, own, count, scope]) =>
    command(
      `refresh: sign-in -${which}, token -${before}, ${own ? 'own' : 'other'} client, ${count} at once, ${scope}`,
      (world) => {
        const found = pick(withTokens(world), which);
        const options = { scope, count };
        return (
          found &&
          (() => refresh(world, found, sentOf(found, before), clientOf(world, found.client, own), options))
        );
      },
    ),
  );

const revokes = fc.tuple(some, back, isOwn).map(([which, before, own]) =>
  command(`revoke: sign-in -${which}, token -${before}, ${own ? 'own' : 'other'} client`, (world) => {
    const found = pick(withTokens(world), which);
    return (
      found && (() => revokeToken(world, found, sentOf(found, before), clientOf(world, found.client, own)))
    );
  }),
);

const calls = some.map((which) =>
  command(`call the API: sign-in -${which}`, (world) => {
    const found = pick(world.signIns, which);
    return found && (() => callApi(world, found));
  }),
);

const minute = 60_000;
const day = 24 * 60 * minute;

const waits = fc
  .constantFrom(
    1_500,
    4_000,
    6_000,
    11_000,
    40_000,
    5 * minute,
    14 * minute,
    20 * minute,
    2 * 60 * minute,
    day,
    3 * day,
    15 * day,
  )
  .map((ms) =>
    command(`wait ${ms / 1_000} s`, (world) => async () => {
      world.now += ms;
      tick(world);
    }),
  );

const people = fc
  .tuple(
    two,
    fc.constantFrom(
      'in',
      'out',
      'out',
      'out',
      'devices',
      'everywhere',
      'disable',
      'enable',
      'password',
      'password everywhere',
    ),
  )
  .map(([index, what]) =>
    command(`${what}: member ${index}`, (world) => {
      const member = pick(world.members, index);
      if (member === null) return null;
      const here = isSignedIn(world, member);
      switch (what) {
        case 'in':
          return here || !member.isActive ? null : () => signIn(world, member);
        case 'out':
          return () => signOut(world, member);
        case 'devices':
          return here ? () => signOutDevices(world, member) : null;
        case 'everywhere':
          return () => signOutEverywhere(world, member);
        case 'disable':
        case 'enable':
          return () => setActive(world, member, what === 'enable');
        default:
          return here ? () => changePassword(world, member, what === 'password everywhere') : null;
      }
    }),
  );

const disables = fc.tuple(two, fc.boolean()).map(([client, isDisabled]) =>
  command(`${isDisabled ? 'disable' : 'enable'} client ${client}`, (world) => {
    const found = pick(world.clients, client);
    return found && (() => setDisabled(world, found, isDisabled));
  }),
);

/** Every command, those that go far more often than those that end everything. */
const often = (arbitrary: fc.Arbitrary<Command>, times: number) =>
  Array<fc.Arbitrary<Command>>(times).fill(arbitrary);

export const commands = [
  ...often(televisions, 4),
  ...often(webSignIns, 3),
  ...often(leaves, 1),
  ...often(asks, 2),
  ...often(enters, 4),
  ...often(decides, 4),
  ...often(polls, 5),
  ...often(authorizes, 3),
  ...often(exchanges, 3),
  ...often(refreshes, 6),
  ...often(revokes, 1),
  ...often(calls, 5),
  ...often(waits, 3),
  ...often(people, 3),
  ...often(disables, 1),
];
