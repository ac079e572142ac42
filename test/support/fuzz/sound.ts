import { expect } from 'vitest';
import { clients } from '../fixtures.ts';
import type { TestService } from '../service.ts';
import { htmlMark } from './hostile.ts';
import { secretMark } from './requests.ts';

/** An answer as it came over a socket of its own. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
}

/** Reads an answer; null if there is none. */
export function readAnswer(received: string): RawAnswer | null {
  const [, status, head = '', text = '']: readonly string[] =
    /^HTTP\/1\.1 (\d{3})[^\r\n]*\r\n([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(received) ?? [];
  if (status === undefined) return null;
  const headers = head.split('\r\n').map((line): readonly [string, string] => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
  });
  return { status: Number(status), headers, text };
}

/** Where an answer may lead away from us: to what the fixtures' clients and tenants have registered. */
const away = new Set(
  [
    'https://app.test',
    ...clients.flatMap(({ redirectUris = [], postLogoutRedirectUris = [] }) => [
      ...redirectUris,
      ...postLogoutRedirectUris,
    ]),
  ].map((uri) => new URL(uri).origin),
);

const all = (answer: RawAnswer, wanted: string) =>
  answer.headers.filter(([name]) => name === wanted).map(([, value]) => value);

/**
 * Holds an answer to what every answer keeps: no failure of ours, no way out, nothing that was sent as HTML,
 * as a header, or as a secret.
 *
 * @param logged the lines that were logged meanwhile
 */
export function expectSound(answer: RawAnswer, logged: readonly string[]): void {
  expect(answer.status, `${answer.text}\n${logged.join('')}`).toSatisfy(
    (status: number) => status < 500 || (status === 503 && !/server_error|busy/.test(answer.text)),
  );
  for (const line of logged) {
    expect(['error', 'fatal'], line).not.toContain(JSON.parse(line).level);
    expect(line).not.toContain(secretMark);
  }
  const [type = ''] = all(answer, 'content-type');
  expect(answer.text).not.toContain(secretMark);
  expect(JSON.stringify(answer.headers)).not.toContain(secretMark);
  if (type.startsWith('text/html')) {
    expect(answer.text).not.toContain(htmlMark);
    expect(answer.text).not.toContain('<script>alert');
    expect(all(answer, 'content-security-policy')).toHaveLength(1);
  }
  if (type.startsWith('application/json') && answer.text !== '') JSON.parse(answer.text);
  if (answer.headers.length > 2) expect(all(answer, 'x-content-type-options')).toEqual(['nosniff']);
  for (const line of all(answer, 'set-cookie'))
    expect(line).toMatch(/^__Host-memberdoor-(session|admin|browser|done)=/);
  for (const location of all(answer, 'location')) {
    if (location.startsWith('/')) expect(location).not.toMatch(/^\/[/\\]/);
    else expect([...away]).toContain(new URL(location).origin);
  }
}

/** Sends nothing of one test into the next: what was logged while the work ran. */
export async function logOf(service: TestService, work: () => Promise<void>): Promise<readonly string[]> {
  const from = service.logLines.length;
  await work();
  return service.logLines.slice(from);
}
