import { pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hashSync } from 'bcryptjs';
import { phpass } from '../../../../src/secrets/hashes/phpass.ts';
import { shaCrypt } from '../../../../src/secrets/hashes/sha-crypt.ts';
import type { Started } from '../../../../test/support/process/started.ts';
import { startPostgres } from '../../../../test/support/run/postgres-server.ts';
import { freePort } from '../../../../test/support/service.ts';
import { type Case, type CaseOptions, type Outcome, type Violations, violations } from '../../case.ts';
import { callAdmin } from '../../clients/changer.ts';
import { signsIn } from '../../clients/sign-up.ts';
import { examineFile } from '../../integrity.ts';
import { anyUnder, commandOf, newSite, type RunningSite, removeSite, run, type Site } from '../../site.ts';

/** Members for each round that is asked for: a hundred thousand for the usual 300. */
const membersOfRound = 334;
/** Kills of the service and of the command by turns, each so many ms at most after the import went on: a short one is soon over. */
const kills = 8;
const killedAfter = (count: number) => Math.min(4_000, count / 10);
/** How often it is looked whether it did (ms). */
const lookEvery = 50;
/** So many of a hundred members sign in with their old passwords. */
const sampledPart = 100;
const signInsAtOnce = 4;

const words = Array.from({ length: 8 }, (_, at) => `et gammelt passord nummer ${at}`);
const b64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
const salt = randomBytes(16);

/** Hashes of five kinds, as five old systems would have made them of each password. */
const kinds: readonly ((password: string) => string)[] = [
  (password) => hashSync(password, 4),
  (password) => `$pbkdf2-sha256$i=1000$${b64(salt)}$${b64(pbkdf2Sync(password, salt, 1_000, 32, 'sha256'))}`,
  (password) =>
    `$scrypt$ln=10,r=8,p=1$${b64(salt)}$${b64(scryptSync(password, salt, 64, { N: 1_024, r: 8, p: 1 }))}`,
  (password) => `$6$rounds=1000$saltsalt$${shaCrypt('sha512', password, 'saltsalt', 1_000)}`,
  (password) => `$P$9saltsalt${phpass(password, 'saltsalt', 2_048)}`,
];

const emailOf = (number: number) => `moved-${number}@example.org`;
const passwordOf = (number: number) => String(words[number % words.length]);

async function writeFileOf(path: string, count: number): Promise<void> {
  const made = kinds.map((kind) => words.map(kind));
  const out = createWriteStream(path);
  for (let number = 0; number < count; number += 1) {
    const passwordHash = made[number % kinds.length]?.[number % words.length];
    const line = {
      email: emailOf(number),
      fullName: `Member ${number}`,
      externalId: String(number),
      passwordHash,
    };
    if (!out.write(`${JSON.stringify(line)}\n`))
      await new Promise<void>((go) => out.once('drain', () => go()));
  }
  await new Promise<void>((go) => out.end(() => go()));
}

type Settings = Readonly<Record<string, string>>;

/** A token that may see how far imports are. */
async function tokenOf(site: Site, settings: Settings): Promise<string> {
  const words = ['service-tokens', 'create', '--name', 'trial', '--permissions', 'members:read'];
  const command = commandOf(site, settings, ...words);
  await command.exited;
  const [token] = command.lines();
  if (token === undefined) throw new Error(`no token was made: ${command.errorLines().join(' | ')}`);
  return token;
}

async function addedAt(running: RunningSite, token: string): Promise<number> {
  const { imports } = await callAdmin<Imports>(running, token, ['GET', '/imports']);
  return imports.reduce((sum, { added }) => sum + added, 0);
}

interface Imports {
  readonly imports: readonly { readonly added: number }[];
}

/** Resolves once the import went on through the service, or its command has ended. @returns whether it went on */
async function wentOn(running: RunningSite, token: string, command: Started): Promise<boolean> {
  let isOver = false;
  void command.exited.then(() => {
    isOver = true;
  });
  const before = await addedAt(running, token);
  while (!isOver) {
    if ((await addedAt(running, token)) > before) return true;
    await wait(lookEvery);
  }
  return false;
}

