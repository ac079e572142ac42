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

export function createSnapshots({ store, tenants, clock, outbox, parts, settle, forget }: SnapshotDeps) {
  const named = new Map<string, Snapshot>();
  let start: Snapshot | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  /** One after another: two that are made at once do not share a place. */
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting >= snapshotsWaiting) throw new DeedRefused('too many ask for it at once: wait for an answer');
    waiting += 1;
    const done = last.then(work, work);
    last = done.catch(() => {});
    return done.finally(() => {
      waiting -= 1;
    });
  };
  const mailsNow = async () => new Set(await outbox?.names());
  const requireSmall = async (tx: Tx) => {
    if (store.isShared) throw new DeedRefused('snapshots need the database of the data folder, SQLite');
    if ((await bytesIn(tx)) > snapshotBytes) {
      throw new DeedRefused(`the database is larger than ${snapshotBytes / 1_024 ** 2} MB`);
    }
  };

  const take = async (name: string, place: number, isThere: boolean): Promise<Snapshot> => {
    await settle();
    const mails = await mailsNow();
    const { at, putBacks } = await store.transaction(async (tx) => {
      await requireSmall(tx);
      if (isThere) await dropAll(tx, place);
      await keepAll(tx, place);
      return { at: clock(), putBacks: parts.map((part) => part.keep()) };
    });
    const putPartsBack = () => {
      for (const putPartBack of putBacks) putPartBack();
    };
    return { name, at, place, mails, putPartsBack };
  };

  const putBack = async ({ place, mails, putPartsBack }: Snapshot): Promise<void> => {
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
    for (const name of await mailsNow()) if (!mails.has(name)) await outbox?.remove(name);
  };

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
        start = await take('start', first, false).catch((error: unknown) => {
          if (error instanceof DeedRefused) return null;
          throw error;
        });
      }),
    list: () => [...named.values()].map(({ name, at }) => ({ name, at })),
    /** Keeps what there is now under a name, in the place of what was kept under it. @throws DeedRefused */
    take: (name: string) =>
      inTurn(async () => {
        const before = named.get(name);
        const used = new Set([...named.values()].map(({ place }) => place));
        const free = Array.from({ length: snapshotsKept }, (_, at) => at + 1).find(
          (place) => !used.has(place),
        );
        const place = before?.place ?? free;
        if (place === undefined) throw new DeedRefused(`${snapshotsKept} snapshots are kept already`);
        const { at } = await take(name, place, before !== undefined).then((snapshot) => {
          named.set(name, snapshot);
          return snapshot;
        });
        return { name, at };
      }),
    /** @throws DeedRefused if there is none of the name */
    restore: (name: string) => inTurn(() => putBack(find(name))),
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
        await putBack(start);
      }),
  };
}
