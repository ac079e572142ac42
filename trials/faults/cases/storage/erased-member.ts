import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { newPassword } from '../../../../test/support/members/sign-up.ts';
import { startProcess } from '../../../../test/support/process/started.ts';
import { openMails } from '../../../cluster/site/mails.ts';
import { type Case, type CaseOptions, type Outcome, type Violations, violations } from '../../case.ts';
import { consentClient } from '../../clients/consent.ts';
import { deviceClient } from '../../clients/device.ts';
import { isLate, membersPath, newPeople } from '../../clients/person.ts';
import { refresher } from '../../clients/refresher.ts';
import { sessionClient } from '../../clients/session.ts';
import { signsIn } from '../../clients/sign-up.ts';
import { ask, filesIn, type Person, rowsAbout, tracesInFiles, tracesInRows } from '../../clients/traces.ts';
import { webClient } from '../../clients/web.ts';
import { hastyChores } from '../../clock.ts';
import { createFigures } from '../../figures.ts';
import { examineFile } from '../../integrity.ts';
import { openLedger } from '../../ledger.ts';
import { acksOf, type Players, playRound } from '../../round.ts';
import { anyUnder, isCut, newSite, type RunningSite, removeSite, run, type Site } from '../../site.ts';

const roundsEach = 25;
/** ms until the chores have cleaned the file. */
const patience = 60_000;

/** Erases members; those are named whose erasure was confirmed. */
type Erase = () => Promise<void>;

/** What happens to a service while others use it, until its process has ended. */
interface Way {
  readonly isHasty: boolean;
  /** @returns whether it ended cleanly, which cleans its file */
  readonly happen: (running: RunningSite, erase: Erase) => Promise<boolean>;
}

const ways: Readonly<Record<string, Way>> = {
  'killed while it erases': {
    isHasty: false,
    happen: async (running, erase) => {
      const erasing = erase();
      await wait(anyUnder(40));
      await running.kill();
      await erasing;
      return false;
    },
  },
  'killed while it cleans': {
    isHasty: true,
    happen: async (running, erase) => {
      await erase();
      await wait(anyUnder(6_000));
      await running.kill();
      return false;
    },
  },
  'stopped at once': {
    isHasty: false,
    happen: async (running, erase) => {
      await erase();
      const code = await running.stop();
      if (code !== 0) throw new Error(`it ended with ${code}`);
      return true;
    },
  },
  'killed while it stops': {
    isHasty: false,
    happen: async (running, erase) => {
      await erase();
      const stopped = running.stop();
      await wait(anyUnder(300));
      await running.kill();
      return (await stopped) === 0;
    },
  },
};

/** One data folder with its people, its mails and what the administrator may. */
interface World {
  readonly site: Site;
  readonly players: Players;
  readonly settings: Readonly<Record<string, string>>;
  readonly mails: Awaited<ReturnType<typeof openMails>>;
  /** A folder beside the data folder, for backups. */
  readonly beside: string;
  adminToken: string;
  /** All who were erased, and all who were not. */
  readonly gone: Person[];
  readonly there: Person[];
  bytes: number;
}

async function newWorld(): Promise<World> {
  const site = await newSite();
  const mails = await openMails(isLate);
  const beside = mkdtempSync(join(tmpdir(), 'memberdoor-beside-'));
  const clients = [
    ...['refresher 1', 'refresher 2'].map((name) => refresher(name)),
    // Each a member of its own, as a member has a hundred sign-ins at most.
    webClient('web', 'dee@example.com'),
    deviceClient('device', 'finn@example.com'),
    sessionClient('session'),
    consentClient('consent'),
  ];
  const ledgers = clients.map(({ name }) => openLedger(join(beside, `ledger of ${name}`)));
  const settings = {
    MEMBERDOOR_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    MEMBERDOOR_MAIL_FROM: 'door@erase.test',
  };
  return {
    site,
    players: { clients, ledgers },
    settings,
    mails,
    beside,
    adminToken: '',
    gone: [],
    there: [],
    bytes: 0,
  };
}

const start = ({ site, settings }: World, isHasty: boolean): Promise<RunningSite> =>
  run(site, { settings, options: isHasty ? hastyChores() : [] });

/** Runs a command on the data folder, beside the service or without it. @returns what it printed */
async function command({ site, settings }: World, ...words: string[]): Promise<string> {
  const own = { MEMBERDOOR_DATA: site.folder, MEMBERDOOR_PORT: String(site.port), ...settings };
  const started = startProcess({ settings: own, words });
  const { code } = await started.exited;
  if (code !== 0) throw new Error(`${words[0]} ended with ${code}: ${started.errorLines().join(' | ')}`);
  return started.lines().join('\n');
}

/** Erases members all at once. @returns who was erased for certain */
async function eraseAll({ adminToken }: World, site: RunningSite, people: readonly Person[]) {
  const headers = { authorization: `Bearer ${adminToken}` };
  const answers = people.map(async (person) => {
    const path = `${membersPath(site.host)}/${person.id}`;
    try {
      const { status, text } = await site.http(site.host, path, { method: 'DELETE', headers });
      if (status !== 200 && status !== 404) throw new Error(`an erasure was answered by ${status}: ${text}`);
      return [person];
    } catch (error) {
      if (isCut(error)) return [];
      throw error;
    }
  });
  return (await Promise.all(answers)).flat();
}

