// What a sign-in with a passkey costs, beside one with a password.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { insertMember } from '../../src/storage/members/member.ts';
import { memberOf } from '../../test/support/fixtures.ts';
import { type Ask, httpClient } from '../../test/support/http.ts';
import { askedIn, softPasskey } from '../../test/support/members/soft-passkey.ts';
import { freePort } from '../../test/support/service.ts';
import { field, type Spoken, type Visitor, visitor } from '../../test/support/visitor.ts';
import { figuresOf, type Line, medianCalibration, movement, rateIn, ratioOf } from './figures.ts';
import type { Calibration } from './machine/machine.ts';
import { processorTime, startServer } from './machine/process.ts';
import { type Bench, memoryOf, type SideRound, startOf } from './measure.ts';
import { steadiness } from './rows.ts';
import { inFolder, proxied, serviceHost } from './service/folder.ts';

/** The processor time (ms) of a sign-in with a passkey, and how many of each kind a round has. */
const passkeyCost = { most: 3, passkeys: 300, passwords: 60 } as const;

const email = 'member@example.test';
const password = 'a-password-of-the-bench';

/** A sign-in that is ready to be sent. */
interface Ready {
  readonly browser: Visitor;
  readonly body: Readonly<Record<string, string>>;
}

/** The service in a process of its own, as a browser behind the proxy reaches it. */
interface Running extends Spoken {
  /** The processor time that it took so far, ms. */
  processor(): number;
  /** MB that it has now. */
  memory(): number;
  stop(): Promise<void>;
}

export async function measurePasskeyCost(bench: Bench): Promise<Line> {
  const { machine, pace } = bench;
  const service = await startWithMember(bench, 'passkey');
  const calibrations: Calibration[] = [];
  const sides = { passkey: [] as SideRound[], password: [] as SideRound[] };
  let memory = 0;
  try {
    const byPasskey = await passkeyOf(service);
    const byPassword = () => ({ email, password });
    // The first ones load the library and warm the code.
    for (const warm of [byPasskey, byPassword, byPasskey]) await send(await readied(service, warm, 100));
    for (let number = 0; number < pace.rounds; number += 1) {
      calibrations.push(await machine.calibrate(pace.calibration));
      sides.passkey.push(await roundOf(service, await readied(service, byPasskey, passkeyCost.passkeys)));
      sides.password.push(await roundOf(service, await readied(service, byPassword, passkeyCost.passwords)));
    }
    memory = service.memory();
  } finally {
    await service.stop();
  }
  const measured = {
    ours: { rounds: sides.passkey, memory },
    other: { rounds: sides.password, memory },
  };
  const [ours, other] = [figuresOf(measured.ours), figuresOf(measured.other)];
  const moved = movement(calibrations);
  const verdict = () => {
    if (ours === null || other === null) return 'WRONG ANSWERS';
    if (moved > steadiness) return 'NOISY';
    return ours.processor < passkeyCost.most * 1_000 ? 'reached' : 'missed: CPU';
  };
  const calibration = medianCalibration(calibrations);
  return {
    name: 'sign-in with a passkey (other: with a password)',
    ours,
    other,
    ratio: ours === null || other === null ? null : ratioOf(measured, rateIn),
    target: null,
    limit: calibration.es256 + calibration.commit,
    calibration,
    moved,
    verdict: verdict(),
    notes: [],
  };
}

type Fields = (challenge: string) => Readonly<Record<string, string>>;

/** Starts the service with a member who has a password. */
async function startWithMember(bench: Bench, name: string): Promise<Running> {
  const folder = join(bench.folder, name);
  cpSync(bench.base.folder, folder, { recursive: true });
  await inFolder({ ...bench.base, folder }, async ({ store, passwords }) => {
    const hash = await passwords.hash(password);
    await store.transaction(async (tx) => {
      const tenant = tx.selectFrom('tenants').select('id').where('host', '=', serviceHost);
      const { id } = await tenant.executeTakeFirstOrThrow();
      await insertMember(tx, memberOf(id, email, 100_000, Date.now()), hash);
    });
  });
  const port = await freePort();
  const settings = { ...bench.base.settings, MEMBERDOOR_DATA: folder, MEMBERDOOR_PORT: String(port) };
  const server = await startServer({ ...startOf(bench, name), settings });
  const http = httpClient(port);
  const send: Spoken['http'] = Object.assign(
    (host: string, path: string, ask: Ask = {}) =>
      http(host, path, { ...ask, headers: { ...proxied, ...ask.headers } }),
    { close: http.close },
  );
  return {
    http: send,
    processor: () => processorTime(server.pid),
    memory: () => memoryOf({ servers: [server] }),
    stop: async () => {
      http.close();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Makes a passkey of the member. @returns what a page sends that it signed */
async function passkeyOf(service: Spoken): Promise<Fields> {
  const said = { origin: `https://${serviceHost}`, domain: serviceHost };
  const passkey = softPasskey();
  const account = visitor(service, serviceHost);
  const signIn = await account.send(String((await account.send('/sign-in')).headers.location));
  await account.signIn(signIn, email, password);
  const page = await account.send('/account/passkeys/new');
  const { challenge, user } = askedIn(page);
  const body = { token: field(page, 'token'), passkey: passkey.made({ ...said, challenge }) };
  await account.send('/account/passkeys/new', { body });
  return (asked) => ({
    passkey: passkey.signed({ ...said, challenge: asked, userHandle: user?.id ?? null }),
  });
}

/** The browser that the member always uses, at the sign-in page again and again, with what it is about to send. */
async function readied(service: Spoken, fields: Fields, count: number): Promise<readonly Ready[]> {
  const ready: Ready[] = [];
  const known = visitor(service, serviceHost);
  await known.send('/sign-in');
  for (let number = 0; number < count; number += 1) {
    const browser = visitor(service, serviceHost);
    for (const [name, value] of known.cookies) browser.cookies.set(name, value);
    const page = await browser.send(String((await browser.send('/sign-in')).headers.location));
    ready.push({ browser, body: { flow: field(page, 'flow'), ...fields(askedIn(page).challenge) } });
  }
  return ready;
}

/** Sends them one after another. @returns how long each took, and how many were not let in */
async function send(ready: readonly Ready[]) {
  const times: number[] = [];
  let wrong = 0;
  for (const { browser, body } of ready) {
    const began = performance.now();
    const { status } = await browser.send('/sign-in', { body: { ...body } });
    times.push(performance.now() - began);
    if (status !== 303) wrong += 1;
  }
  return { times: times.toSorted((a, b) => a - b), wrong };
}

async function roundOf({ processor }: Running, ready: readonly Ready[]): Promise<SideRound> {
  const began = performance.now();
  const before = processor();
  const { times, wrong } = await send(ready);
  const spent = processor() - before;
  const part = (of: number) => times[Math.floor((times.length - 1) * of)] ?? 0;
  return {
    operations: ready.length,
    wrong,
    firstWrong: wrong === 0 ? null : 'a sign-in was refused',
    milliseconds: performance.now() - began,
    p50: part(0.5),
    p99: part(0.99),
    longest: part(1),
    ownMilliseconds: spent,
    processor: spent,
    database: null,
  };
}
