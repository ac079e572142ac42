import { setTimeout as wait } from 'node:timers/promises';
import {
  accessTokenSeconds,
  authorizationCodeLifetime,
  deviceCodeLifetime,
  pollInterval,
} from '../../../src/core/limits.ts';
import { clocksDiffer, clockTolerance } from '../../../src/core/operators/limits.ts';
import { codesFor, newPhone, phoneOf, poll } from '../../../test/support/device.ts';
import { apps, claimsOf, profile, revoke, tokensOf } from '../../../test/support/tokens.ts';
import { authorizationParameters, codeFor, pkce, token, visitor } from '../../../test/support/visitor.ts';
import { type Case, type Outcome, type Violations, violations } from '../../faults/case.ts';
import { developmentPassword, newFamily, next } from '../../faults/clients/client.ts';
import { signsIn } from '../../faults/clients/sign-up.ts';
import { clockAhead } from '../../faults/clock.ts';
import { createFigures } from '../../faults/figures.ts';
import type { Served } from '../../faults/site.ts';
import type { Cluster } from '../site/cluster.ts';
import { latestExpiries } from '../site/integrity.ts';
import { guessedAt, playerOf } from '../site/tenants.ts';

/** By how much the clock of one process is ahead of the others' (ms): as much as the operators' guide allows. */
const ahead = clocksDiffer;
const tv = { clientId: 'tv' };
/** TVs that keep their interval, and how often each of them polls. */
const televisions = 6;
const polls = 4;
/** Wrong passwords after which an account waits, for a minute, and after which an address does (security, Defaults). */
const limits = { ofAccount: 5, ofAddress: 30, time: 60_000 } as const;
const wrongPassword = 'this is not the password';
const { clientId, redirectUri } = apps.spa;

/** The same cookies at another process. */
function carried({ service, host }: Served, cookies: ReadonlyMap<string, string>) {
  const browser = newPhone(service, host);
  for (const [cookie, value] of cookies) browser.cookies.set(cookie, value);
  return browser;
}

/** What one process issues is good at the other at once, and for no longer than it should be. */
async function crossOver(from: Served, to: Served, unless: Violations['unless']): Promise<void> {
  const email = playerOf(0);
  const tokens = await tokensOf(from.service, from.host, apps.spa, { email });
  const now = Date.now();
  for (const jwt of [tokens.access_token, tokens.id_token]) {
    const { iat, exp } = claimsOf(jwt) as { readonly iat: number; readonly exp: number };
    unless(iat * 1_000 <= now + clockTolerance, `a token is of ${iat * 1_000 - now} ms from now`);
    const longest = accessTokenSeconds.most * 1_000 + clockTolerance;
    unless(exp * 1_000 - now <= longest, `a token lives for ${exp * 1_000 - now} ms`);
  }
  const { status } = await profile(to.service, to.host, tokens.access_token);
  unless(status === 200, `an access token was answered by ${status}`);
  const second = await next(to, String(tokens.refresh_token));
  unless(second !== null, 'a refresh token was refused');
  unless((await next(from, String(second))) !== null, 'a refreshed token was refused where it came from');

  const browser = visitor(from.service, from.host);
  const { code, verifier } = await codeFor(browser, clientId, redirectUri, {}, email);
  const grant = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier };
  const redeemed = await token(to.service, to.host, grant);
  unless(redeemed.status === 200, `a code was answered by ${redeemed.status}`);
  const parameters = authorizationParameters(clientId, redirectUri, pkce());
  const silent = await carried(to, browser.cookies).authorize(parameters);
  unless(silent.headers.location?.includes('code=') === true, 'a session is none');

  const codes = await codesFor(from.service, from.host, tv);
  const phone = await phoneOf(from.service, from.host, email);
  const there = carried(to, phone.cookies);
  const verdict = await there.press(await there.open(codes.user_code), 'approve');
  unless(verdict.status === 303, `the approval of a TV was answered by ${verdict.status}`);
  const polled = await poll(from.service, from.host, codes.device_code, tv);
  unless(polled.status === 200, `the poll of an approved TV was answered by ${polled.status}`);

  const family = await newFamily(from, undefined, email);
  await revoke(from.service, from.host, { client_id: clientId, token: family });
  unless((await next(to, family)) === null, 'a revoked token works');
}

/** TVs that poll at their interval, each time at another process. @returns how often one was told to slow down */
async function pollInTurn(sites: readonly Served[], found: Violations): Promise<number> {
  const [first] = sites as [Served];
  let slowed = 0;
  const watch = async (index: number) => {
    const { device_code: code } = await codesFor(first.service, first.host, tv);
    const begun = performance.now();
    for (let count = 0; count < polls; count += 1) {
      await wait(Math.max(1, begun + count * pollInterval - performance.now()));
      const { service, host } = sites[(index + count) % sites.length] as Served;
      const { error } = (await poll(service, host, code, tv)).json();
      if (error === 'slow_down') slowed += 1;
      else found.unless(error === 'authorization_pending', `a poll was answered by ${String(error)}`);
    }
  };
  await Promise.all(Array.from({ length: televisions }, (_, index) => watch(index)));
  found.unless(slowed === 0, `${slowed} polls at their interval were told to slow down`);
  return slowed;
}

