// What a sign-in with a passkey costs, beside one with a password.
import { hosts, passwords } from '../../test/support/fixtures.ts';
import { hashingPasswords } from '../../test/support/members/moving-in/hashing.ts';
import { askedIn, softPasskey } from '../../test/support/members/soft-passkey.ts';
import { workOf } from '../../test/support/process/work.ts';
import { startTestService, type TestService } from '../../test/support/service.ts';
import { field, type Visitor, visitor } from '../../test/support/visitor.ts';
import { figuresOf, type Line, medianCalibration, movement } from './figures.ts';
import type { Calibration } from './machine/machine.ts';
import type { Bench, SideRound } from './measure.ts';
import { steadiness } from './rows.ts';

/** Processor time of a sign-in with a passkey, in ms, that of the browser among it: it runs in this process. */
const passkeyCost = { most: 3, signIns: 100 } as const;

const email = 'u1@example.test';

/** A sign-in that is ready to be sent. */
interface Ready {
  readonly browser: Visitor;
  readonly body: Readonly<Record<string, string>>;
}

export async function measurePasskeyCost({ machine, pace }: Bench): Promise<Line> {
  const service = await startTestService({ data: 'security', passwords: hashingPasswords() });
  const calibrations: Calibration[] = [];
  const sides = { passkey: [] as SideRound[], password: [] as SideRound[] };
  try {
    const byPasskey = await passkeyOf(service);
    const byPassword = () => ({ email, password: passwords[hosts.a][email] });
    // The first ones load the library and warm the code.
    for (const warm of [byPasskey, byPassword, byPasskey]) await send(await readied(service, warm));
    for (let number = 0; number < pace.rounds; number += 1) {
      calibrations.push(await machine.calibrate(pace.calibration));
      sides.passkey.push(await roundOf(await readied(service, byPasskey)));
      sides.password.push(await roundOf(await readied(service, byPassword)));
    }
  } finally {
    await service.stop();
  }
  const memory = process.memoryUsage().rss / 1_024 ** 2;
  const ours = figuresOf({ rounds: sides.passkey, memory });
  const other = figuresOf({ rounds: sides.password, memory });
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
    ratio: ours === null || other === null ? null : ours.rate.median / other.rate.median,
    target: null,
    limit: calibration.es256 + calibration.commit,
    calibration,
    moved,
    verdict: verdict(),
    notes: [],
  };
}

type Fields = (challenge: string) => Readonly<Record<string, string>>;

/** Makes a passkey of the member. @returns what a page sends that it signed */
async function passkeyOf(service: TestService): Promise<Fields> {
  const tenant = service.tenants.byHost(hosts.a);
  if (tenant === null) throw new Error('tenant a is missing');
  const said = { origin: tenant.issuer, domain: new URL(tenant.issuer).hostname };
  const passkey = softPasskey();
  const account = visitor(service, hosts.a);
  const signIn = await account.send(String((await account.send('/sign-in')).headers.location));
  await account.signIn(signIn, email);
  const page = await account.send('/account/passkeys/new');
  const made = passkey.made({ ...said, challenge: askedIn(page).challenge });
  await account.send('/account/passkeys/new', { body: { token: field(page, 'token'), passkey: made } });
  const owner = await service.store.transaction((tx) =>
    tx.selectFrom('passkeys').select('memberId').executeTakeFirstOrThrow(),
  );
  const userHandle = Buffer.from(owner.memberId).toString('base64url');
  return (challenge) => ({ passkey: passkey.signed({ ...said, challenge, userHandle }) });
}

/** The browser that the member always uses, at the sign-in page again and again, with what it is about to send. */
async function readied(service: TestService, fields: Fields): Promise<readonly Ready[]> {
  const ready: Ready[] = [];
  const known = visitor(service, hosts.a);
  await known.send('/sign-in');
  for (let number = 0; number < passkeyCost.signIns; number += 1) {
    const browser = visitor(service, hosts.a);
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

async function roundOf(ready: readonly Ready[]): Promise<SideRound> {
  const began = performance.now();
  let sent: Awaited<ReturnType<typeof send>> = { times: [], wrong: 0 };
  const processor = await workOf(async () => {
    sent = await send(ready);
  });
  const { times, wrong } = sent;
  const part = (of: number) => times[Math.floor((times.length - 1) * of)] ?? 0;
  return {
    operations: ready.length,
    wrong,
    firstWrong: wrong === 0 ? null : 'a sign-in was refused',
    milliseconds: performance.now() - began,
    p50: part(0.5),
    p99: part(0.99),
    longest: part(1),
    ownMilliseconds: processor,
    processor,
    database: null,
  };
}
