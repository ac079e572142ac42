/**
 * What requests wait for while a million rows that are over are deleted: refreshes and discovery over real
 * sockets, before and meanwhile. `npm run bench:purge -- [ROWS]`
 */
import { performance } from 'node:perf_hooks';
import { startChores } from '../../src/operations/upkeep/chore.ts';
import { choresOf } from '../../src/operations/upkeep/chores.ts';
import { systemSchedule } from '../../src/system/clock.ts';
import { hosts } from '../../test/support/fixtures.ts';
import { httpClient } from '../../test/support/http.ts';
import { insertCopies, insertOverSignIns } from '../../test/support/queries/copies.ts';
import { startTestService } from '../../test/support/service.ts';
import { apps, refreshAs, tokensOf } from '../../test/support/tokens.ts';
import { visitor } from '../../test/support/visitor.ts';

const connections = 16;
/** How long requests are measured before anything is deleted (ms). */
const calm = 10_000;
const day = 86_400_000;
/** No request may wait longer (ms; performance, "What to reach"). */
const longest = 50;

const say = (text: string) => process.stdout.write(`${text}\n`);
const rows = Number(process.argv[2] ?? 1_000_000);
if (!Number.isInteger(rows) || rows < 4) throw new Error(`${process.argv[2]} is not a number of rows`);

const service = await startTestService({ data: 'security' });
const http = httpClient(service.port, connections);
const loaded = { ...service, http };
const browser = visitor(loaded, hosts.a);
const tokens: string[] = [];
while (tokens.length < connections) {
  tokens.push(String((await tokensOf(loaded, hosts.a, apps.pub1, { browser })).refresh_token));
}

/** Asks over every connection until told to stop. @returns what each request took (ms), in order of size */
async function load(isOver: () => boolean): Promise<readonly number[]> {
  const times: number[] = [];
  await Promise.all(
    tokens.map(async (_, index) => {
      while (!isOver()) {
        const begun = performance.now();
        const answer = await refreshAs(loaded, hosts.a, apps.pub1, tokens[index]);
        times.push(performance.now() - begun);
        if (answer.status !== 200) throw new Error(answer.text);
        tokens[index] = answer.json<{ refresh_token: string }>().refresh_token;
      }
    }),
  );
  return times.toSorted((a, b) => a - b);
}

function tell(name: string, times: readonly number[], ms: number): void {
  const at = (part: number) => (times[Math.floor((times.length - 1) * part)] ?? 0).toFixed(1);
  const over = times.filter((time) => time > longest).length;
  say(
    `${name}: ${Math.round((times.length * 1_000) / ms)} refreshes/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, \
p99.9 ${at(0.999)} ms, longest ${at(1)} ms, ${over} of ${times.length} over ${longest} ms`,
  );
}

try {
  const each = Math.floor(rows / 4);
  await service.store.transaction(async (tx) => {
    await insertOverSignIns(tx, each);
    await insertCopies(tx, 'auditEvents', each, { id: 'null', at: '1', event: "'token_refreshed'" });
  });
  say(`${4 * each} rows that are over; ${connections} connections, all in one process with the service`);
  const until = performance.now() + calm;
  tell('before', await load(() => performance.now() > until), calm);

  const deleted: Record<string, number> = {};
  const retention = { auditRetention: day, auditRefreshRetention: day };
  const chores = choresOf({
    ...service.deps,
    config: { ...retention, dataFolder: service.folder },
    schedule: systemSchedule,
    tell: (counts) => Object.assign(deleted, counts),
  }).filter(({ name }) => name.startsWith('delete'));
  const [begun, cpu] = [performance.now(), process.cpuUsage()];
  let left = chores.length;
  const counted = chores.map((chore) => ({
    ...chore,
    run: async (pace: Parameters<typeof chore.run>[0]) => {
      await chore.run(pace);
      left -= 1;
    },
  }));
  const running = startChores(
    counted,
    (name, error) => {
      throw new Error(name, { cause: error });
    },
    0,
  );
  const times = await load(() => left === 0);
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpu);
  await running.stop();
  tell('meanwhile', times, ms);
  say(
    `deleted in ${Math.round(ms / 1_000)} s: ${JSON.stringify(deleted)}; ${Math.round((user + system) / ms / 10)} % of a core, load included`,
  );
} finally {
  http.close();
  await service.stop();
}
