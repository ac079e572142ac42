// Before all tests: starts the PostgreSQL server on which the tests of the storage run a second time.

import { openPostgres } from '../../../src/storage/postgres/open.ts';
import { freePort } from '../service.ts';
import { startPostgres } from './postgres-server.ts';
import { ask, emptyDatabase } from './test-store.ts';

export default async function setup(): Promise<() => Promise<void>> {
  const server = await startPostgres(await freePort());
  await ask(server.url, `create database ${emptyDatabase}`);
  await (await openPostgres(`${server.url}/${emptyDatabase}`, { initialise: true, migrate: true })).close();
  process.env.TEST_POSTGRES = server.url;
  return () => server.stop();
}
