import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/service.ts';
import type { Item, RoundResult } from './generator/plan.ts';
import type { Calibration, Generator, Machine } from './machine/machine.ts';
import {
  type Placement,
  processorTime,
  residentMegabytes,
  type Server,
  startServer,
} from './machine/process.ts';
import { fillPeer } from './peer/fill.ts';
import { peerAddresses, peerScope } from './peer/provider.ts';
import type { Row } from './rows.ts';
import { fillService } from './service/fill.ts';
import { type ServiceFolder, serviceAddresses, serviceScope } from './service/folder.ts';

/** How long and how often it is measured. Times in ms. */
export interface Pace {
  readonly rounds: number;
  readonly round: number;
  /** Each round is played in so many parts, the sides in turns: a machine that changes its pace has it for both. */
  readonly parts: number;
  readonly warmUp: number;
  readonly calibration: number;
  readonly connections: number;
  /** What part of the tokens and members of a row is made: filling takes time too. */
  readonly share: number;
}

/** What all measurements share. */
export interface Bench {
  readonly folder: string;
  readonly base: ServiceFolder;
  readonly machine: Machine;
  readonly placement: Placement;
  readonly pace: Pace;
  /** The shared object that slows the disk, and its delay in µs. */
  readonly slowDisk: { readonly sharedObject: string; readonly microseconds: number } | null;
}

/** What a database in processes of its own was asked to do: processor time in ms, write-ahead log in bytes. */
export interface DatabaseCost {
  readonly processor: number;
  readonly wal: number;
}

/** What a side did in a round, and the processor time that it took (ms), that of its database apart. */
export interface SideRound extends RoundResult {
  readonly processor: number;
  /** null where the database is in the server's own process. */
  readonly database: DatabaseCost | null;
}

/** What one side did in the rounds of a row. */
export interface Measured {
  readonly rounds: readonly SideRound[];
  /** MB after the last round, of all its processes but those of a database. */
  readonly memory: number;
}

/** One server or more with a load on them. */
export interface Side {
  readonly servers: readonly Server[];
  readonly generator: Generator;
  readonly ports: readonly number[];
  /** What its database did so far; null where that is in the server's own process. */
  readonly databaseCost: (() => Promise<DatabaseCost>) | null;
  /** Ends it, and takes away what only it needed. */
  stop(): Promise<void>;
}

/** Both sides of a row, measured in turns; and what the machine could do before each round. */
export interface MeasuredRow {
  readonly ours: Measured;
  readonly other: Measured;
  readonly calibrations: readonly Calibration[];
}

/** What a side is started with. */
export type SideStart = (bench: Bench, name: string) => Promise<Side>;

/** A row's load in a data folder that no service runs on. */
export interface Filled {
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly items: readonly Item[];
}

/** Copies the data folder that all rows begin with, and fills it; `stored` is how many refresh tokens there are in all. */
export async function filledService(bench: Bench, name: string, row: Row, stored?: number): Promise<Filled> {
  const folder = join(bench.folder, name);
  cpSync(bench.base.folder, folder, { recursive: true });
  const fill = {
    operation: row.operation,
    clientId: clientOf(row),
    amount: amountOf(row, 'service', bench.pace),
  };
  const items = await fillService(
    { ...bench.base, folder },
    { ...fill, ...(stored === undefined ? {} : { stored }) },
  );
  return { folder, settings: { ...bench.base.settings, MEMBERDOOR_DATA: folder }, items };
}

/** The service with a row's load. */
export function serviceSide(row: Row, stored?: number): SideStart {
  return async (bench, name) => {
    const { settings, items } = await filledService(bench, name, row, stored);
    const port = await freePort();
    const server = await startServer({
      ...startOf(bench, name),
      settings: { ...settings, ...slowSettings(bench), MEMBERDOOR_PORT: String(port) },
    });
    return sideOf(bench, row, 'service', { servers: [server], ports: [port], items });
  };
}

/** Fills a folder of oidc-provider with a row's load. */
export async function filledPeer(bench: Bench, name: string, row: Row): Promise<Omit<Filled, 'settings'>> {
  const folder = join(bench.folder, name);
  mkdirSync(folder);
  const amount = amountOf(row, 'peer', bench.pace);
  const items = await fillPeer(folder, { operation: row.operation, clientId: clientOf(row), amount });
  return { folder, items };
}

/** oidc-provider with a row's load. */
export function peerSide(row: Row): SideStart {
  return async (bench, name) => {
    const { folder, items } = await filledPeer(bench, name, row);
    const port = await freePort();
    const server = await startServer({
      ...startOf(bench, name),
      settings: slowSettings(bench),
      peer: { folder, port },
    });
    return sideOf(bench, row, 'peer', { servers: [server], ports: [port], items });
  };
}

/** What runs of a side, before a generator is there for it. */
interface Running extends Pick<Side, 'servers' | 'ports'> {
  readonly items: readonly Item[];
  readonly databaseCost?: Side['databaseCost'];
  /** What else is to be ended, after the servers. */
  readonly end?: () => Promise<void>;
}

