/**
 * How long the pages of the portal take for a tenant with many members and two years behind it, each page by each link
 * that leads to one of its kind; and what rolling up its figures costs. `npm run bench:portal -- [MEMBERS] [EVENTS]`
 */
import { performance } from 'node:perf_hooks';
import { countingEvents } from '../../src/operations/figures/count-events.ts';
import { takeLevels } from '../../src/operations/figures/take-levels.ts';
import { insertPackage } from '../../src/storage/access/package.ts';
import type { Pace } from '../../src/storage/sweep/sweep.ts';
import { hosts } from '../../test/support/fixtures.ts';
import { tenantIdOf } from '../../test/support/operators/desk.ts';
import { newAdmin, plain } from '../../test/support/operators/portal.ts';
import { fillYears } from '../../test/support/queries/years.ts';
import { packageFacts } from '../../test/support/records/access-records.ts';
import { startTestService } from '../../test/support/service.ts';

/** A page may take so long (ms) of the processor, with what asks for it: what else runs on the machine does not count. */
const longest = 100;
/** How often each is asked for; the first time it is not counted. */
const times = 10;

const say = (text: string) => process.stdout.write(`${text}\n`);
const [members = 200_000, events = 2_000_000] = process.argv.slice(2).map(Number);
const host = hosts.a;
const service = await startTestService({ data: 'security' });
try {
  const tenantId = tenantIdOf(service, host);
  const now = service.clock.now();
  const packageId = await service.store.transaction((tx) =>
    insertPackage(tx, tenantId, packageFacts({ name: 'Gold', renews: true }), []),
  );
  const begun = performance.now();
  await fillYears(service.store, { tenantId, clientId: 'pub1', packageId }, { members, events }, now);
  say(`${members} members and ${events} events of two years, made in ${seconds(begun)}`);
  await rollUp(now);
  const portal = await newAdmin(service, host, 'sam@years.test', 'system_admin');
  await measurePages(portal.send);
} finally {
  await service.stop();
}

/** Rolls up all that is there, and says what that takes, and how much of the processor its bites take at once. */
async function rollUp(now: number): Promise<void> {
  let bites: number[] = [];
  let began = worked();
  const pace: Pace = {
    isOver: () => false,
    pause: async () => {
      bites.push(worked() - began);
      await new Promise((resolve) => setImmediate(resolve));
      began = worked();
    },
  };
  const measured = async (what: string, work: () => Promise<void>) => {
    bites = [];
    const start = performance.now();
    began = worked();
    await work();
    bites.sort((a, b) => a - b);
    const at = (part: number) => (bites[Math.floor((bites.length - 1) * part)] ?? 0).toFixed(1);
    say(`${what} in ${seconds(start)}: ${bites.length} bites, 99 % of them under ${at(0.99)} ms`);
  };
  const count = countingEvents(service.store);
  await measured('all events counted', async () => {
    for (let round = 0; round <= events / 1_000_000; round += 1) await count(now, pace);
  });
  await measured('all that there is taken for the first time', () => takeLevels(service.store, now, pace));
  await measured('taken again', () => takeLevels(service.store, now + 60_000, pace));
}

/** Asks for a page of each kind that links lead to, and for all of the overview. */
async function measurePages(
  send: (path: string) => ReturnType<Awaited<ReturnType<typeof newAdmin>>['send']>,
) {
  const first = `/admin/tenants/${host}`;
  const waiting = [first, `${first}?range=24h`, `${first}?range=52w`, `${first}/figures?range=52w`];
  const known = new Set<string>();
  const measured: { path: string; processor: number; median: number; bytes: number }[] = [];
  while (waiting.length > 0) {
    const path = waiting.shift() ?? '';
    const kind = kindOf(path);
    if (known.has(kind) || isFile(path)) continue;
    known.add(kind);
    const page = await send(path);
    if (page.status !== 200 || !String(page.headers['content-type']).startsWith('text/html')) continue;
    const took: number[] = [];
    const before = worked();
    for (let time = 0; time < times; time += 1) {
      const start = performance.now();
      await send(path);
      took.push(performance.now() - start);
    }
    const median = took.toSorted((a, b) => a - b)[Math.floor(times / 2)] ?? 0;
    measured.push({ path: kind, median, processor: (worked() - before) / times, bytes: page.text.length });
    for (const [, href = ''] of page.text.matchAll(/<a[^>]* href="([^"]*)"/g)) {
      const [link = ''] = plain(href).split('#');
      if (link.startsWith(first)) waiting.push(link);
    }
  }
  say('  processor       wall     bytes  page');
  for (const { path, processor, median, bytes } of measured.toSorted((a, b) => b.processor - a.processor)) {
    say(`${ms(processor)} ${ms(median)}  ${String(bytes).padStart(8)}  ${path}`);
  }
  const slow = measured.filter(({ processor }) => processor > longest);
  say(`${measured.length} pages, ${slow.length} of them over ${longest} ms`);
  if (slow.length > 0) process.exitCode = 1;
}

function ms(value: number): string {
  return `${value.toFixed(1).padStart(7)} ms`;
}

/** A file is as long as it may be, and is sent part by part. */
function isFile(path: string): boolean {
  return /\/(?:export|data|file)(?:\?|$)/.test(path);
}

/** Pages of one kind differ by ids and numbers alone. */
function kindOf(path: string): string {
  return path
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '{id}')
    .replaceAll(/(?<=[/=])\d+\b/g, '{n}')
    .replaceAll(/(?<=\/(?:clients|channels|consents|properties|keys|apis)\/)(?!\+)[^/?]+/g, '{name}');
}

/** The time of the processor that this thread has taken (ms). */
function worked(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1_000).toFixed(1)} s`;
}
