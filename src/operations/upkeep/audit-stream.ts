// Streams the audit to a file or to syslog, as JSON lines, for those who collect such lines.
import { open, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { sha256 } from '../../core/hash.ts';
import { type AuditStream, streamedEvent, syslogMessage } from '../../core/operators/audit-stream.ts';
import { auditStreamed as limits } from '../../core/operators/limits.ts';
import type { Log } from '../../log/log.ts';
import { highestEvent, type StoredAuditEvent } from '../../storage/operators/audit-list.ts';
import { listEventsBehind, saveStreamedUntil, streamedUntil } from '../../storage/operators/audit-stream.ts';
import type { Store } from '../../storage/store.ts';
import type { Clock, Schedule } from '../../system/clock.ts';
import type { Random } from '../../system/random.ts';
import { createRunner, type Runner } from '../delivery/runner.ts';
import type { Chore } from './chore.ts';
import { onceAmongAll } from './once.ts';

export interface StreamDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly random: Pick<Random, 'id'>;
  /** Asked for at each line, since the log begins with the app. */
  readonly log: () => Pick<Log, 'warn' | 'info'>;
}

/**
 * Makes what streams the audit from where it was: each event at least once, in the order of their ids. It begins with what
 * happens from its first start on. A full disk, or a receiver that is gone, stops no one: the events wait where they are.
 * Of several processes that stream to one place one does so at a time.
 */
export function createAuditStream(
  { store, clock, schedule, random, log }: StreamDeps,
  to: AuditStream,
): Runner {
  const place = sha256(JSON.stringify(to));
  let settled: { readonly id: number; readonly at: number } | null = null;
  let works = true;

  /** Where processes share a database a lower id may be committed later: events wait a moment there. */
  const newestSettled = async (): Promise<number | null> => {
    const newest = { id: await store.lookUp(highestEvent), at: clock() };
    if (!store.isShared) return newest.id;
    const last = settled !== null && newest.at - settled.at >= limits.settled ? settled.id : null;
    if (last !== null || settled === null) settled = newest;
    return last;
  };

  const worksAgain = () => {
    if (!works) log().info('the audit is streamed again');
    works = true;
  };

  const until = () => store.lookUp((tx) => streamedUntil(tx, place));

  const streamUpTo = async (upTo: number, isOver: () => boolean) => {
    while (!isOver()) {
      const after = await until();
      if (after === null) {
        await store.transaction((tx) => saveStreamedUntil(tx, place, upTo));
        return worksAgain();
      }
      const events = await store.lookUp((tx) => listEventsBehind(tx, after, upTo, limits.bite));
      const last = events.at(-1);
      if (last === undefined) return worksAgain();
      await write(to, events);
      await store.transaction((tx) => saveStreamedUntil(tx, place, last.id));
    }
  };

  const holder = random.id(clock());
  const once = (upTo: number) => {
    const chore: Chore = {
      name: `stream the audit to ${place}`,
      every: limits.every,
      run: ({ isOver }) => streamUpTo(upTo, isOver),
    };
    return store.isShared ? onceAmongAll(chore, { store, clock, schedule, holder }) : chore;
  };

  const work = async () => {
    const upTo = await newestSettled();
    if (upTo !== null && ((await until()) ?? Number.NEGATIVE_INFINITY) < upTo) {
      await once(upTo).run({ pause: async () => {}, isOver: () => runner.isStopped() });
    } else if (upTo !== null) worksAgain();
    return { wait: limits.every, mayGoOn: true };
  };
  const failed = (error: unknown) => {
    if (works) log().warn({ err: error }, 'the audit cannot be streamed now: its events wait');
    works = false;
  };
  const runner = createRunner({ schedule }, work, failed, limits.rest);
  return runner;
}

/** @throws where they may not have arrived: they are written again then */
async function write(to: AuditStream, events: readonly StoredAuditEvent[]): Promise<void> {
  if (to.kind === 'syslog') return send(to, events.map((event) => syslogMessage(event, hostname())).join(''));
  const isWhole = await endsWithLine(to.path);
  const file = await open(to.path, 'a', 0o600);
  try {
    // Half a line, which a full disk or a kill left, must not take a whole one with it.
    await file.writeFile(
      `${isWhole ? '' : '\n'}${events.map((event) => `${streamedEvent(event)}\n`).join('')}`,
    );
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Whether a file is empty or ends with a whole line; a pipe or a device has no end to look at. */
async function endsWithLine(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile() || found.size === 0) return true;
  const file = await open(path, 'r');
  try {
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, found.size - 1);
    return buffer[0] === 0x0a;
  } finally {
    await file.close();
  }
}

/** Sends all of it, on a connection of its own, and waits until the receiver has closed it in turn. */
function send({ host, port }: Extract<AuditStream, { kind: 'syslog' }>, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host, port });
    socket.setTimeout(limits.time, () => socket.destroy(new Error('the receiver takes too long')));
    socket.on('error', reject);
    socket.on('close', (hadError) => (hadError ? undefined : resolve()));
    socket.resume();
    socket.end(text);
  });
}
