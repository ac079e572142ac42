// Keeps what a development start is like by names, and puts it back: its data, its mails, its clock and its faults.
import { snapshotBytes, snapshotsKept, snapshotsWaiting } from '../../../core/rehearsal/limits.ts';
import { afterCommit } from '../../../storage/operators/audited.ts';
import {
  bytesIn,
  dropAll,
  hasPlainTenant,
  keepAll,
  putBackAll,
} from '../../../storage/rehearsal/snapshot.ts';
import type { Tx } from '../../../storage/store.ts';
import type { Deps } from '../../deps.ts';
import { DeedRefused, notAlone } from '../deeds.ts';

/** A part of the room whose state belongs to a snapshot. */
export interface Part {
  /** @returns what puts the part back as it is now */
  keep(): () => void;
}

/** All that was kept together. */
interface Snapshot {
  readonly name: string;
  /** When, by the clock that was kept too (ms). */
  readonly at: number;
  readonly place: number;
  readonly mails: ReadonlySet<string>;
  readonly putPartsBack: () => void;
}

export type Snapshots = ReturnType<typeof createSnapshots>;

/** What snapshots are made of. */
interface SnapshotDeps extends Pick<Deps, 'clock' | 'outbox' | 'store' | 'tenants'> {
  readonly parts: readonly Part[];
  /** Lets what is under way in the background come to its end, as far as that is near. */
  readonly settle: () => Promise<unknown>;
  readonly forget: () => void;
}

/** The place of what there was after the start; the others follow. */
const first = 0;

export function createSnapshots(deps: SnapshotDeps) {
  const { store } = deps;
  const named = new Map<string, Snapshot>();
  let start: Snapshot | null = null;
  const inTurn = createTurns();

  const find = (name: string): Snapshot => {
    const found = named.get(name);
    if (found === undefined) throw new DeedRefused('there is no such snapshot', 404);
    return found;
  };

  return {
    /** Keeps what there is after the start, where that can be kept. */
    begin: () =>
      inTurn(async () => {
        if (store.isShared) return;
        start = await takeSnapshot(deps, 'start', first, false).catch((error: unknown) => {
          if (error instanceof DeedRefused) return null;
          throw error;
        });
      }),
    list: () => [...named.values()].map(({ name, at }) => ({ name, at })),
    /** Keeps what there is now under a name, in the place of what was kept under it. @throws DeedRefused */
    take: (name: string) =>
      inTurn(async () => {
        const before = named.get(name);
        const place = before?.place ?? freePlace([...named.values()]);
        const snapshot = await takeSnapshot(deps, name, place, before !== undefined);
        named.set(name, snapshot);
        return { name, at: snapshot.at };
      }),
    /** @throws DeedRefused if there is none of the name */
    restore: (name: string) => inTurn(() => putBack(deps, find(name))),
    remove: (name: string) =>
      inTurn(async () => {
        const { place } = find(name);
        await store.transaction((tx) => dropAll(tx, place));
        named.delete(name);
      }),
    /** Back to what there was after the start. @throws DeedRefused if that was not kept */
    reset: () =>
      inTurn(async () => {
        if (start === null) {
          throw new DeedRefused(
            'what there was after the start was not kept: the database is no SQLite, or was too large',
          );
        }
        await putBack(deps, start);
      }),
  };
}

/** Lets in one piece of work after another: two snapshots that are made at once do not share a place. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting >= snapshotsWaiting) throw new DeedRefused('too many ask for it at once: wait for an answer');
    waiting += 1;
    const done = last.then(work, work);
    last = done.catch(() => {});
    return done.finally(() => {
      waiting -= 1;
    });
  };
}

/** @throws DeedRefused where all places are taken */
function freePlace(kept: readonly Snapshot[]): number {
  const used = new Set(kept.map(({ place }) => place));
  const places = Array.from({ length: snapshotsKept }, (_, at) => first + 1 + at);
  const free = places.find((place) => !used.has(place));
  if (free === undefined) throw new DeedRefused(`${snapshotsKept} snapshots are kept already`);
  return free;
}

/** Keeps what there is now. @param isTaken whether the place holds a snapshot, which is dropped */
async function takeSnapshot(
  { settle, outbox, store, clock, parts }: SnapshotDeps,
  name: string,
  place: number,
  isTaken: boolean,
): Promise<Snapshot> {
  await settle();
  const mails = await mailsIn(outbox);
  const { at, putBacks } = await store.transaction(async (tx) => {
    await requireSmall(tx, store);
    if (isTaken) await dropAll(tx, place);
    await keepAll(tx, place);
    return { at: clock(), putBacks: parts.map((part) => part.keep()) };
  });
  const putPartsBack = () => {
    for (const putPartBack of putBacks) putPartBack();
  };
  return { name, at, place, mails, putPartsBack };
}

/** Makes everything what it was when the snapshot was taken. */
async function putBack(
  { settle, store, tenants, forget, outbox }: SnapshotDeps,
  { place, mails, putPartsBack }: Snapshot,
): Promise<void> {
  await settle();
  await store.transaction(async (tx) => {
    // Another tenant may have come while this waited for its turn.
    if (await hasPlainTenant(tx)) throw notAlone('what is kept');
    await putBackAll(tx, place);
    const inPlace = await tenants.read(tx);
    afterCommit(tx, () => {
      inPlace();
      putPartsBack();
      forget();
    });
  });
  for (const name of await mailsIn(outbox)) if (!mails.has(name)) await outbox?.remove(name);
}

const mailsIn = async (outbox: SnapshotDeps['outbox']) => new Set(await outbox?.names());

async function requireSmall(tx: Tx, { isShared }: SnapshotDeps['store']): Promise<void> {
  if (isShared) throw new DeedRefused('snapshots need the database of the data folder, SQLite');
  if ((await bytesIn(tx)) > snapshotBytes) {
    throw new DeedRefused(`the database is larger than ${snapshotBytes / 1_024 ** 2} MB`);
  }
}
