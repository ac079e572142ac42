import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/service.ts';
import type { Item, Plan, RoundResult } from './generator/plan.ts';
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

/** What one side did in the rounds of a row. */
export interface Measured {
  readonly rounds: readonly (RoundResult & { readonly processor: number })[];
  /** MB after the last round. */
  readonly memory: number;
}

/** A server with a load on it. */
interface Side {
  readonly server: Server;
  readonly generator: Generator;
  readonly port: number;
}

/** Both sides of a row, measured in turns; and what the machine could do before each round. */
export interface MeasuredRow {
  readonly ours: Measured;
  readonly other: Measured;
  readonly calibrations: readonly Calibration[];
}

/** What a side is started with. */
export type SideStart = (bench: Bench, name: string) => Promise<Side>;

/** The service with a row's load; `stored` is how many refresh tokens there are in all. */
export function serviceSide(row: Row, stored?: number): SideStart {
  return async (bench, name) => {
    const folder = join(bench.folder, name);
    cpSync(bench.base.folder, folder, { recursive: true });
    const clientId = `bench-${row.idTokenAlgorithm.toLowerCase()}`;
    const fill = { operation: row.operation, clientId, amount: amountOf(row, 'service', bench.pace) };
    const items = await fillService(
      { ...bench.base, folder },
      { ...fill, ...(stored === undefined ? {} : { stored }) },
    );
    const port = await freePort();
    const { MEMBERDOOR_DATA: _, ...settings } = bench.base.settings;
    const server = await startServer({
      ...startOf(bench, name),
      settings: {
        ...settings,
        ...slowSettings(bench),
        MEMBERDOOR_DATA: folder,
        MEMBERDOOR_PORT: String(port),
      },
    });
    const plan = planOf(row, port, items);
    return {
      server,
      port,
      generator: await bench.machine.generator({ ...plan, addresses: serviceAddresses, scope: serviceScope }),
    };
  };
}

/** oidc-provider with a row's load. */
export function peerSide(row: Row): SideStart {
  return async (bench, name) => {
    const folder = join(bench.folder, name);
    mkdirSync(folder);
    const clientId = `bench-${row.idTokenAlgorithm.toLowerCase()}`;
    const amount = amountOf(row, 'peer', bench.pace);
    const items = await fillPeer(folder, { operation: row.operation, clientId, amount });
    const port = await freePort();
    const server = await startServer({
      ...startOf(bench, name),
      settings: slowSettings(bench),
      peer: { folder, port },
    });
    const plan = planOf(row, port, items);
    return {
      server,
      port,
      generator: await bench.machine.generator({ ...plan, addresses: peerAddresses, scope: peerScope }),
    };
  };
}

function startOf({ folder, placement, slowDisk }: Bench, name: string) {
  return {
    log: join(folder, `${name}.log`),
    cores: placement.servers,
    preload: slowDisk?.sharedObject ?? null,
  };
}

function slowSettings({ slowDisk }: Bench): Record<string, string> {
  return slowDisk === null ? {} : { SLOW_DISK_MICROSECONDS: String(slowDisk.microseconds) };
}

function planOf(row: Row, port: number, items: readonly Item[]): Omit<Plan, 'addresses' | 'scope'> {
  const { operation, idTokenAlgorithm } = row;
  return { operation, port, clientId: `bench-${idTokenAlgorithm.toLowerCase()}`, idTokenAlgorithm, items };
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

/** Measures a row: both sides in turns, the machine calibrated before each round. */
export async function measureRow(
  bench: Bench,
  name: string,
  startOurs: SideStart,
  startOther: SideStart,
): Promise<MeasuredRow> {
  const { machine, pace } = bench;
  const names = [`${name}-ours`, `${name}-other`] as const;
  const ours = await startOurs(bench, names[0]);
  const other = await startOther(bench, names[1]);
  const rounds = { ours: [] as Measured['rounds'][number][], other: [] as Measured['rounds'][number][] };
  const calibrations: Calibration[] = [];
  try {
    const { connections, warmUp, round } = pace;
    for (const side of [ours, other]) await side.generator.run({ milliseconds: warmUp, connections });
    for (let number = 0; number < pace.rounds; number += 1) {
      calibrations.push(await machine.calibrate(pace.calibration));
      // Who goes first changes, so that neither side always follows the calibration.
      const turns = number % 2 === 0 ? (['ours', 'other'] as const) : (['other', 'ours'] as const);
      for (const turn of turns) {
        const { server, generator } = turn === 'ours' ? ours : other;
        const before = processorTime(server.pid);
        const result = await generator.run({ milliseconds: round, connections });
        rounds[turn].push({ ...result, processor: processorTime(server.pid) - before });
      }
    }
    calibrations.push(await machine.calibrate(pace.calibration));
    return {
      ours: { rounds: rounds.ours, memory: residentMegabytes(ours.server.pid) },
      other: { rounds: rounds.other, memory: residentMegabytes(other.server.pid) },
      calibrations,
    };
  } finally {
    for (const { server, generator } of [ours, other]) {
      generator.close();
      await server.stop();
    }
    for (const each of names) rmSync(join(bench.folder, each), { recursive: true, force: true });
  }
}
