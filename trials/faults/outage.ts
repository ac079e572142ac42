import { setTimeout as wait } from 'node:timers/promises';
import { readinessLife } from '../../src/core/operators/limits.ts';
import { askForCode, poll } from '../../test/support/device.ts';
import type { Answer } from '../../test/support/http.ts';
import { apps, profile, refreshAs, revoke, tokensOf } from '../../test/support/tokens.ts';
import {
  authorizationParameters,
  pkce,
  type Tokens,
  type Visitor,
  visitor,
} from '../../test/support/visitor.ts';
import type { Violations } from './case.ts';
import { email, nextOf } from './clients/client.ts';
import type { RunningSite, Served } from './site.ts';

/** Reads and writes that go on at the same moment, as they do in a busy service. */
const atOnce = 50;

/** A revocation writes less than a refresh, so that a few may still fit where that does not. */
const spares = 10;

/** What a site has before its disk fails. */
export interface Before {
  readonly accessToken: string;
  /** Refresh tokens of other sign-ins: none may be spent in vain. */
  readonly tokens: readonly string[];
  /** Refresh tokens that may be revoked to find out whether the least still fits. */
  readonly spare: readonly string[];
  /** A browser at the sign-in page. */
  readonly browser: Visitor;
  readonly page: Answer;
}

export async function prepareOutage({ service, host }: Served): Promise<Before> {
  const { access_token: accessToken } = await tokensOf(service, host, apps.spa, { email });
  const browser = visitor(service, host);
  const newToken = async () => (await tokensOf(service, host, apps.spa, { email, browser })).refresh_token;
  const tokens: string[] = [];
  for (let count = 0; count < atOnce; count += 1) tokens.push(String(await newToken()));
  const spare: string[] = [];
  for (let count = 0; count < spares; count += 1) spare.push(String(await newToken()));
  const { clientId, redirectUri } = apps.spa;
  const stranger = visitor(service, host);
  const page = await stranger.authorize(authorizationParameters(clientId, redirectUri, pkce()));
  return { accessToken, tokens, spare, browser: stranger, page };
}

/** Refreshes, then revokes, until the first refusal: what still fits is written. @returns the last token */
export async function writeUntilRefused(
  { service, host }: Served,
  token: string,
  { spare }: Pick<Before, 'spare'>,
): Promise<string> {
  let current = token;
  for (;;) {
    const answer = await refreshAs(service, host, apps.spa, current);
    if (answer.status !== 200) break;
    current = String(answer.json<Tokens & Record<string, unknown>>().refresh_token);
  }
  for (const one of spare) {
    const { status } = await revoke(service, host, { client_id: 'spa', token: one });
    if (status !== 200) break;
  }
  return current;
}

/** Holds a service whose file cannot be written to promise 5: reads go on, writes answer 503. */
export async function checkOutage(site: Served, before: Before, found: Violations): Promise<void> {
  const { service, host, http } = site;
  const { accessToken, tokens, browser, page } = before;
  const [token = ''] = tokens;
  const is503 = (what: string, answer: Answer, isPage = false) => {
    const isWhole =
      answer.status === 503 &&
      answer.headers['retry-after'] !== undefined &&
      String(answer.headers['content-type']).startsWith(isPage ? 'text/html' : 'application/json');
    found.unless(isWhole, `${what} was answered by ${answer.status}, not by a whole 503`);
  };
  is503('a refresh', await refreshAs(service, host, apps.spa, token));
  is503('a revocation', await revoke(service, host, { client_id: 'spa', token }));
  is503('a device authorization', await askForCode(service, host, { clientId: 'tv' }));
  is503('a sign-in', await browser.signIn(page, email), true);
  const unknown = await poll(service, host, 'nothing', { clientId: 'tv' });
  found.unless(unknown.status === 400, `an unknown device code was answered by ${unknown.status}`);
  for (const path of [
    '/.well-known/openid-configuration',
    '/api/oidc/jwks',
    '/livez',
    '/assets/memberdoor.css',
  ]) {
    const { status } = await http(host, path);
    found.unless(status < 500 && status !== 0, `${path} was answered by ${status}`);
  }
  // What it writes is one page, and a revocation some ten: so often it may fit in where nothing else does.
  let ready = await http(host, '/readyz');
  for (let tries = 0; tries < 15 && ready.status === 200; tries += 1) {
    await wait(readinessLife + 100);
    ready = await http(host, '/readyz');
  }
  found.unless(ready.status === 503, `/readyz says ${ready.text.trim()}`);

  const reading = tokens.map(() => profile(service, host, accessToken));
  const writing = tokens.map((each) => refreshAs(service, host, apps.spa, each));
  const failed = (await Promise.all(reading)).filter(({ status }) => status !== 200).length;
  found.unless(failed === 0, `${failed} of ${atOnce} profiles that were read beside writes were not shown`);
  for (const answer of await Promise.all(writing)) is503('one of many refreshes', answer);
}

/** Holds a service whose file can be written again to it: all goes on, and nothing was spent in vain. */
export async function checkRecovery(site: Served, before: Before, found: Violations): Promise<void> {
  const { service, host } = site;
  for (const token of before.tokens) {
    const answer = await refreshAs(service, host, apps.spa, token);
    found.unless(answer.status === 200, `after the outage a token was answered by ${answer.status}`);
    if (answer.status !== 200) continue;
    const used = nextOf(await refreshAs(service, host, apps.spa, token));
    found.unless(used === null, 'after the outage a token worked twice');
  }
  const code = await askForCode(service, host, { clientId: 'tv' });
  found.unless(code.status === 200, `after the outage a device authorization was answered by ${code.status}`);
}

/** The lines of errors that a service wrote, without those of another level. */
export function errorLines({ started }: RunningSite): readonly string[] {
  return started.lines().filter((line) => line.startsWith('{"level":"error"'));
}