/** The servers that run, with the generator of their load. */
export async function sideOf(
  bench: Bench,
  row: Row,
  whose: 'service' | 'peer',
  { servers, ports, items, databaseCost = null, end = async () => {} }: Running,
): Promise<Side> {
  const { operation, idTokenAlgorithm } = row;
  const addresses = whose === 'service' ? serviceAddresses : peerAddresses;
  const scope = whose === 'service' ? serviceScope : peerScope;
  const clientId = clientOf(row);
  const plan = { operation, ports, clientId, idTokenAlgorithm, items, addresses, scope };
  const generator = await bench.machine.generator(plan);
  return {
    servers,
    ports,
    generator,
    databaseCost,
    stop: async () => {
      generator.close();
      for (const server of servers) await server.stop();
      await end();
    },
  };
}

const clientOf = ({ idTokenAlgorithm }: Row) => `bench-${idTokenAlgorithm.toLowerCase()}`;

/** Where a server of this name writes its output, and what it runs on. */
export function startOf({ folder, placement, slowDisk }: Bench, name: string) {
  return {
    log: join(folder, `${name}.log`),
    cores: placement.servers,
    preload: slowDisk?.sharedObject ?? null,
  };
}

function slowSettings({ slowDisk }: Bench): Record<string, string> {
  return slowDisk === null ? {} : { SLOW_DISK_MICROSECONDS: String(slowDisk.microseconds) };
}

/** A tenant takes 100,000 device codes, and there are eight; more are not needed by any machine we know. */
const itemsMost = 800_000;

function amountOf(
  { items, operation }: Row,
  side: 'service' | 'peer',
  { rounds, round, warmUp, share }: Pace,
): number {
  if (!items.eachSecond) return Math.ceil(items[side] * share);
  const seconds = (rounds * round + warmUp) / 1_000;
  // A code that was polled may be polled again after 5 s; a token that was revoked is gone.
  return Math.min(itemsMost, items[side] * Math.ceil(operation === 'poll' ? Math.min(5, seconds) : seconds));
}

/** Starts both sides of a row, measures them in turns, and takes away what they left. */
export async function measureRow(
  bench: Bench,
  name: string,
  startOurs: SideStart,
  startOther: SideStart,
): Promise<MeasuredRow> {
  const { machine, pace } = bench;
  const names = [`${name}-ours`, `${name}-other`] as const;
  const sides: Side[] = [];
  try {
    const ours = await startOurs(bench, names[0]);
    sides.push(ours);
    const other = await startOther(bench, names[1]);
    sides.push(other);
    const { connections, warmUp } = pace;
    for (const side of sides) await side.generator.run({ milliseconds: warmUp, connections });
    return await playInTurns(machine, pace, { ours, other }, runRound);
  } finally {
    for (const side of sides) await side.stop();
    for (const each of names) rmSync(join(bench.folder, each), { recursive: true, force: true });
  }
}

/** Plays the rounds of both sides, each part beside the same one of the other; the machine is calibrated before each round. */
export async function playInTurns<AnySide extends Pick<Side, 'servers'>>(
  machine: Pick<Machine, 'calibrate'>,
  pace: Pace,
  sides: Readonly<Record<'ours' | 'other', AnySide>>,
  play: (side: AnySide, pace: Pace) => Promise<SideRound>,
): Promise<MeasuredRow> {
  const rounds = { ours: [] as SideRound[], other: [] as SideRound[] };
  const calibrations: Calibration[] = [];
  const part = { ...pace, round: pace.round / pace.parts };
  for (let number = 0; number < pace.rounds * pace.parts; number += 1) {
    if (number % pace.parts === 0) calibrations.push(await machine.calibrate(pace.calibration));
    // Who goes first changes, so that neither side always follows the calibration.
    const turns = number % 2 === 0 ? (['ours', 'other'] as const) : (['other', 'ours'] as const);
    for (const turn of turns) rounds[turn].push(await play(sides[turn], part));
  }
  calibrations.push(await machine.calibrate(pace.calibration));
  return {
    ours: { rounds: rounds.ours, memory: memoryOf(sides.ours) },
    other: { rounds: rounds.other, memory: memoryOf(sides.other) },
    calibrations,
  };
}

/** One round of a side's load, or a part of it. */
export async function runRound(side: Side, { round, connections }: Pace): Promise<SideRound> {
  const { servers, generator, databaseCost } = side;
  const processor = () => servers.reduce((sum, { pid }) => sum + processorTime(pid), 0);
  const [before, costBefore] = [processor(), await databaseCost?.()];
  const result = await generator.run({ milliseconds: round, connections });
  const [after, costAfter] = [processor(), await databaseCost?.()];
  const database =
    costBefore === undefined || costAfter === undefined
      ? null
      : { processor: costAfter.processor - costBefore.processor, wal: costAfter.wal - costBefore.wal };
  return { ...result, processor: after - before, database };
}

export const memoryOf = ({ servers }: Pick<Side, 'servers'>): number =>
  servers.reduce((sum, { pid }) => sum + residentMegabytes(pid), 0);
