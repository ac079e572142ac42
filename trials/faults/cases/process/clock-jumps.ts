import { setTimeout as wait } from 'node:timers/promises';
import { codesFor, newPhone, poll } from '../../../../test/support/device.ts';
import { apps, claimsOf, profile, revoke, tokensOf } from '../../../../test/support/tokens.ts';
import { visitor } from '../../../../test/support/visitor.ts';
import { type Case, type Outcome, type Violations, violations } from '../../case.ts';
import { developmentPassword, email, newFamily, next } from '../../clients/client.ts';
import { signsIn } from '../../clients/sign-up.ts';
import { type FakeClock, fakeClock } from '../../clock.ts';
import { createFigures } from '../../figures.ts';
import { examineFile } from '../../integrity.ts';
import { newSite, type RunningSite, removeSite, run } from '../../site.ts';

/** Set while it runs, each from the true time. The last three go over their second while they are asked. */
const jumps = ['+1h', '-1h', '+1d', '-1d', '+10y', '@2100-01-01 00:00:00'] as const;
const seconds = ['@2027-03-28 00:59:59', '@2026-12-31 23:59:59', '@2038-01-19 03:14:06'] as const;
const tv = { clientId: 'tv' };
const wrongPassword = 'this is not the password';

/** Tokens and codes that are over, whatever the clock says. */
interface Dead {
  readonly revoked: string;
  readonly spent: string;
  readonly usedCode: string;
}

async function bury(site: RunningSite): Promise<Dead> {
  const { service, host } = site;
  const revoked = await newFamily(site);
  await revoke(service, host, { client_id: 'spa', token: revoked });
  const spent = await newFamily(site);
  await next(site, spent);
  const { device_code: usedCode } = await approved(site);
  await poll(service, host, usedCode, tv);
  return { revoked, spent, usedCode };
}

/** A code that a phone approved. */
async function approved({ service, host }: RunningSite) {
  const phone = newPhone(service, host);
  const { headers } = await phone.send('/device');
  await phone.signIn(await phone.send(String(headers.location)), email);
  const codes = await codesFor(service, host, tv);
  await phone.approve(codes.user_code);
  return codes;
}

/** Holds the service to doing all its work at whatever time it is. */
async function checkTime(site: RunningSite, dead: Dead, found: Violations, when: string): Promise<void> {
  const { service, host } = site;
  const unless = (isSo: boolean, text: string) => found.unless(isSo, `${when}: ${text}`);
  const tokens = await tokensOf(service, host, apps.spa, { email });
  unless(tokens.expires_in > 0 && tokens.expires_in <= 14_400, `expires_in is ${tokens.expires_in}`);
  const { iat, exp } = claimsOf(tokens.access_token) as { iat: number; exp: number };
  unless(exp - iat === tokens.expires_in, `a token lives from ${iat} to ${exp}`);
  const { status } = await profile(service, host, tokens.access_token);
  unless(status === 200, `a fresh token was answered by ${status}`);
  unless((await next(site, String(tokens.refresh_token))) !== null, 'a fresh refresh token was refused');
  const codes = await approved(site);
  unless(codes.expires_in === 900, `a device code lives for ${codes.expires_in} s`);
  unless(
    (await poll(service, host, codes.device_code, tv)).status === 200,
    'an approved code gave no tokens',
  );
  unless((await next(site, dead.revoked)) === null, 'a revoked token came back to life');
  unless((await next(site, dead.spent)) === null, 'a spent token came back to life');
  unless((await poll(service, host, dead.usedCode, tv)).status === 400, 'a used code came back to life');
}

/** Set back by an hour: what was issued is valid still, and no limit holds for longer than its window. */
async function setBack(site: RunningSite, clock: FakeClock, found: Violations): Promise<string> {
  const { service, host } = site;
  clock.set('+0');
  const { access_token: accessToken } = await tokensOf(service, host, apps.spa, { email });
  const family = await newFamily(site);
  const pending = (await codesFor(service, host, tv)).device_code;
  await poll(service, host, pending, tv);
  const guessed = 'cy@example.com';
  for (let tries = 0; tries < 5; tries += 1) await signsIn(site, guessed, wrongPassword);
  const page = () => visitor(service, host).send('/livez');
  clock.set('-1h');
  await page();
  const { status } = await profile(service, host, accessToken);
  found.unless([200, 401].includes(status), `-1h: an earlier access token was answered by ${status}`);
  found.unless((await next(site, family)) !== null, '-1h: an earlier refresh token was refused');
  const word = (await poll(service, host, pending, tv)).json().error;
  found.unless(word === 'authorization_pending', `-1h: a TV in its pace was answered by ${word}`);
  const isIn = await signsIn(site, guessed, developmentPassword).catch(() => false);
  found.unless(isIn, '-1h: an account is closed for longer than its minute');
  clock.set('+0');
  return status === 200
    ? 'earlier access tokens work an hour before they were issued'
    : 'earlier access tokens wait';
}

async function runClock(): Promise<Outcome> {
  const found = violations();
  const figures = createFigures(found);
  const clock = fakeClock();
  const site = await newSite();
  const start = async () => figures.counting(await run(site, { settings: clock.settings }));
  let running = await start();
  const dead = await bury(running);
  const check = (when: string) =>
    checkTime(running, dead, found, when).catch((error: unknown) => found.add(`${when}: ${String(error)}`));
  const note = await setBack(running, clock, found);
  for (const jump of jumps) {
    clock.set(jump);
    await check(jump);
    clock.set('+0');
    await check(`back from ${jump}`);
  }
  for (const time of seconds) {
    clock.set(time);
    for (let count = 0; count < 3; count += 1) {
      await check(`${time}, ${count}`);
      await wait(1_000);
    }
  }
  // Before a start that finds the lines of the audit ten years old, and drops them.
  for (const problem of examineFile(site.folder)) found.add(problem);
  // A clock that is wrong while the service starts, as on a machine without a battery.
  for (const jump of ['-10y', '+1d', '+10y']) {
    await running.kill();
    clock.set(jump);
    running = await start();
    await check(`started at ${jump}`);
    clock.set('+0');
    await check(`started at ${jump}, then set right`);
  }
  await running.stop();
  removeSite(site);
  clock.remove();
  return { rounds: jumps.length + seconds.length + 4, violations: found.all, note };
}

export const clockJumps: Case = {
  id: 'Z18',
  title: 'the clock jumps: all goes on, no token comes back, no limit holds too long',
  needs: ['faketime'],
  run: runClock,
};
