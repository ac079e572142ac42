import { setTimeout as wait } from 'node:timers/promises';
import { askForCode, codesFor, poll } from '../../../test/support/device.ts';
import type { Answer } from '../../../test/support/http.ts';
import { apps, refreshAs, revoke } from '../../../test/support/tokens.ts';
import { authorizationParameters, pkce, visitor } from '../../../test/support/visitor.ts';
import type { Violations } from '../../faults/case.ts';
import { newFamily, nextOf } from '../../faults/clients/client.ts';
import type { Served } from '../../faults/site.ts';
import { asker } from './tenants.ts';

/** What a process without its database answers all the same, and within which time (ms). */
const going = ['/.well-known/openid-configuration', '/api/oidc/jwks', '/livez'];
const goingTime = 1_000;
/** How long an answer that is late is waited for all the same (ms). */
const late = 2_000;
const tv = { clientId: 'tv' };

/** What is asked of a process that does not reach its database. */
export interface Questions {
  /**
   * Asks it: what needs the database is a whole 503 in time, and the rest goes on.
   *
   * @param most how long an answer may take (ms)
   * @returns how long the longest took
   */
  ask(at: Served, most: number): Promise<number>;
  /** Asks a process that does: of what was refused all is as it was, or done once. */
  askAgain(at: Served): Promise<void>;
}

/** @param site where what it takes is had, as long as that goes */
export async function prepareQuestions(site: Served, found: Violations): Promise<Questions> {
  const refreshed = await newFamily(site, undefined, asker);
  const revoked = await newFamily(site, undefined, asker);
  const { device_code: deviceCode } = await codesFor(site.service, site.host, tv);
  const { clientId, redirectUri } = apps.spa;
  const browser = visitor(site.service, site.host);
  const page = await browser.authorize(authorizationParameters(clientId, redirectUri, pkce()));
  const timed = async (what: string, ask: () => Promise<Answer>, within: number, status: number) => {
    const begun = performance.now();
    // One that never comes must not hold up what would bring it.
    const answer = await Promise.race([ask(), wait(within + late)]);
    const ms = Math.round(performance.now() - begun);
    if (answer === undefined) {
      found.add(`${what} was not answered for ${ms} ms`);
      return ms;
    }
    found.unless(answer.status === status, `${what} was answered by ${answer.status}, not by ${status}`);
    found.unless(ms <= within, `${what} was answered after ${ms} ms`);
    const saysWhen = status !== 503 || answer.headers['retry-after'] !== undefined;
    found.unless(saysWhen, `${what} was refused without Retry-After`);
    return ms;
  };
  return {
    ask: async ({ service, http, host }, most) => {
      const there = visitor(service, host);
      for (const [cookie, value] of browser.cookies) there.cookies.set(cookie, value);
      const asked = {
        'a refresh': () => refreshAs(service, host, apps.spa, refreshed),
        'a revocation': () => revoke(service, host, { client_id: 'spa', token: revoked }),
        'a poll': () => poll(service, host, deviceCode, tv),
        'a device authorization': () => askForCode(service, host, tv),
        'a sign-in': () => there.signIn(page, asker),
      };
      const times = await Promise.all([
        ...Object.entries(asked).map(([what, ask]) => timed(what, ask, most, 503)),
        ...going.map((path) => timed(path, () => http(host, path), goingTime, 200)),
      ]);
      return Math.max(...times);
    },
    askAgain: async ({ service, host }) => {
      const again = async (token: string) => nextOf(await refreshAs(service, host, apps.spa, token));
      // Who got no answer may have been served: then the old token ends the sign-in.
      const isTwice = (await again(refreshed)) !== null && (await again(refreshed)) !== null;
      found.unless(!isTwice, 'a token whose refresh was refused worked twice');
      const { status } = await revoke(service, host, { client_id: 'spa', token: revoked });
      found.unless(status === 200, `a revocation that was refused before was answered by ${status}`);
      found.unless((await again(revoked)) === null, 'a revoked token works');
      const word = String((await poll(service, host, deviceCode, tv)).json().error);
      const words = ['authorization_pending', 'slow_down'];
      found.unless(words.includes(word), `a device code that was refused before was answered by ${word}`);
    },
  };
}
