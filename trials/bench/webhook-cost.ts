// What webhooks cost refreshes: members whose sign-ins end beside them, with three endpoints that are told of it, and with none.
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { addEndpoint } from '../../src/operations/events/endpoint.ts';
import { systemRandom } from '../../src/system/random.ts';
import { freePort } from '../../test/support/service.ts';
import { type Line, lineOf } from './figures.ts';
import type { Calibration, Generator } from './machine/machine.ts';
import { startServer } from './machine/process.ts';
import {
  type Bench,
  type Filled,
  filledService,
  memoryOf,
  runRound,
  type Side,
  type SideRound,
  sideOf,
  startOf,
} from './measure.ts';
import type { Row } from './rows.ts';
import { inFolder, serviceAddresses, serviceHost, serviceScope } from './service/folder.ts';

/**
 * So many endpoints of a tenant, told of so many events a second, cost a refresh at most this part more. That is less
 * than what a machine moves by between two rounds: many short rounds are held against each other, each against the one
 * beside it.
 */
const webhookCost = { endpoints: 3, events: 2, most: 1.03, rounds: 32, round: 1_500 } as const;

/** The machine is calibrated before every so many-th round. */
const calibratedEach = 4;

/** Of the tokens of the load every so many-th is revoked beside it, which is an event. */
const revokedPart = 26;

interface Told extends Side {
  /** Ends sign-ins, by the clock. */
  readonly ending: Generator;
}

/** Refreshes while sign-ins end, beside the same without endpoints. */
export async function measureWebhookCost(bench: Bench, refresh: Row): Promise<Line> {
  const { machine, pace } = bench;
  const { connections, warmUp } = pace;
  const short = { ...pace, rounds: webhookCost.rounds, round: Math.min(webhookCost.round, pace.round) };
  const receiver = await startReceiver();
  const sides: Told[] = [];
  const rounds = { ours: [] as SideRound[], other: [] as SideRound[] };
  const calibrations: Calibration[] = [];
  const name = `refresh while ${webhookCost.events} sign-ins a second end, ${webhookCost.endpoints} webhooks (other: none)`;
  try {
    sides.push(await sideWith(bench, refresh, 'webhooks-ours', receiver.url));
    sides.push(await sideWith(bench, refresh, 'webhooks-other', null));
    const [ours, other] = sides as [Told, Told];
    const play = async (side: Told) => {
      const events = { milliseconds: short.round, connections: 8, rate: webhookCost.events };
      const [result, ended] = await Promise.all([runRound(side, short), side.ending.run(events)]);
      return {
        ...result,
        wrong: result.wrong + ended.wrong,
        firstWrong: result.firstWrong ?? ended.firstWrong,
      };
    };
    for (const side of sides) {
      const events = { milliseconds: warmUp, connections: 8, rate: webhookCost.events };
      await Promise.all([side.generator.run({ milliseconds: warmUp, connections }), side.ending.run(events)]);
    }
    for (let number = 0; number < short.rounds; number += 1) {
      if (number % calibratedEach === 0) calibrations.push(await machine.calibrate(pace.calibration));
      const turns = number % 2 === 0 ? (['ours', 'other'] as const) : (['other', 'ours'] as const);
      for (const turn of turns) rounds[turn].push(await play(turn === 'ours' ? ours : other));
    }
    calibrations.push(await machine.calibrate(pace.calibration));
    const measured = {
      ours: { rounds: rounds.ours, memory: memoryOf(ours) },
      other: { rounds: rounds.other, memory: memoryOf(other) },
      calibrations,
    };
    const duties = { target: null, againstPeer: false, againstLimit: false };
    const line = lineOf(refresh, measured, duties, name);
    const cost = costOf(rounds.ours, rounds.other);
    const verdict = () => {
      if (line.ours === null || line.other === null) return 'WRONG ANSWERS';
      if (receiver.taken() === 0) return 'missed: no event was told';
      if (cost.error > costError) return 'NOISY';
      return cost.median <= webhookCost.most ? 'reached' : 'missed: processor';
    };
    const told = `${name}: ${cost.median.toFixed(3)} times the processor time, ± ${cost.error.toFixed(3)}; ${receiver.taken()} messages were taken`;
    return { ...line, verdict: verdict(), notes: [...line.notes, told] };
  } finally {
    for (const side of sides) await side.stop();
    receiver.close();
    for (const each of ['webhooks-ours', 'webhooks-other'])
      rmSync(join(bench.folder, each), { recursive: true, force: true });
  }
}

/** How unsure the cost may be. */
const costError = 0.015;

/** How many times the processor time of the other side an operation took, by pairs of rounds, and how unsure that is. */
function costOf(ours: readonly SideRound[], other: readonly SideRound[]) {
  const each = ({ processor, operations }: SideRound) => processor / operations;
  const ratios = ours
    .map((round, at) => each(round) / each(other[at] as SideRound))
    .toSorted((a, b) => a - b);
  const part = (of: number) => ratios[Math.round((ratios.length - 1) * of)] ?? Number.NaN;
  // The standard error of a median, by the quartiles of what it is the median of.
  return { median: part(0.5), error: (0.93 * (part(0.75) - part(0.25))) / Math.sqrt(ratios.length) };
}

/** The service with a load of refreshes, and of sign-ins that are ended beside it. */
async function sideWith(bench: Bench, row: Row, name: string, url: string | null): Promise<Told> {
  const filled = await filledService(bench, name, row);
  await addEndpoints(filled, url);
  const port = await freePort();
  const settings = { ...filled.settings, MEMBERDOOR_PORT: String(port) };
  const server = await startServer({ ...startOf(bench, name), settings });
  const isRevoked = (at: number) => at % revokedPart === 0;
  const items = filled.items.filter((_, at) => !isRevoked(at));
  const side = await sideOf(bench, row, 'service', { servers: [server], ports: [port], items });
  const ending = await bench.machine.generator({
    operation: 'revocation',
    ports: [port],
    addresses: serviceAddresses,
    scope: serviceScope,
    clientId: `bench-${row.idTokenAlgorithm.toLowerCase()}`,
    idTokenAlgorithm: row.idTokenAlgorithm,
    items: filled.items.filter((_, at) => isRevoked(at)),
  });
  return {
    ...side,
    ending,
    stop: async () => {
      ending.close();
      await side.stop();
    },
  };
}

/** Endpoints on this machine, which a development tenant alone may call: both sides measure one. */
async function addEndpoints(filled: Filled, url: string | null): Promise<void> {
  await inFolder(filled, ({ store, vault }) =>
    store.transaction(async (tx) => {
      const own = tx.updateTable('tenants').set({ development: 1 }).where('host', '=', serviceHost);
      const { id } = await own.returning('id').executeTakeFirstOrThrow();
      if (url === null) return;
      for (let each = 0; each < webhookCost.endpoints; each += 1) {
        const facts = { name: `Endpoint ${each}`, url, types: null };
        const deps = { vault, random: systemRandom, now: Date.now() };
        await addEndpoint(tx, { id, development: true }, facts, deps);
      }
    }),
  );
}

/** A receiver that takes everything, on the core of the generator. */
async function startReceiver() {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      count += 1;
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    taken: () => count,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
