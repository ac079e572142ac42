/**
 * What a development start has besides (`docs/rehearsal.md`). `main.ts` loads it there, and nothing else does: in production
 * none of this code is in the process.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { SentRequest } from '../../core/refusals/sent.ts';
import { snapshotWait } from '../../core/rehearsal/limits.ts';
import type { Tenants } from '../../operations/tenant/open-tenants.ts';
import type { Deps, Memory, Rehearsal } from '../deps.ts';
import { endpointDeeds, tellMoved } from './card/addresses.ts';
import { cardSumOf, createCards } from './card/cards.ts';
import { createRoomClock } from './clock/clock.ts';
import { clockDeeds } from './clock/deeds.ts';
import { type Deed, keepToRoom, notAlone, serveDeeds } from './deeds.ts';
import { faultDeeds } from './faults/deeds.ts';
import { createFaults } from './faults/faults.ts';
import { strikeAnswers, strikeRequests } from './faults/strike.ts';
import { strikeCallbacks } from './faults/wrong-state.ts';
import { standingOf } from './guard.ts';
import { answerTvs, createPhones, phoneDeeds } from './members/phone.ts';
import { membersPage, membersPageFor, signInDeed } from './members/sign-in.ts';
import { mailDeeds } from './outbox/deeds.ts';
import { outboxPages } from './outbox/outbox.ts';
import { letPhoneShowPages } from './room/frames.ts';
import { createRoomPages } from './room/room.ts';
import { seedDeeds } from './seed/deeds.ts';
import { createSeed } from './seed/seed.ts';
import { snapshotDeeds } from './snapshots/deeds.ts';
import { type Forgettable, forgettable } from './snapshots/memory.ts';
import { createSnapshots, type Snapshots } from './snapshots/snapshots.ts';
import { whyDeeds } from './why/deeds.ts';
import { explainProblems } from './why/explain.ts';
import { sentIn } from './why/sent.ts';
import { wireDeeds } from './wire/deeds.ts';
import { watchLogouts } from './wire/logout.ts';
import { createWireLog, type WireLog } from './wire/recorder.ts';
import { watchWire } from './wire/watch.ts';

/** The room of a service that starts. */
export function createRehearsal(own: Own): Rehearsal {
  const parts = partsOf(own);
  const { cards, clock, seed, faults, phones, room, wire } = parts;
  let memory: Forgettable<Memory> | null = null;
  let snapshots: Snapshots | null = null;
  let background = async (_passed: number) => {};
  const catchUp = (passed: number) => background(passed);
  const forget = () => memory?.forget();
  // What waits for another's server may take long.
  const settle = () => Promise.race([catchUp(0), wait(snapshotWait, undefined, { ref: false })]);

  return {
    clock: clock.now,
    random: seed.random,
    remembering(create) {
      memory = forgettable(create);
      return memory.kept;
    },
    begin: async () => snapshots?.begin(),
    attend(given) {
      background = given;
    },
    membersPage: membersPageFor,
    cardOf: (request, tenant, clientId) =>
      standingOf(request) === 'ours' && tenant.development ? cardSumOf(cards, tenant, clientId) : null,
    sentUnder: (tenantId, reference) => sentUnder(own.tenants, wire, tenantId, reference),
    watch(app, deps) {
      const kept = [cards, clock, seed, faults, phones, room];
      snapshots ??= createSnapshots({ ...deps, parts: kept, settle, forget });
      watchRequests(app, parts, deps);
    },
    serve(app, deps) {
      const kept = snapshots;
      if (kept !== null) {
        const deeds = deedsOf(parts, { kept, catchUp, forget }, deps);
        app.register(async (scope) => serveDeeds(scope, deeds, room.onlookers));
        room.serve(app, deps, kept);
      }
      app.register(async (scope) => {
        keepToRoom(scope);
        membersPage(scope, deps);
        outboxPages(scope, deps);
      });
    },
  };
}

/** What the room takes the place of, and the tenants that it is for. */
type Own = Pick<Deps, 'clock' | 'random' | 'tenants'>;

type Parts = ReturnType<typeof partsOf>;

function partsOf({ clock: real, random, tenants }: Own) {
  const isAlone = () => tenants.all().every(({ development }) => development);
  const cards = createCards();
  const wire = createWireLog(cards.witness);
  const clock = createRoomClock(real, isAlone);
  const seed = createSeed(random, isAlone);
  const faults = createFaults();
  const phones = createPhones();
  const room = createRoomPages({ cards, clock, faults, phones, seed, wire });
  return { isAlone, cards, wire, clock, seed, faults, phones, room };
}

/** What deeds do to the service around the room. */
interface Reach {
  readonly kept: Snapshots;
  readonly catchUp: (passed: number) => Promise<void>;
  readonly forget: () => void;
}

/** All that the room is asked for. */
function deedsOf(
  { isAlone, cards, wire, clock, seed, faults, phones }: Parts,
  { kept, catchUp, forget }: Reach,
  deps: Deps,
): readonly Deed[] {
  const requireAlone = (what: string) => {
    if (!isAlone()) throw notAlone(what);
  };
  const reset = async () => {
    // The seed stays, and begins anew.
    const { seed: own } = seed.told();
    await kept.reset();
    seed.set(own);
    wire.forget();
    cards.forget();
  };
  return [
    ...wireDeeds(wire),
    ...clockDeeds({ clock, requireAlone, catchUp, forget }),
    ...seedDeeds(seed, requireAlone),
    ...faultDeeds(faults, deps),
    ...endpointDeeds(cards, deps),
    signInDeed(deps),
    ...phoneDeeds(phones, deps),
    ...mailDeeds(deps, catchUp),
    ...whyDeeds(deps),
    ...snapshotDeeds(kept, requireAlone, reset),
  ];
}

/** Looks at every request and its answer. The order of these hooks is the order in which they act. */
function watchRequests(app: FastifyInstance, { cards, wire, faults, phones }: Parts, deps: Deps): void {
  letPhoneShowPages(app);
  explainProblems(app);
  // A late answer is one that leaves late; one that is lost has left as far as the log is told.
  answerTvs(app, phones, deps);
  strikeAnswers(app, deps);
  strikeCallbacks(app, faults, deps);
  tellMoved(app, cards);
  watchLogouts(app, deps);
  watchWire(app, wire, deps);
  strikeRequests(app, faults, deps);
}

/** What the wire log remembers of a request of a development tenant. */
function sentUnder(tenants: Tenants, wire: WireLog, tenantId: string, reference: string): SentRequest | null {
  const tenant = tenants.all().find(({ id, development }) => id === tenantId && development);
  if (tenant === undefined) return null;
  const entry = wire.entries(tenantId).findLast((one) => one.reference === reference);
  return entry === undefined ? null : sentIn(entry, tenant.issuer);
}
