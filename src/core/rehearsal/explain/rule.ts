// What a rule of the explanations is made of: when it holds, what it says, and where that stands.
import { areSideBySide, type WireEntry } from '../wire.ts';

/** An entry of the wire log among those of its tenant. */
export interface Seen {
  readonly entry: WireEntry;
  /** Those whose requests came before its own, in that order. */
  readonly before: readonly WireEntry[];
  /** Those that were under way at the same time. */
  readonly beside: readonly WireEntry[];
}

/** An entry as it stands in a log. */
export function seenIn(log: readonly WireEntry[], entry: WireEntry): Seen {
  return {
    entry,
    before: log.filter(({ came }) => came < entry.came).sort((one, other) => one.came - other.came),
    beside: log.filter((other) => other.id !== entry.id && areSideBySide(entry, other)),
  };
}

/** How good it is for the client: as it should be, tokens, to be watched, or the end of something. */
export type Tone = 'plain' | 'good' | 'care' | 'bad';

/** Where the rule stands. */
export interface Source {
  /** Such as `RFC 8628 §3.5`, `decision 24`, or `contract, "Refresh token"`. */
  readonly name: string;
  /** Null where it stands in a document of ours. */
  readonly href: string | null;
}

export interface Rule {
  readonly when: (seen: Seen) => boolean;
  readonly says: (seen: Seen) => string;
  readonly source: Source;
  readonly tone: Tone;
}

export const rfc = (number: number, section: string): Source => ({
  name: `RFC ${number} §${section}`,
  href: `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`,
});
export const contract = (heading: string): Source => ({
  name: ['contract', `"${heading}"`].join(', '),
  href: null,
});
export const decision = (number: number): Source => ({ name: `decision ${number}`, href: null });

/** A parameter of the request; undefined where it was not sent once. */
export function sent({ entry: { request } }: Pick<Seen, 'entry'>, name: string): string | undefined {
  const value = Object.hasOwn(request.parameters, name) ? request.parameters[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** A value of an answer of JSON. */
export function said({ entry: { answer } }: Pick<Seen, 'entry'>, name: string): unknown {
  const { body } = answer;
  return typeof body === 'object' && body !== null && Object.hasOwn(body, name)
    ? (body as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

export const statusOf = ({ entry }: Pick<Seen, 'entry'>) => entry.answer.status;
export const isGood = (seen: Pick<Seen, 'entry'>) => statusOf(seen) >= 200 && statusOf(seen) < 300;
export const refusedWith = (seen: Pick<Seen, 'entry'>, error: string) => said(seen, 'error') === error;

/** A header of the answer. */
export function answered({ entry: { answer } }: Pick<Seen, 'entry'>, header: string): string {
  const value = answer.headers[header];
  return typeof value === 'string' ? value : '';
}

/** Those of some entries that sent the same value under a name: such as the same token. */
export function same(seen: Seen, name: string, among: 'before' | 'beside'): readonly WireEntry[] {
  const own = sent(seen, name);
  if (own === undefined) return [];
  return seen[among].filter((entry) => sent({ entry }, name) === own);
}

export const sameBefore = (seen: Seen, name: string) => same(seen, name, 'before');

/** Seconds, as a sentence has them. */
export function seconds(ms: number): string {
  const rounded = Math.round(ms / 100) / 10;
  return rounded === 1 ? '1 second' : `${rounded} seconds`;
}
