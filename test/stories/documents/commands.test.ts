import { beforeAll, expect, it } from 'vitest';
import { curl, shellLines, wordsOf } from '../../support/curl.ts';
import { phoneOf } from '../../support/device.ts';
import { codeOf } from '../../support/documents.ts';
import type { Answer } from '../../support/http.ts';
import { apps, claimsOf, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { answerOf, pkce, type Visitor, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'development' });
const document = 'client-developers.md';
let host: string;

beforeAll(() => {
  service.clock.set(Date.now());
  host = `localhost:${service.port}`;
});

const { verifier, challenge } = pkce();

/** What a reader of the document has at hand: variables of the shell, and words to be put in by hand. */
interface Reader {
  readonly variables: Record<string, string>;
  readonly placed: Record<string, string>;
  readonly browser: Visitor;
  /** The last refresh token of each client. */
  readonly refreshTokens: Record<string, string>;
}

/** Opens an address that the document prints, as the reader would. */
async function open({ browser, placed }: Reader, address: string): Promise<void> {
  const { pathname, search, searchParams } = new URL(address);
  if (pathname !== '/api/oidc/auth') {
    const answer = await browser.send(`${pathname}${search}`);
    expect(answer.headers.location, address).toContain('/signed-out?state=x');
    return;
  }
  let answer = await browser.authorize(Object.fromEntries(searchParams));
  if (answer.status === 200) answer = await browser.signIn(answer, 'ada@example.com');
  placed.CODE = answerOf(answer).get('code') ?? '';
}

/** Takes up what an answer brought. */
async function takeUp(reader: Reader, clientId: string, answer: Answer): Promise<void> {
  if (answer.text === '') return;
  const { placed, variables, refreshTokens } = reader;
  const found = answer.json<Record<string, string | undefined>>();
  if (found.access_token !== undefined) {
    placed.ACCESS_TOKEN = found.access_token;
    variables.token = found.access_token;
    refreshTokens[clientId] = found.refresh_token ?? '';
  }
  if (found.device_code !== undefined) {
    placed.DEVICE_CODE = found.device_code;
    const phone = await phoneOf(service, host, 'ada@example.com');
    await phone.approve(found.user_code ?? '');
    service.clock.advance(5_000);
  }
}

/** Types one line of the document, and returns how it was answered; null for one that sends nothing. */
async function type(reader: Reader, line: string): Promise<number | null> {
  const { placed, variables, refreshTokens } = reader;
  // The test has made the two itself: not every machine has openssl.
  if (/^(verifier|challenge)=/.test(line)) return null;
  const clientId = /client_id=([\w-]+)|-u ([\w-]+):/.exec(line)?.slice(1).find(Boolean) ?? '';
  const refreshToken = refreshTokens[clientId];
  const hand: Record<string, string | undefined> = {
    ...placed,
    TOKEN: refreshToken,
    REFRESH_TOKEN: refreshToken,
  };
  const whole = line
    .replaceAll('http://localhost:3000', `http://${host}`)
    .replace(/\b(CODE|TOKEN|ACCESS_TOKEN|REFRESH_TOKEN|DEVICE_CODE)\b(?!=)/g, (word) => hand[word] ?? word);
  const set = /^(\w+)=(\S+)$/.exec(whole);
  if (set !== null) {
    variables[set[1] ?? ''] = set[2] ?? '';
    return null;
  }
  const words = wordsOf(whole, variables);
  if (words[0] === 'echo') {
    await open(reader, words[1] ?? '');
    return null;
  }
  expect(words[0], line).toBe('curl');
  const answer = await curl(service, host, words);
  await takeUp(reader, clientId, answer);
  return answer.status;
}

it('every line of shell for client developers does what it says, one after the other', async () => {
  const admin = await tokensOf(service, host, apps.spa, { email: 'tina@example.com' });
  const ada = await tokensOf(service, host, apps.spa, { email: 'ada@example.com' });
  const reader: Reader = {
    variables: {
      verifier,
      challenge,
      admin: admin.access_token,
      member: String(claimsOf(ada.access_token).sub),
    },
    placed: {},
    browser: visitor(service, host),
    refreshTokens: {},
  };
  const refused: string[] = [];
  let sent = 0;
  for (const line of codeOf(document, 'sh').flatMap(shellLines)) {
    const status = await type(reader, line);
    sent += status === null ? 0 : 1;
    if (status !== null && status >= 300) refused.push(`${status}: ${line}`);
  }
  expect(refused).toEqual([]);
  expect(sent).toBeGreaterThan(10);
});
