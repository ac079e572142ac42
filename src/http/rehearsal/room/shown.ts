// Entries of the wire log as the room's pages show them: in lines, with what each means.
import { type Explanation, explain } from '../../../core/rehearsal/explain/explain.ts';
import { wireShown } from '../../../core/rehearsal/limits.ts';
import { shortened, type WireValues } from '../../../core/rehearsal/masking.ts';
import type { WireEntry } from '../../../core/rehearsal/wire.ts';
import { whyUrl } from '../why/deeds.ts';

export interface ShownEntry extends Explanation {
  readonly id: number;
  readonly time: string;
  /** A page takes one line: what was on it is its member's. */
  readonly isPage: boolean;
  readonly client: string | null;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
  readonly status: number;
  /** Of JSON its names and values; what else there is to say of an answer stands in `answer`. */
  readonly values: readonly (readonly [name: string, value: string])[];
  readonly isCut: boolean;
  readonly answer: string;
  readonly lost: boolean;
  readonly reference: string;
  /** The page that says how to mend it; null where nothing was refused, or that is no fault of the client. */
  readonly why: string | null;
  /** Further facts, for a reader who asks for more; labels are keys. */
  readonly more: readonly { readonly label: string; readonly text: string }[];
}

/** The time of a moment (ms), on the clock of this machine, at which the developer sits. */
export function timeOf(at: number): string {
  return new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' }).format(at);
}

/** A page of a log. */
export interface ShownLog {
  readonly log: readonly ShownEntry[];
  /** The number of the entry behind those of the page of older ones; null where there are none. */
  readonly older: number | null;
}

/**
 * What is shown of a log.
 *
 * @param client the client whose entries are shown; null for all
 * @param before the number of the entry behind the page; null for the newest
 */
export function shownLog(
  entries: readonly WireEntry[],
  client: string | null,
  before: number | null,
): ShownLog {
  const chosen = entries.filter((entry) => isOf(entry, client) && (before === null || entry.id < before));
  const page = chosen.slice(-wireShown.entries);
  return {
    log: page.map((entry) => shownEntry(entry, entries)),
    older: page.length < chosen.length ? (page[0]?.id ?? null) : null,
  };
}

/** Pages have no client, and stand between what clients ask. */
const isOf = ({ client, endpoint }: WireEntry, chosen: string | null) =>
  chosen === null || client === chosen || endpoint === 'page';

export function shownEntry(entry: WireEntry, log: readonly WireEntry[]): ShownEntry {
  const { request, answer } = entry;
  return {
    ...explain(entry, log),
    id: entry.id,
    time: timeOf(entry.at),
    isPage: entry.endpoint === 'page',
    client: entry.client,
    method: request.method,
    path: request.path,
    parameters: Object.entries(request.parameters).map(([name, value]) => [name, shortValue(name, value)]),
    status: answer.status,
    ...answerOf(entry),
    lost: entry.lost,
    reference: entry.reference,
    why: entry.refusal === null || isToWait(entry) ? null : whyUrl(entry.reference),
    more: moreOf(entry),
  };
}

/** A TV that is to wait has done nothing wrong. */
const isToWait = ({ refusal }: WireEntry) => refusal?.error === 'authorization_pending';

/** The grant of a TV has a long name that all know by its end. */
function shortValue(name: string, value: string | readonly string[]): string {
  const text = [value].flat().join(' ');
  return name === 'grant_type' ? text.replace(/^urn:.*:/, '…') : text;
}

/** An answer in a line or three: the whole of a longer one stands under "More". */
function answerOf({ answer, lost }: WireEntry): Pick<ShownEntry, 'values' | 'isCut' | 'answer'> {
  const { body, headers } = answer;
  const nothing = { values: [], isCut: false, answer: '' };
  if (lost) return nothing;
  if (typeof body === 'string') return { ...nothing, answer: shortened(body, wireShown.answer) };
  if (typeof body !== 'object' || body === null) {
    const { location } = headers;
    return { ...nothing, answer: location === undefined ? typeOf(headers) : `→ ${location}` };
  }
  let left = wireShown.answer;
  const all = Object.entries(body).map(([name, value]) => [name, JSON.stringify(value)] as const);
  const fitting = all.filter(([name, value]) => {
    left -= name.length + value.length + 4;
    return left > 0;
  });
  return { ...nothing, values: fitting, isCut: fitting.length < all.length };
}

/** An answer that a line does not hold. */
function wholeAnswer({ body }: WireEntry['answer']): string {
  if (typeof body === 'string') return body.length > wireShown.answer ? body : '';
  return body === null || JSON.stringify(body).length <= wireShown.answer
    ? ''
    : JSON.stringify(body, null, 2);
}

const typeOf = (headers: WireValues) => String(headers['content-type'] ?? '').replace(/;.*$/, '');

function moreOf({ request, answer, refusal, took, reference }: WireEntry): ShownEntry['more'] {
  const all = [
    { label: 'because', text: refusal?.because ?? '' },
    { label: 'answer', text: wholeAnswer(answer) },
    { label: 'sentHeaders', text: linesOf(request.headers) },
    { label: 'answeredHeaders', text: linesOf(answer.headers) },
    ...Object.entries(answer.claims).map(([name, claims]) => ({
      label: name,
      text: typeof claims === 'string' ? claims : JSON.stringify(claims, null, 2),
    })),
    { label: 'reference', text: `${reference} · ${took} ms` },
  ];
  return all.filter(({ text }) => text !== '');
}

const linesOf = (values: WireValues) =>
  Object.entries(values)
    .map(([name, value]) => `${name}: ${[value].flat().join(', ')}`)
    .join('\n');
