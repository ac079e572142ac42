import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres } from '../../../../test/support/run/postgres-server.ts';
import { freePort } from '../../../../test/support/service.ts';
import { type Case, type CaseOptions, type Outcome, type Violations, violations } from '../../case.ts';
import { type Changer, callAdmin, changer } from '../../clients/changer.ts';
import {
  type Mood,
  startWebhookReceiver,
  type Told,
  type WebhookReceiver,
} from '../../clients/webhook-receiver.ts';
import { clockAhead } from '../../clock.ts';
import { type SmallDisk, smallDisk } from '../../disk.ts';
import { anyUnder, commandOf, newSite, type RunningSite, removeSite, run, type Site } from '../../site.ts';

const members = 6;
const megabytes = 64;
/** One round of work is as long as so many of those that are asked for. */
const roundsEach = 15;
/** The service is killed so many ms after its clients began, at most. */
const killedAfter = 1_500;
const minute = 60_000;
/** So far is the clock ahead at each start while the endpoint fails for more than an hour, and when it is back. */
const failing = [0, 25 * minute, 50 * minute, 65 * minute] as const;
const back = 10 * 60 * minute;
/** How long what waits may take to be told, once nothing is in its way (ms). */
const tellTime = 60_000;

type Settings = Readonly<Record<string, string>>;

interface Trial {
  readonly site: Site;
  readonly settings: Settings;
  readonly token: string;
  readonly receiver: WebhookReceiver;
  readonly changers: readonly Changer[];
  running: RunningSite;
}

async function prepare(site: Site, settings: Settings): Promise<Trial> {
  const running = await run(site, { settings });
  const permissions = ['members:read', 'members:write', 'events:read', 'events:write'];
  const words = permissions.flatMap((name) => ['--permissions', name]);
  const command = commandOf(site, settings, 'service-tokens', 'create', '--name', 'trial', ...words);
  const { code } = await command.exited;
  const [token = ''] = command.lines();
  if (code !== 0) throw new Error(`no token was made: ${command.errorLines().join(' | ')}`);
  const receiver = await startWebhookReceiver();
  const asked = { name: 'Trial', url: receiver.url };
  const made = await callAdmin<{ secret: string }>(running, token, ['POST', '/webhooks'], asked);
  receiver.secret = made.secret;
  const changers: Changer[] = [];
  for (let each = 0; each < members; each += 1) {
    const member = { email: `told-${each}@example.org`, fullName: 'A member' };
    const { id } = await callAdmin<{ id: string }>(running, token, ['POST', '/members'], member);
    changers.push(changer(id, token));
  }
  return { site, settings, token, receiver, changers, running };
}

/** Members are changed while something is done to the service; then it is settled what was committed. */
async function work(trial: Trial, disturb: () => Promise<void>): Promise<void> {
  const over = new AbortController();
  const working = trial.changers.map((one) => one.work(trial.running, over.signal));
  await disturb();
  over.abort();
  await Promise.all(working);
  for (const one of trial.changers) await one.settle(trial.running);
}

/** kill -9 while members are changed, and a start with the clock so far ahead (ms). */
const killed = (trial: Trial, mood: Mood, ahead = 0) =>
  work(trial, async () => {
    trial.receiver.mood = mood;
    await wait(anyUnder(killedAfter));
    await trial.running.kill();
    const { site, settings } = trial;
    trial.running = await run(site, { settings, options: ahead === 0 ? [] : clockAhead(ahead) });
  });

/** The disk is full while members are changed and events are told. */
const filled = (trial: Trial, disk: SmallDisk) =>
  work(trial, async () => {
    trial.receiver.mood = 'takes';
    await wait(anyUnder(killedAfter));
    disk.fill();
    await wait(anyUnder(killedAfter));
    disk.free();
    await wait(100);
  });

/** Everything that the feed tells of the members of the trial. */
async function feedOf({ running, token }: Trial): Promise<readonly Told[]> {
  const all: Told[] = [];
  for (let after = 0; ; ) {
    const path = `/events?after=${after}&limit=100`;
    const { events, next } = await callAdmin<{ events: Told[]; next: number }>(running, token, ['GET', path]);
    if (events.length === 0) return all;
    all.push(...events);
    after = next;
  }
}

