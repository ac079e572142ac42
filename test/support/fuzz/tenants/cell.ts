import { expect } from 'vitest';
import type { Answer } from '../../http.ts';
import { allRows, rowsAsText } from '../../records/rows.ts';
import type { Side } from './side.ts';

/** Everything that a tenant gives out, or that names something of it. */
export const artefacts = [
  'access token',
  'account form token',
  'admin API token',
  'answer of a provider',
  'approve page proof',
  'authorization code',
  'browser cookie',
  'checkout id',
  'checkout form token',
  'client id',
  'client secret',
  'consent id',
  'decision on a TV',
  'device code',
  'digits of a mail',
  'flow',
  'id_token_hint',
  'initial access token',
  'link of a mail',
  'link of a notice',
  'linked account id',
  'member id',
  'notice form token',
  'order',
  'package id',
  'passkey id',
  'portal form token',
  'portal session cookie',
  'portal sign-in token',
  'proof of an address',
  'provider key',
  'refresh token',
  'registration access token',
  'request_uri',
  'seat id',
  'second step',
  'session cookie',
  'session id',
  'sign-in id',
  'sign-out confirmation',
  'invoice number',
  'subscription id',
  'thing of an operation',
  'user code',
  'way to a provider',
] as const;
export type Artefact = (typeof artefacts)[number];

/** One artefact at one route. */
export interface Cell {
  readonly artefact: Artefact;
  /** As it is registered, such as `POST /api/oidc/token`. */
  readonly route: string;
  /** Tells two ways to send it apart. */
  readonly how?: string;
  /** A value of this side's own. */
  readonly make: (side: Side) => Promise<string> | string;
  /** A value of the same shape that was never issued, made from one that was. */
  readonly madeUp: (genuine: string) => string;
  readonly use: (side: Side, value: string) => Promise<Answer>;
  /** Tables in which any wrong try is counted, the unknown one as well as the foreign one. */
  readonly counts?: readonly string[];
}

export const nameOf = ({ artefact, route, how }: Cell) =>
  `${artefact}: ${route}${how === undefined ? '' : `, ${how}`}`;

/** A seal, and what else is another one each time, in a text. */
const changing: readonly (readonly [RegExp, string])[] = [
  [/[\w%-]{16,}\.[\w-]{43}\.[\w-]{43}/g, '<seal>'],
  [/Refer(?:ence|anse): \w+/g, '<reference>'],
  [/<bdi>[0-9a-z]{8}<\/bdi>/g, '<reference>'],
  [/data-reference="\w+"/g, '<reference>'],
];

/** What an answer says, but for what is another in each answer. */
export function saidBy(answer: Answer, values: readonly string[]) {
  const plain = (text: string) => {
    let said = text;
    for (const [pattern, word] of changing) said = said.replace(pattern, word);
    for (const value of values.filter((one) => one !== '').toSorted((a, b) => b.length - a.length)) {
      said = said.replaceAll(value, '<value>').replaceAll(encodeURIComponent(value), '<value>');
    }
    return said;
  };
  const { status, headers, text } = answer;
  const cookies = (headers['set-cookie'] ?? []).map((line) => line.replace(/=[^;]+/, '=…'));
  return {
    status,
    text: plain(text),
    location: plain(headers.location ?? ''),
    challenge: headers['www-authenticate'],
    type: headers['content-type'],
    cookies,
  };
}

/**
 * Uses something of one tenant at the other: the answer is that to a value that was never issued, nothing
 * changes anywhere, and at home the same thing still works.
 */
export async function expectForeign(cell: Cell, home: Side, elsewhere: Side): Promise<void> {
  const { service } = home;
  const genuine = await cell.make(home);
  const madeUp = cell.madeUp(genuine);
  expect(madeUp).not.toBe(genuine);
  const except = ['auditEvents', ...(cell.counts ?? [])];
  const before = rowsAsText(await allRows(service, except));
  const foreign = await cell.use(elsewhere, genuine);
  const unknown = await cell.use(elsewhere, madeUp);
  expect(rowsAsText(await allRows(service, except))).toBe(before);
  const both = [genuine, madeUp];
  expect(saidBy(foreign, both)).toEqual(saidBy(unknown, both));
  expect(foreign.status).toBeLessThan(500);

  const unknownHere = await cell.use(home, madeUp);
  const stored = rowsAsText(await allRows(service, except));
  const own = await cell.use(home, genuine);
  const isOther = JSON.stringify(saidBy(own, both)) !== JSON.stringify(saidBy(unknownHere, both));
  const isDone = rowsAsText(await allRows(service, except)) !== stored;
  expect(isOther || isDone, 'at home it works').toBe(true);
}

/** Another value of the same length and letters, which is no longer a secret that was issued. */
export function scrambled(genuine: string): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  return genuine.replace(/[a-z]/g, (letter) => letters[(letters.indexOf(letter) + 7) % 26] ?? letter);
}

/** An unknown id. */
export const noId = () => '019a0000-0000-7000-8000-000000000000';

/** A seal whose two signatures are none. */
export function unsealed(genuine: string): string {
  const [payload = ''] = genuine.split('.');
  return `${payload}.${'A'.repeat(43)}.${'A'.repeat(43)}`;
}
