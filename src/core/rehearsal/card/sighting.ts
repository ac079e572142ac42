/** An entry of the wire log as a report card has it: in short, and with no secret but marks of them. */

import { second } from '../../limits.ts';
import type { Endpoint } from '../endpoint.ts';
import { deviceGrant } from '../explain/device.ts';
import { said as saidBy, sent as sentBy } from '../explain/rule.ts';
import type { FaultKind } from '../fault.ts';
import type { WireEntry } from '../wire.ts';

/** What was seen on the wire: an entry by its number in the log, as long as it stands there. Times are ms. */
export interface Sighting {
  readonly id: number;
  readonly at: number;
  readonly answeredAt: number;
  readonly endpoint: Endpoint;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly error: string | null;
  readonly fault: FaultKind | null;
  readonly lost: boolean;
  readonly reference: string;
}

/** A sighting with its place among all that came and left. */
export interface Placed {
  readonly seen: Sighting;
  readonly came: number;
  /** When its client had the answer, or no longer waited for it: the place, and the time. */
  readonly over: { readonly place: number; readonly at: number };
}

export function placed(entry: WireEntry): Placed {
  const { id, came, at, answeredAt, endpoint, request, answer, refusal, fault, lost, reference, hungUp } =
    entry;
  const { method, path } = request;
  const error = refusal?.error ?? null;
  const seen = {
    id,
    at,
    answeredAt,
    endpoint,
    method,
    path,
    status: answer.status,
    error,
    fault,
    lost,
    reference,
  };
  return {
    seen,
    came,
    over: hungUp === null ? { place: id, at: answeredAt } : { place: hungUp.came, at: hungUp.at },
  };
}

/** Whether of two requests each came before the client was done with the other. */
export const overlap = (one: Placed, other: Placed): boolean =>
  one.came < other.over.place && other.came < one.over.place;

/** A parameter of a request; undefined where it was not sent once. */
export const sent = (entry: WireEntry, name: string): string | undefined => sentBy({ entry }, name);

/** A value of an answer of JSON. */
export const said = (entry: WireEntry, name: string): unknown => saidBy({ entry }, name);

/** The same where it is a text. */
export function saidText(entry: WireEntry, name: string): string | undefined {
  const value = said(entry, name);
  return typeof value === 'string' ? value : undefined;
}

/** Whether a client could read an answer, and it is none that tells of passing trouble (contract, "POST /api/oidc/token"). */
export function isTrouble({ answer: { status, headers }, lost }: WireEntry): boolean {
  if (lost || status === 429 || status >= 500) return true;
  const type = headers['content-type'];
  return typeof type !== 'string' || !/^application\/(?:[\w.-]+\+)?json\b/i.test(type);
}

export const isGood = (entry: WireEntry): boolean =>
  !entry.lost && entry.answer.status >= 200 && entry.answer.status < 300;

/** After how long a client may come again (ms); 0 where that was not said (RFC 9110 §10.2.3). */
export function retryAfter({ answer: { headers }, lost }: WireEntry): number {
  const value = headers['retry-after'];
  return !lost && typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) * second : 0;
}

/** What a request to the token endpoint brings: the code or the token of its grant, by its mark. */
export function granted(
  entry: WireEntry,
): { readonly grant: 'code' | 'device' | 'refresh'; readonly mark: string } | null {
  if (entry.endpoint !== 'token' || entry.request.method !== 'POST') return null;
  const found = {
    authorization_code: ['code', sent(entry, 'code')],
    refresh_token: ['refresh', sent(entry, 'refresh_token')],
    [deviceGrant]: ['device', sent(entry, 'device_code')],
  } as const;
  const type = sent(entry, 'grant_type') ?? '';
  const [grant, mark] = Object.hasOwn(found, type) ? found[type as keyof typeof found] : [null, undefined];
  return grant === null || mark === undefined ? null : { grant, mark };
}

/** A map with one more entry, or one of them set anew: the newest then. Beyond so many the oldest goes. */
export function remembered<V>(
  map: ReadonlyMap<string, V>,
  key: string,
  value: V,
  most: number,
): ReadonlyMap<string, V> {
  const entries = [...map].filter(([known]) => known !== key);
  return new Map([...entries, [key, value] as const].slice(-most));
}
