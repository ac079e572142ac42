// Works on a file that was uploaded: tries its lines first, and takes them in once that was said.
import { setImmediate as turn } from 'node:timers/promises';
import { toldTogether } from '../../../core/import/fields.ts';
import { type FileHead, layoutOf } from '../../../core/import/format.ts';
import type { Import, ImportTrial } from '../../../core/import/import.ts';
import { refusedMost, trialLines } from '../../../core/import/limits.ts';
import { createRepeats } from '../../../core/import/repeats.ts';
import { type Piece, type Place, splitter } from '../../../core/import/split.ts';
import { type Problem, problem } from '../../../core/problem.ts';
import { findImport, insertRefusals, moveImport } from '../../../storage/imports/import.ts';
import { deletePartsBefore, findPart } from '../../../storage/imports/upload.ts';
import type { RateLimiter } from '../../../storage/memory/rate-limit.ts';
import { actingAs } from '../../../storage/operators/audited.ts';
import type { Store, Tx } from '../../../storage/store.ts';
import type { OpenTenant } from '../../tenant/open-tenants.ts';
import type { OperationDeps } from '../operation.ts';
import { type Batch, batchesOf } from './batches.ts';
import {
  countsOf,
  importEntries,
  invitedOf,
  type LineOutcome,
  type PreparedEntry,
  refusedOf,
} from './entries.ts';
import { auditEnd } from './imports.ts';
import { notTakenOf, prepareEntries } from './reading.ts';

export interface TakingDeps extends Pick<OperationDeps, 'vault' | 'passwords' | 'random' | 'tenants'> {
  readonly store: Store;
  readonly mails: Pick<OperationDeps['mails'], 'queue'>;
  readonly rateLimiter: Pick<RateLimiter, 'members'>;
  readonly clock: () => number;
}

/** How it goes on between two batches. */
export interface TakingPace {
  readonly pause: () => Promise<unknown>;
  readonly isOver: () => boolean;
}

/** Its file is not here any more, or cannot be read. */
class FileGone extends Error {}

/** Works on an import until it is done, is stopped, or the service stops: then it goes on where it was. */
export async function workOn(one: Import, deps: TakingDeps, pace: TakingPace): Promise<void> {
  const tenant = deps.tenants.all().find(({ id }) => id === one.tenantId);
  if (tenant === undefined || one.head === null) return giveUp(one, deps, problem([], 'import_file_gone'));
  const work = { one, head: one.head, tenant, deps, repeated: createRepeats(one.options.existing) };
  const from = placeOf(one, one.head);
  try {
    for await (const batch of batchesOf(piecesOf(work, from), from)) {
      if (pace.isOver() || !(await doBatch(work, batch))) return;
      await pace.pause();
    }
    if (!pace.isOver()) await finish(work);
  } catch (error) {
    if (!(error instanceof FileGone)) throw error;
    await giveUp(one, deps, problem([], 'import_file_gone'));
  }
}

interface Work {
  readonly one: Import;
  readonly head: FileHead;
  readonly tenant: OpenTenant;
  readonly deps: TakingDeps;
  readonly repeated: ReturnType<typeof createRepeats>;
}

/** A trial that was broken off begins anew: nothing else knows which addresses its lines had. */
const placeOf = ({ work, readTo, line }: Import, { begins }: FileHead): Place =>
  work === 'take' ? { offset: readTo, line } : begins;

/** The pieces of the file from a place on; one part of it is in memory. */
async function* piecesOf({ one, head, tenant, deps }: Work, from: Place): AsyncGenerator<Piece> {
  const cutter = splitter(layoutOf(head), from);
  for (let at = from.offset; at < one.fileBytes; ) {
    const part = await deps.store.transaction((tx) => findPart(tx, one.id, at));
    const bytes =
      part === null ? Buffer.alloc(0) : readPart(part.sealed, tenant, deps).subarray(at - part.start);
    if (bytes.length === 0) throw new FileGone();
    at += bytes.length;
    // A part of short lines takes longer to cut than a request should wait.
    for (let cut = 0; cut < bytes.length; cut += cutAtOnce) {
      yield* cutter.push(bytes.subarray(cut, cut + cutAtOnce));
      await turn();
    }
  }
  yield* cutter.end();
}

const cutAtOnce = 64 * 1_024;

function readPart(sealed: Buffer, { id }: OpenTenant, { vault }: TakingDeps): Buffer {
  try {
    return vault.decrypt(sealed, id);
  } catch {
    throw new FileGone();
  }
}

/** @returns false if it is not to go on: it was stopped, or another process is further */
async function doBatch(work: Work, batch: Batch): Promise<boolean> {
  const { one, head, deps } = work;
  const isTrial = one.work === 'check';
  const said = { head, columns: one.options.columns, firebase: one.options.firebase };
  const prepared = await prepareEntries(batch.entries, said, { passwords: deps.passwords, isTrial });
  return isTrial ? tryBatch(work, batch, prepared) : takeBatch(work, batch, prepared);
}

/** The audit tells of it in the name of the actor who began it. */
function inNameOf<T>(work: Pick<Work, 'one' | 'deps'>, act: (tx: Tx, now: number) => Promise<T>): Promise<T> {
  const { one, deps } = work;
  return deps.store.transaction((tx) => {
    const at = deps.clock();
    const { tenantId, actorKind, actorId, actorAddress: address } = one;
    return act(
      actingAs(tx, () => ({ tenantId, actorKind, actorId, clientId: null, address, at })),
      at,
    );
  });
}

