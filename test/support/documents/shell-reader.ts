import { expect } from 'vitest';
import type { Connection } from '../../../src/cli/connection.ts';
import { phoneOf } from '../device.ts';
import type { Answer } from '../http.ts';
import { commandHere } from '../operators/command.ts';
import { run } from '../operators/desk.ts';
import type { TestService } from '../service.ts';
import { answerOf, pkce, type Visitor, visitor } from '../visitor.ts';
import { curl, shellLines, wordsOf } from './curl.ts';
import { codeOf, programFolder } from './documents.ts';

/** What types the lines of a document, one after the other, as a reader would, and does between them what a reader does. */
export interface ShellReader {
  /** Types every line of shell in the document. @returns what was refused, with its status */
  type(): Promise<readonly string[]>;
  /** How many lines sent something. */
  readonly sent: () => number;
  /** The secret that was made last. */
  readonly secret: () => string;
  /** The folder in which she types, with the programs of the document and what she kept in files. */
  readonly folder: string;
  stop(): void;
}

/** Where a document's tenant is. */
const documented = 'localhost:3000';

/**
 * @param variables that the document does not say how to come by
 * @param places what stands in the place of other addresses of the document
 */
export function shellReader(
  service: TestService,
  document: string,
  variables: Readonly<Record<string, string>> = {},
  places: Readonly<Record<string, string>> = {},
): ShellReader {
  const host = `localhost:${service.port}`;
  const { verifier, challenge } = pkce();
  const set: Record<string, string> = { verifier, challenge, ...variables };
  /** Words in capitals that a reader puts in by hand. */
  const byHand: Record<string, string> = {};
  const refreshTokens: Record<string, string> = {};
  const browser = visitor(service, host);
  const folder = programFolder(codeOf(document, 'js'), { [documented]: host, ...places });
  let sent = 0;

  /** What an answer brought that later lines need. */
  const takeUp = async (clientId: string, answer: Answer) => {
    if (answer.text === '') return;
    const found = answer.json<Record<string, string | undefined>>();
    const { access_token: accessToken, device_code: deviceCode, request_uri: requestUri } = found;
    if (found.subscriptionId !== undefined) byHand.SUBSCRIPTION_ID = String(found.subscriptionId);
    if (accessToken !== undefined) {
      byHand.ACCESS_TOKEN = accessToken;
      set.token = accessToken;
      refreshTokens[clientId] = found.refresh_token ?? '';
    }
    if (requestUri !== undefined) byHand.REQUEST_URI = requestUri;
    if (deviceCode === undefined) return;
    byHand.DEVICE_CODE = deviceCode;
    const phone = await phoneOf(service, host, 'ada@example.com');
    await phone.approve(found.user_code ?? '');
    service.clock.advance(5_000);
  };

  const commandLine = async (words: readonly string[]) => {
    const connection: Connection = {
      call: async ({ name }, input) => {
        const answer = await run<{ secret?: string }>(service, name, input);
        if (typeof answer.secret === 'string') set.secret = answer.secret;
        return { answer };
      },
      hosts: async () => [host],
      close: async () => {},
    };
    const { code, err } = await commandHere(words.slice(1), { connect: async () => connection });
    expect(code, err).toBe(0);
  };

  const filledIn = (line: string, clientId: string) => {
    const refreshToken = refreshTokens[clientId];
    const hand: Record<string, string | undefined> = {
      ...byHand,
      TOKEN: refreshToken,
      REFRESH_TOKEN: refreshToken,
    };
    return Object.entries({ [documented]: host, ...places })
      .reduce((text, [told, real]) => text.replaceAll(told, real), line)
      .replace(/\$\(cat ([\w.-]+)\)/g, (_, name: string) => {
        set.file = folder.read(name).trim();
        return '$file';
      })
      .replace(/\b[A-Z]+(?:_[A-Z]+)*\b(?!=)/g, (word) => hand[word] ?? word);
  };

  const typeLine = async (line: string): Promise<number | null> => {
    // The test has made the two itself: not every machine has openssl.
    if (/^(verifier|challenge)=/.test(line)) return null;
    const clientId = /client_id=([\w-]+)|-u ([\w-]+):/.exec(line)?.slice(1).find(Boolean) ?? '';
    const whole = filledIn(line, clientId);
    const [, name = '', program] = /^(\w+)=\$\((node .*)\)$/.exec(whole) ?? [];
    if (program !== undefined) {
      set[name] = await folder.run(wordsOf(program, set).slice(1));
      return null;
    }
    const assigned = /^(\w+)=(\S+)$/.exec(whole);
    if (assigned !== null) {
      set[assigned[1] ?? ''] = assigned[2] ?? '';
      return null;
    }
    const [, typed = whole, file] = /^(memberdoor .*) > ([\w.-]+)$/.exec(whole) ?? [];
    const words = wordsOf(typed, set);
    switch (words[0]) {
      case 'echo':
        byHand.CODE = await open(browser, words[1] ?? '');
        return null;
      case 'node':
        await folder.run(words.slice(1));
        return null;
      case 'memberdoor':
        await commandLine(words);
        if (file !== undefined) folder.write(file, `${set.secret}\n`);
        return null;
      default: {
        expect(words[0], line).toBe('curl');
        const answer = await curl(service, host, words);
        sent += 1;
        await takeUp(clientId, answer);
        return answer.status;
      }
    }
  };

  return {
    async type() {
      const refused: string[] = [];
      for (const line of codeOf(document, 'sh').flatMap(shellLines)) {
        const status = await typeLine(line);
        if (status !== null && status >= 300) refused.push(`${status}: ${line}`);
      }
      return refused;
    },
    sent: () => sent,
    secret: () => String(set.secret),
    folder: folder.path,
    stop: () => folder.remove(),
  };
}

/** Opens an address that a document prints, as Ada would. @returns the code that came back; empty after a sign-out */
async function open(browser: Visitor, address: string): Promise<string> {
  const { pathname, search } = new URL(address);
  let answer = await browser.send(`${pathname}${search}`);
  while (answer.headers.location?.startsWith('/') === true)
    answer = await browser.send(answer.headers.location);
  if (answer.status === 200) answer = await browser.signIn(answer, 'ada@example.com');
  const back = answerOf(answer);
  expect(back.get('error'), address).toBe(null);
  return back.get('code') ?? '';
}
