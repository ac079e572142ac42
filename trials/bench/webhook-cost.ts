// What webhooks cost refreshes: members whose sign-ins end beside them, with three endpoints that are told of it, and with none.
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { addEndpoint } from '../../src/operations/events/endpoint.ts';
import { systemRandom } from '../../src/system/random.ts';
import { freePort } from '../../test/support/service.ts';
import { type Line, lineOf, processorIn, ratioOf } from './figures.ts';
import type { Generator } from './machine/machine.ts';
import { startServer } from './machine/process.ts';
import {
  type Bench,
  type Filled,
  filledService,
  type Pace,
  playInTurns,
  runRound,
  type Side,
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
const webhookCost = { endpoints: 3, events: 2, most: 1.03, rounds: 8, round: 6_000, parts: 4 } as const;

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
  const receiver = await startReceiver();
  const sides: Told[] = [];
  const name = `refresh while ${webhookCost.events} sign-ins a second end, ${webhookCost.endpoints} webhooks (other: none)`;
  try {
    sides.push(await sideWith(bench, refresh, 'webhooks-ours', receiver.url));
    sides.push(await sideWith(bench, refresh, 'webhooks-other', null));
    const [ours, other] = sides as [Told, Told];
    const play = async (side: Told, part: Pace) => {
      const events = { milliseconds: part.round, connections: 8, rate: webhookCost.events };
      const [result, ended] = await Promise.all([runRound(side, part), side.ending.run(events)]);
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
    const { rounds, round, parts } = webhookCost;
    const many = { ...pace, rounds, round: Math.min(round, pace.round * parts), parts };
    const measured = await playInTurns(machine, many, { ours, other }, play);
    const duties = { target: null, againstPeer: false, againstLimit: false };
    const line = lineOf(refresh, measured, duties, name);
    const cost = ratioOf(measured, processorIn);
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