/** Holds files to having nothing of those who are gone. */
function searchFiles(world: World, paths: readonly string[], when: string, found: Violations): void {
  const { traces, bytes } = tracesInFiles(paths, world.gone);
  world.bytes += bytes;
  for (const trace of traces) found.add(`${when}: ${trace}`);
}

/** Waits until the chores have cleaned what was erased last. */
async function cleaned({ folder, http, host }: RunningSite, found: Violations): Promise<void> {
  const query = 'select (select max(erasedAt) from members) <= (select cleanedUntil from service)';
  const until = performance.now() + patience;
  const isDone = () => ask(folder, (file) => file.prepare(query).pluck().get() === 1);
  while (!isDone()) {
    if (performance.now() > until) return found.add('the chores did not clean the file');
    await wait(100);
    await http(host, '/livez');
  }
}

/** People come, some are erased while something happens, and nothing of them is left. */
async function playErasure(world: World, { isHasty, happen }: Way, found: Violations): Promise<void> {
  const { players, beside, there, gone } = world;
  const { folder } = world.site;
  const running = await start(world, isHasty);
  if (world.adminToken === '') {
    const words = ['service-tokens', 'create', '--name', 'eraser', '--permissions', 'members:write'];
    world.adminToken = (await command(world, ...words)).trim();
  }
  const { leaving, staying } = await newPeople(running, world.mails, world.adminToken);
  there.push(...staying);
  const held = rowsAbout(folder, there);

  let isClean = false;
  let confirmed: readonly Person[] = [];
  const next: RunningSite[] = [];
  // One that stops says so by 503.
  const asked = createFigures(found);
  const site = asked.counting(running, () => true);
  const problems = await playRound(site, players, async (stop) => {
    isClean = await happen(running, async () => {
      confirmed = await eraseAll(world, running, leaving);
    }).finally(stop);
    return async () => {
      gone.push(...confirmed);
      if (isClean) searchFiles(world, filesIn(folder), 'after the stop', found);
      next.push(await start(world, true));
      return asked.counting(next[0] as RunningSite, () => true);
    };
  });
  for (const problem of problems) found.add(problem);
  const again = next[0] as RunningSite;
  for (const trace of tracesInRows(folder, confirmed)) found.add(`after it was confirmed: ${trace}`);
  // What was cut off is done or not begun, and can be done now.
  gone.push(
    ...(await eraseAll(
      world,
      again,
      leaving.filter((person) => !confirmed.includes(person)),
    )),
  );
  for (const trace of tracesInRows(folder, leaving)) found.add(`a row: ${trace}`);
  for (const problem of examineFile(folder)) found.add(problem);
  await cleaned(again, found);
  searchFiles(world, filesIn(folder), 'while it runs', found);
  const backup = join(beside, 'backup.db');
  rmSync(backup, { force: true });
  await command(world, 'backup', backup);
  searchFiles(world, [backup], 'in a backup', found);
  const kept = rowsAbout(folder, there);
  for (const { id } of there) {
    const lost = held.get(id)?.filter((row) => !kept.get(id)?.includes(row)) ?? [];
    for (const row of lost) found.add(`a member who stayed lost a row of ${row.split('\n')[0]}`);
  }
  const last = there.at(-1);
  const isIn = last === undefined || (await signsIn(again, last.email, newPassword));
  found.unless(isIn, 'a member who stayed cannot sign in');
  found.unless((await again.stop()) === 0, 'the stop did not end with 0');
  searchFiles(world, filesIn(folder), 'after the last stop', found);
}

async function runErased({ rounds }: CaseOptions): Promise<Outcome> {
  const found = violations();
  const world = await newWorld();
  const each = Math.max(1, Math.ceil(rounds / roundsEach / Object.keys(ways).length));
  for (let round = 1; round <= each; round += 1) {
    for (const [name, way] of Object.entries(ways)) {
      const its = violations();
      await playErasure(world, way, its);
      for (const problem of its.all) found.add(`round ${round}, ${name}: ${problem}`);
    }
  }
  const stays = tracesInFiles(filesIn(world.site.folder), world.there).traces.length;
  found.unless(stays > 0, 'the search does not find those who stayed');
  for (const ledger of world.players.ledgers) ledger.close();
  await world.mails.close();
  removeSite(world.site);
  rmSync(world.beside, { recursive: true });
  const megabytes = Math.round(world.bytes / 1_000_000);
  return {
    rounds: each * Object.keys(ways).length,
    violations: found.all,
    note: `${world.gone.length} members erased, ${world.there.length} stayed, ${megabytes} MB searched, ${acksOf(world.players.ledgers)} acknowledged changes of others`,
  };
}

export const erasedMember: Case = {
  id: 'F14',
  title:
    'members erased under load, killed meanwhile: nothing of them in rows, files and backups; others keep all',
  needs: [],
  run: runErased,
};