/** Waits until all that was committed came, and holds both ways of telling to what was committed. */
async function settle(trial: Trial, found: Violations): Promise<void> {
  const { receiver, changers } = trial;
  receiver.mood = 'takes';
  const ids = new Set(changers.map(({ memberId }) => memberId));
  const isOwn = ({ data }: Told) => ids.has(data.memberId ?? '');
  const expected = changers.reduce((sum, { committed }) => sum + committed.length + 1, 0);
  for (let spent = 0; spent < tellTime && receiver.taken.filter(isOwn).length < expected; spent += 50) {
    await wait(50);
  }
  const feed = await feedOf(trial);
  const gap = feed.findIndex(({ number }, at) => at > 0 && number !== (feed[at - 1]?.number ?? 0) + 1);
  found.unless(gap === -1, `the feed has a gap before ${feed[gap]?.number}`);
  for (const { memberId, committed } of changers) {
    const wanted = ['created', ...committed.map(String)].join(' ');
    const of = (events: readonly Told[]) =>
      events
        .filter(({ data }) => data.memberId === memberId)
        .map(({ type, data }) => (type === 'member.created' ? 'created' : String(data.changed?.toSorted())))
        .join(' ');
    for (const [name, told] of [
      ['the webhook', of(receiver.taken)],
      ['the feed', of(feed)],
    ] as const) {
      found.unless(
        told === wanted,
        `${name} told ${told.split(' ').length} of ${committed.length + 1} changes, or in another order`,
      );
    }
  }
  const known = new Set(feed.map(({ id }) => id));
  found.unless(
    receiver.taken.every(({ id }) => known.has(id)),
    'an event was told that the feed has not',
  );
  for (const problem of receiver.wrong) found.add(problem);
}

async function play(count: number, settings: Settings, disk: SmallDisk | null, found: Violations) {
  // A folder of its own: in one that others may write to, as the root of the disk is, no command finds the service.
  const folder = disk === null ? undefined : join(disk.folder, 'data');
  const trial = await prepare(await newSite(folder), settings);
  try {
    for (let round = 0; round < count; round += 1) await killed(trial, round % 2 === 0 ? 'takes' : 'loses');
    if (disk !== null) {
      for (let round = 0; round < count; round += 1) await filled(trial, disk);
    }
    await settle(trial, found);
    for (const ahead of failing) await killed(trial, 'fails', ahead);
    const before = trial.receiver.taken.length;
    await killed(trial, 'takes', back);
    const waited = trial.receiver.taken.length - before;
    await settle(trial, found);
    const changes = trial.changers.reduce((sum, { committed }) => sum + committed.length, 0);
    const kills = count + failing.length + 1;
    const full = disk === null ? '' : `, ${count} full disks`;
    return `${changes} changes told, ${trial.receiver.again()} again, ${kills} kills${full}, ${waited} after an hour`;
  } finally {
    await trial.running.kill();
    trial.receiver.close();
    if (disk === null) removeSite(trial.site);
  }
}

async function runToldEvents({ rounds }: CaseOptions): Promise<Outcome> {
  const found = violations();
  const count = Math.max(2, Math.ceil(rounds / roundsEach));
  const disk = smallDisk(megabytes);
  const ofFile = await play(count, {}, disk, found).finally(() => disk.unmount());
  const server = await startPostgres(await freePort(), { isDurable: true });
  const settings = { MEMBERDOOR_DATABASE_URL: `${server.url}/postgres` };
  const ofServer = violations();
  const shared = await play(count, settings, null, ofServer).finally(() => server.stop());
  for (const problem of ofServer.all) found.add(`on PostgreSQL: ${problem}`);
  return { rounds, violations: found.all, note: `SQLite: ${ofFile}; PostgreSQL: ${shared}` };
}

export const toldEvents: Case = {
  id: 'EV17',
  title:
    'kills, full disks and an endpoint that fails for an hour: each change is told, in order, and no other',
  needs: ['root'],
  run: runToldEvents,
};