/** A TV that does not keep its interval is told so, by whichever process. */
async function pollTooSoon(sites: readonly Served[], found: Violations): Promise<void> {
  for (const [index, { service, host }] of sites.entries()) {
    const { device_code: code } = await codesFor(service, host, tv);
    await poll(service, host, code, tv);
    const { error } = (await poll(service, host, code, tv)).json();
    found.unless(
      error === 'slow_down',
      `process ${index} answered a poll that came too soon by ${String(error)}`,
    );
  }
}

/** Guesses in turn at all processes: there are as many as at one, and a guesser who was told to wait waits as long. */
async function guessInTurn(sites: readonly Served[], found: Violations): Promise<void> {
  const siteOf = (index: number) => sites[index % sites.length] as Served;
  const [few, many] = guessedAt as [string, string];
  for (let count = 0; count < limits.ofAccount - 1; count += 1)
    await signsIn(siteOf(count), few, wrongPassword);
  found.unless(await signsIn(siteOf(0), few, developmentPassword), 'an account waits too soon');

  const begun = performance.now();
  const address = '203.0.113.7';
  const fromThere = ({ service, host, http }: Served) => {
    const own: typeof http = Object.assign(
      (...[name, path, ask = {}]: Parameters<typeof http>) =>
        http(name, path, { ...ask, headers: { ...ask.headers, 'x-forwarded-for': address } }),
      { close: () => {} },
    );
    return visitor({ ...service, http: own }, host);
  };
  const guess = async (index: number) => {
    const browser = fromThere(siteOf(index));
    const page = await browser.authorize(authorizationParameters(clientId, redirectUri, pkce()));
    return (await browser.signIn(page, `nobody-${index}@example.com`, wrongPassword)).status;
  };
  const statuses = await Promise.all(
    Array.from({ length: limits.ofAddress + 10 }, (_, index) => guess(index)),
  );
  const looked = statuses.filter((status) => status === 422).length;
  found.unless(looked === limits.ofAddress, `${looked} failed sign-ins of one address were looked at`);
  for (let count = 0; count < limits.ofAccount; count += 1) await signsIn(siteOf(count), many, wrongPassword);
  /** One after the other: of those that come at once after its wait, one is looked at. */
  const isIn = async () => {
    const results: boolean[] = [];
    for (const site of sites) results.push(await signsIn(site, many, developmentPassword).catch(() => false));
    return results;
  };
  found.unless(!(await isIn()).includes(true), 'an account lets in who guessed too often');

  await wait(begun + limits.time + clockTolerance + ahead - performance.now());
  const again = await guess(0);
  found.unless(again === 422, `an address waits for longer than its minute: ${again}`);
  const after = await isIn();
  found.unless(!after.includes(false), 'an account waits for longer than its minute');
}

async function runClock(cluster: Cluster): Promise<Outcome> {
  const found = violations();
  const figures = createFigures(found);
  const [fast] = cluster.processes;
  if (fast === undefined) throw new Error('there is no process');
  await fast.stop();
  await fast.start({ options: clockAhead(ahead) });
  const sites = cluster.processes.map((_, index) => figures.counting(cluster.at(index)));
  const [atFast, atOther] = sites as [Served, Served];
  await crossOver(atFast, atOther, (isSo, text) => found.unless(isSo, `from ahead: ${text}`));
  await crossOver(atOther, atFast, (isSo, text) => found.unless(isSo, `from behind: ${text}`));
  const { code, deviceCode } = await latestExpiries(cluster.databaseUrl);
  const isInTime = (expiry: number, lifetime: number) => expiry <= Date.now() + lifetime + clockTolerance;
  found.unless(isInTime(code, authorizationCodeLifetime), 'a code lives too long');
  found.unless(isInTime(deviceCode, deviceCodeLifetime), 'a device code lives too long');
  await pollTooSoon(sites, found);
  const [slowed] = await Promise.all([pollInTurn(sites, found), guessInTurn(sites, found)]);
  await fast.stop();
  await fast.start();
  return {
    rounds: 1,
    violations: found.all,
    note: `${figures.text()}, ${slowed} of ${televisions * polls} polls slowed down`,
  };
}

export const clock = (cluster: Cluster): Case => ({
  id: 'clock',
  title: `the clock of one process is ${ahead / 1_000} s ahead: tokens, polls and limits are as they are`,
  needs: [],
  run: () => runClock(cluster),
});