const lines = (
  { one, tenant, deps }: Work,
  tx: Tx,
  now: number,
  prepared: readonly PreparedEntry[],
): Promise<readonly LineOutcome[]> => {
  const { options, work } = one;
  const mailCounters = deps.rateLimiter.members;
  // What is tried mails no one.
  const taking = { ...options, mail: options.mail && work === 'take' };
  return importEntries({ ...deps, tx, tenant, now, mailCounters }, { options: taking }, prepared);
};

async function takeBatch(work: Work, batch: Batch, prepared: readonly PreparedEntry[]): Promise<boolean> {
  const { one, deps } = work;
  const refused = await inNameOf(work, async (tx, now) => {
    const current = await findImport(tx, one.tenantId, one.id);
    if (current?.work !== 'take' || current.endedAt !== null || current.readTo !== batch.from) return null;
    const outcomes = await lines(work, tx, now, prepared);
    const counts = countedOn(current, outcomes);
    await insertRefusals(tx, one.id, refusedOf(outcomes));
    const invited = current.invited + invitedOf(outcomes);
    await moveImport(tx, one, { ...counts, invited, readTo: batch.readTo, line: batch.line });
    // What was read is not needed any more.
    const part = await findPart(tx, one.id, batch.readTo);
    if (part !== null) await deletePartsBefore(tx, one.id, part.start);
    return counts.refused;
  });
  if (refused === null || refused <= refusedMost) return refused !== null;
  await giveUp(one, deps, problem([], 'too_many_refused', { most: refusedMost }));
  return false;
}

/** The counts of before, and those of what came of more lines. */
const countedOn = (
  before: Pick<ImportTrial, 'added' | 'changed' | 'skipped' | 'refused'>,
  outcomes: readonly LineOutcome[],
) => {
  const counts = countsOf(outcomes);
  return {
    added: before.added + counts.added,
    changed: before.changed + counts.changed,
    skipped: before.skipped + counts.skipped,
    refused: before.refused + counts.refused,
  };
};

const noTrial = {
  added: 0,
  changed: 0,
  skipped: 0,
  refused: 0,
  withoutPassword: 0,
  refusedLines: [],
  notTaken: [],
} as const;

/** Takes a transaction back whose outcomes are known. */
class TakenBack extends Error {
  readonly outcomes: readonly LineOutcome[];

  constructor(outcomes: readonly LineOutcome[]) {
    super('what was tried is taken back');
    this.outcomes = outcomes;
  }
}

async function tryBatch(work: Work, batch: Batch, prepared: readonly PreparedEntry[]): Promise<boolean> {
  const { one, head, repeated } = work;
  const tried = await inNameOf(work, async (tx, now): Promise<readonly LineOutcome[]> => {
    throw new TakenBack(await lines(work, tx, now, prepared));
  }).catch((error: unknown) => {
    if (error instanceof TakenBack) return error.outcomes;
    throw error;
  });
  const outcomes = tried.map((line) => ({ ...line, outcome: repeated(line).outcome }));
  const withHash = new Set(
    prepared.flatMap(({ line, read }) => (read.ok && read.hash !== null ? [line] : [])),
  );
  return inNameOf(work, async (tx) => {
    const current = await findImport(tx, one.tenantId, one.id);
    if (current?.work !== 'check' || current.endedAt !== null) return false;
    const isFirst = batch.from === head.begins.offset;
    const before = isFirst ? { ...noTrial, readTo: batch.from, line: batch.line } : current.trial;
    if (before?.readTo !== batch.from) return false;
    const trial: ImportTrial = {
      ...countedOn(before, outcomes),
      readTo: batch.readTo,
      line: batch.line,
      withoutPassword:
        before.withoutPassword +
        outcomes.filter(({ line, outcome }) => outcome === 'added' && !withHash.has(line)).length,
      refusedLines: [...before.refusedLines, ...refusedOf(outcomes)].slice(0, trialLines),
      notTaken: toldTogether(before.notTaken ?? [], notTakenOf(prepared, work.head, one.options.columns)),
    };
    await moveImport(tx, one, { trial });
    return true;
  });
}

/** All of it was read. */
function finish(work: Work): Promise<void> {
  const { one, head } = work;
  return inNameOf(work, async (tx, now) => {
    const current = await findImport(tx, one.tenantId, one.id);
    if (current === null || current.endedAt !== null || current.work !== one.work) return;
    if (one.work === 'check') {
      const { offset: readTo, line } = head.begins;
      return moveImport(tx, one, { work: 'checked', trial: current.trial ?? { ...noTrial, readTo, line } });
    }
    await moveImport(tx, one, { work: 'none', endedAt: now, readTo: one.fileBytes });
    await auditEnd(tx, current);
  });
}

function giveUp(one: Import, deps: TakingDeps, failure: Problem): Promise<void> {
  return inNameOf({ one, deps }, async (tx, now) => {
    const current = await findImport(tx, one.tenantId, one.id);
    if (current === null || current.endedAt !== null) return;
    await moveImport(tx, one, { work: 'none', endedAt: now, failure });
    await auditEnd(tx, current);
  });
}
