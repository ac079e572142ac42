import { codesFor, newPhone, type Phone, pageOf, poll } from '../../../test/support/device.ts';
import { refreshAs } from '../../../test/support/tokens.ts';
import type { Visitor } from '../../../test/support/visitor.ts';
import { type Actor, anyUnder, expectRefused, expectSo, expectStatus, type Stage } from '../actor.ts';
import { apps, emailOf, host } from '../site.ts';
import { tokensIn } from './web.ts';

/** A phone keeps its session for so many TVs. */
const roundsOfPhone = 20;

/** A TV with its member: polls by the rules and against them, approval or not, and a second poll at times. */
export const television: Actor = { name: 'device flow', count: 4, pause: 1_500, begin };

function begin({ service, number, from }: Stage): () => Promise<void> {
  const email = emailOf('honest', 8 + number);
  const home = () => from(`198.19.${number}.${anyUnder(250)}`);
  let phone: Phone | null = null;
  let round = 0;
  return async () => {
    round += 1;
    if (phone === null || round % roundsOfPhone === 0) phone = await signedIn(newPhone(service, host), email);
    const tv = home();
    const { device_code: code, user_code: userCode } = await codesFor(tv, host, apps.tv);
    expectRefused(await poll(tv, host, code, apps.tv), 'the first poll', 'authorization_pending');
    expectRefused(await poll(tv, host, code, apps.tv), 'a poll too soon', 'slow_down');
    expectRefused(await poll(tv, host, code, apps.otherTv), 'another client’s poll', 'invalid_grant');
    const verdict = round % 4 === 0 ? 'reject' : 'approve';
    const page = expectStatus(await phone.open(userCode), 'the approve page', 200);
    const { status, headers } = await phone.press(page, verdict);
    expectSo(status === 303 && String(headers.location).startsWith('/device/'), `${verdict}: ${status}`);
    const answer = await poll(tv, host, code, apps.tv);
    if (verdict === 'reject') return expectRefused(answer, 'a poll after rejecting', 'access_denied');
    const tokens = tokensIn(answer, 'a poll after approving');
    const next = tokensIn(await refreshAs(tv, host, apps.tv, tokens.refresh_token), 'a TV’s refresh');
    const stranger = await poll(tv, host, code, apps.otherTv);
    expectRefused(stranger, 'another client’s poll of a used code', 'invalid_grant');
    const again = tokensIn(await refreshAs(tv, host, apps.tv, next.refresh_token), 'a TV’s refresh');
    expectRefused(await poll(tv, host, code, apps.tv), 'a second poll', 'invalid_grant');
    const after = await refreshAs(tv, host, apps.tv, again.refresh_token);
    expectRefused(after, 'a refresh after a second poll', 'invalid_grant');
  };
}

/** Tries codes that no TV waits with, until the limit stops it, and then goes on. */
export const codeGuesser: Actor = { name: 'wrong codes', count: 2, pause: 3_000, begin: beginGuessing };

function beginGuessing({ service, number }: Stage): () => Promise<void> {
  let phone: Phone | null = null;
  return async () => {
    phone ??= await signedIn(newPhone(service, host), emailOf('guesser', number));
    const digits = String(anyUnder(1_000_000)).padStart(6, '0');
    const answer = await phone.send(pageOf(digits));
    // One guess in ten thousand may meet a TV.
    expectStatus(answer, 'a guessed code', 422, 429, 200);
  };
}

/** Signs a browser in on the device pages. */
async function signedIn<Browser extends Visitor>(browser: Browser, email: string): Promise<Browser> {
  const { headers } = await browser.send('/device');
  const page = await browser.send(String(headers.location));
  expectStatus(await browser.signIn(page, email), 'a sign-in', 303);
  return browser;
}
