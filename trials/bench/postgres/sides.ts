// The sides of a row whose data is in PostgreSQL.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../test/support/service.ts';
import { heard } from '../machine/machine.ts';
import { runCommand, type Server, startHelper, startServer } from '../machine/process.ts';
import { type Bench, filledPeer, filledService, type SideStart, sideOf, startOf } from '../measure.ts';
import { moveToPostgres } from '../peer/postgres.ts';
import type { Row } from '../rows.ts';
import type { BenchDatabase } from './database.ts';

/** How the service stands to its database. */
interface Placed {
  readonly processes?: number;
  /** How much longer each answer of the database takes (ms); null is nothing between them. */
  readonly away?: number | null;
}

/** The service with a row's load, which it is moved over with as an operator moves it. */
export function serviceOnPostgres(
  database: BenchDatabase,
  row: Row,
  { processes = 1, away = null }: Placed = {},
): SideStart {
  return async (bench, name) => {
    const { settings, items } = await filledService(bench, name, row);
    const url = await database.create(name);
    const moved = { ...settings, MEMBERDOOR_DATABASE_URL: url };
    await runCommand(moved, ['move', '--to', 'postgres']);
    const relay = away === null ? null : await startRelay(bench, url, away);
    const servers: Server[] = [];
    const ports: number[] = [];
    while (servers.length < processes) {
      const own = `${name}-${servers.length}`;
      const folder = join(bench.folder, own);
      mkdirSync(folder);
      const port = await freePort();
      ports.push(port);
      servers.push(
        await startServer({
          ...startOf(bench, own),
          settings: {
            ...moved,
            MEMBERDOOR_DATABASE_URL: relay?.url ?? url,
            MEMBERDOOR_DATA: folder,
            MEMBERDOOR_PORT: String(port),
          },
        }),
      );
    }
    const end = async () => {
      relay?.close();
      await database.drop(name);
      for (const index of servers.keys()) rmSync(join(bench.folder, `${name}-${index}`), { recursive: true });
    };
    return sideOf(bench, row, 'service', { servers, ports, items, databaseCost: database.cost, end });
  };
}

/** oidc-provider with a row's load. */
export function peerOnPostgres(database: BenchDatabase, row: Row): SideStart {
  return async (bench, name) => {
    const { folder, items } = await filledPeer(bench, name, row);
    const url = await database.create(name);
    await moveToPostgres(folder, url);
    const port = await freePort();
    const server = await startServer({ ...startOf(bench, name), settings: {}, peer: { folder, port, url } });
    const end = () => database.drop(name);
    return sideOf(bench, row, 'peer', {
      servers: [server],
      ports: [port],
      items,
      databaseCost: database.cost,
      end,
    });
  };
}

async function startRelay({ placement }: Bench, url: string, away: number) {
  const near = new URL(url);
  const relay = startHelper(new URL('relay.ts', import.meta.url), placement.generator, [
    near.port,
    String(away),
  ]);
  near.port = String((await heard<{ port: number }>(relay)).port);
  return { url: near.href, close: () => relay.disconnect() };
}