/** Imports with kills in between, until it is done. @returns how long that took, and how many kills cut it off */
async function importAll(
  site: Site,
  settings: Settings,
  { path, count }: { readonly path: string; readonly count: number },
  found: Violations,
) {
  let running = await run(site, { settings });
  const token = await tokenOf(site, settings);
  const begun = performance.now();
  for (let done = 0; ; done += 1) {
    const command = commandOf(site, settings, 'import', path, '--tenant', site.host);
    const isService = done % 2 === 0;
    const isKilled = done < kills && (await wentOn(running, token, command));
    if (isKilled) {
      await wait(anyUnder(killedAfter(count)));
      await (isService ? running : command).kill();
    }
    const { code } = await command.exited;
    if (isKilled && isService) running = await run(site, { settings });
    if (code === 0 || !isKilled) {
      found.unless(code === 0, `the import ended with ${code}: ${command.errorLines().join(' | ')}`);
      found.unless(done > 0, 'no kill cut the import off');
      return { running, seconds: (performance.now() - begun) / 1_000, done };
    }
  }
}

async function playImport(count: number, settings: Settings, found: Violations): Promise<string> {
  const site = await newSite();
  const beside = mkdtempSync(join(tmpdir(), 'memberdoor-moving-'));
  const path = join(beside, 'members.jsonl');
  await writeFileOf(path, count);
  const { running, seconds, done } = await importAll(site, settings, { path, count }, found);
  // The command that ended may have found the service killed: it goes on where one is.
  const exported = commandOf(site, settings, 'members', 'export', '--tenant', site.host, '--format', 'jsonl');
  await exported.exited;
  const emails = exported
    .lines()
    .filter((line) => line.includes('"moved-'))
    .map((line) => (JSON.parse(line) as { email: string }).email);
  found.unless(new Set(emails).size === emails.length, 'a member is there twice');
  found.unless(emails.length === count, `${emails.length} of ${count} members are there`);
  const sampled = Math.max(10, Math.floor(count / sampledPart));
  await signInSome(running, sampled, count, found);
  found.unless(!(await signsIn(running, emailOf(1), 'another password')), 'a wrong password signs in');
  if (settings.MEMBERDOOR_DATABASE_URL === undefined) {
    for (const half of examineFile(site.folder)) found.add(half);
  }
  await running.kill();
  // What no kill was in the way of is measured alone.
  const fresh = await newSite();
  const timed = settings.MEMBERDOOR_DATABASE_URL === undefined ? await timeOf(fresh, path) : null;
  removeSite(fresh);
  removeSite(site);
  rmSync(beside, { recursive: true });
  const alone = timed === null ? '' : `, ${Math.round(timed)} s without a kill`;
  return `${count} members in ${Math.round(seconds)} s with ${done} kills${alone}, ${sampled} signed in`;
}

/** Some members sign in with their old passwords, a few at a time: each takes as long as the slowest of all hashes. */
async function signInSome(running: RunningSite, sampled: number, count: number, found: Violations) {
  const numbers = Array.from({ length: sampled }, () => anyUnder(count)).values();
  const signIn = async () => {
    for (const number of numbers) {
      const isIn = await signsIn(running, emailOf(number), passwordOf(number));
      found.unless(isIn, `member ${number} cannot sign in with the old password`);
    }
  };
  await Promise.all(Array.from({ length: signInsAtOnce }, signIn));
}

async function timeOf(site: Site, path: string): Promise<number> {
  const running = await run(site);
  const begun = performance.now();
  await commandOf(site, {}, 'import', path, '--tenant', site.host).exited;
  const seconds = (performance.now() - begun) / 1_000;
  await running.kill();
  return seconds;
}

async function runMovingIn({ rounds }: CaseOptions): Promise<Outcome> {
  const found = violations();
  const count = rounds * membersOfRound;
  const ofFile = await playImport(count, {}, found);
  const server = await startPostgres(await freePort(), { isDurable: true });
  const ofServer = violations();
  const shared = await playImport(
    count,
    { MEMBERDOOR_DATABASE_URL: `${server.url}/postgres` },
    ofServer,
  ).finally(() => server.stop());
  for (const problem of ofServer.all) found.add(`on PostgreSQL: ${problem}`);
  return { rounds, violations: found.all, note: `SQLite: ${ofFile}; PostgreSQL: ${shared}` };
}

export const movingIn: Case = {
  id: 'MI10',
  title:
    'members are imported with kills in between, on both engines: nothing twice, nothing lost, old passwords work',
  needs: [],
  run: runMovingIn,
};
