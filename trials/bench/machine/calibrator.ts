/**
 * A process on the core of the servers that says what the machine can do now: signatures, durable commits,
 * and HTTP without anything behind it.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';

/** What things cost on this core now, µs. */
export interface Costs {
  /** Processor time of one RSA-2048 and of one ES256 signature. */
  readonly rsa: number;
  readonly es256: number;
  /** One durable commit alone, by the clock: the disk is in it. */
  readonly commit: number;
  /** Processor time of an update of one row, when 32 share a durable commit. */
  readonly grouped: number;
}

const [folder = ''] = process.argv.slice(2);
const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
const ecKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const input = Buffer.alloc(600, 'x');

const database = new SQLite(join(folder, 'calibration.db'));
database.pragma('journal_mode = wal');
database.pragma('synchronous = full');
database.exec('create table if not exists rows (id integer primary key, count integer not null) strict');
const insert = database.prepare('insert or ignore into rows values (?, 0)');
for (let id = 0; id < 1_000; id += 1) insert.run(id);
const update = database.prepare('update rows set count = count + 1 where id = ?');
const begin = database.prepare('begin immediate');
const commit = database.prepare('commit');

/** A body of the size of a discovery document, and the same for each POST once it was read. */
const body = Buffer.from(JSON.stringify({ filler: 'x'.repeat(1_900) }));
const server = createServer((request, response) => {
  const answer = () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  };
  if (request.method === 'GET') return answer();
  let sent = '';
  request.on('data', (chunk: Buffer) => {
    sent += chunk.toString();
  });
  request.on('end', () => {
    new URLSearchParams(sent);
    answer();
  });
});
server.keepAliveTimeout = 72_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});

/** @returns by the clock and in processor time, µs each time */
function costOf(times: number, act: () => void): { clock: number; processor: number } {
  const begun = performance.now();
  const cpu = process.cpuUsage();
  for (let count = 0; count < times; count += 1) act();
  const { user, system } = process.cpuUsage(cpu);
  return { clock: ((performance.now() - begun) * 1_000) / times, processor: (user + system) / times };
}

const group = 32;
let row = 0;
const updateNext = () => {
  row = (row + 7) % 1_000;
  update.run(row);
};
const committed = (updates: number) => () => {
  begin.run();
  for (let count = 0; count < updates; count += 1) updateNext();
  commit.run();
};

function calibrate(): Costs {
  const rsa = costOf(400, () => sign('sha256', input, rsaKey));
  const es256 = costOf(1_500, () => sign('sha256', input, { key: ecKey, dsaEncoding: 'ieee-p1363' }));
  const alone = costOf(300, committed(1));
  const shared = costOf(60, committed(group));
  return {
    rsa: rsa.processor,
    es256: es256.processor,
    commit: alone.clock,
    grouped: shared.processor / group,
  };
}

process.on('message', () => process.send?.({ costs: calibrate() }));
process.on('disconnect', () => process.exit());
