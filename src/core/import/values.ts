/** Reads the values of a line, which every system writes in its own way. */
import { type Path, type Problem, type ProblemCode, problem } from '../problem.ts';
import type { FileRecord, ImportedMember, ReadEntry } from './entry.ts';

/** Reads the values of one record, and gathers what is wrong with them. */
export interface ValueReader {
  /** A text without white space around it; undefined where there is none. */
  text(value: unknown, path: Path): string | undefined;
  flag(value: unknown, path: Path): boolean | undefined;
  /** ms */
  time(value: unknown, path: Path): number | undefined;
  number(value: unknown, path: Path): number | undefined;
  list(value: unknown, path: Path): readonly unknown[];
  tell(found: Problem): void;
  /** What came of it. @param member is made only where nothing is wrong */
  done(member: () => ImportedMember): ReadEntry;
}

const isNothing = (value: unknown) => value === undefined || value === null || value === '';

export function valueReader(): ValueReader {
  const problems: Problem[] = [];
  const wrong = (path: Path, code: Extract<ProblemCode, 'not_yes_or_no' | 'not_a_date'>): undefined => {
    problems.push(problem(path, code));
  };
  const wrongType = (path: Path, types: string): undefined => {
    problems.push(problem(path, 'wrong_type', { types }));
  };
  return {
    text(value, path) {
      if (isNothing(value)) return undefined;
      if (typeof value !== 'string' && typeof value !== 'number') return wrongType(path, 'string');
      return String(value).trim() || undefined;
    },
    flag(value, path) {
      if (isNothing(value)) return undefined;
      const found = flags[String(value).trim().toLowerCase()];
      return found ?? wrong(path, 'not_yes_or_no');
    },
    time(value, path) {
      if (isNothing(value)) return undefined;
      return timeOf(value) ?? wrong(path, 'not_a_date');
    },
    number(value, path) {
      if (isNothing(value)) return undefined;
      const found = typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value;
      return typeof found === 'number' && Number.isFinite(found) ? found : wrongType(path, 'number');
    },
    list(value, path) {
      if (isNothing(value)) return [];
      if (Array.isArray(value)) return value;
      wrongType(path, 'array');
      return [];
    },
    tell: (found) => problems.push(found),
    done: (member) => (problems.length > 0 ? { ok: false, problems } : { ok: true, member: member() }),
  };
}

/** What says yes and what says no, in tables of the north too. */
const flags: Readonly<Record<string, boolean>> = Object.assign(Object.create(null), {
  ...Object.fromEntries(['true', '1', 'yes', 'y', 'ja', 't'].map((word) => [word, true])),
  ...Object.fromEntries(['false', '0', 'no', 'n', 'nei', 'nein', 'nej', 'f'].map((word) => [word, false])),
});

/** A clock of 2001 to 2286 counts so many seconds since the epoch; a larger number counts ms. */
const leastMs = 10_000_000_000;

/**
 * A time in one of the ways that systems write it: ISO 8601, a date alone, without a zone (taken for UTC), or a number
 * since the epoch in seconds or ms.
 */
function timeOf(value: unknown): number | null {
  if (typeof value === 'object' && value !== null && '$date' in value) return timeOf(value.$date);
  const text = String(value).trim();
  if (/^\d{9,14}$/.test(text)) return Number(text) < leastMs ? Number(text) * 1_000 : Number(text);
  const found =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?: ?(Z|UTC|[+-]\d\d:?\d\d))?)?$/.exec(text);
  if (found === null) return null;
  const [, day, clock = '00:00', zone = 'Z'] = found;
  const time = Date.parse(`${day}T${clock}${zone === 'UTC' ? 'Z' : zone}`);
  // A day that is in no calendar is parsed as another one, or not at all.
  const midnight = Date.parse(`${day}T00:00Z`);
  const isReal = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(String(day));
  return Number.isNaN(time) || !isReal ? null : time;
}

/** What stands in an object under a name, if it has one of its own. */
export function partOf(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (found, name) =>
      typeof found === 'object' && found !== null && Object.hasOwn(found, name)
        ? (found as FileRecord)[name]
        : undefined,
    value,
  );
}

/** A name from its two parts. */
export const nameOf = (first?: string, last?: string): string | undefined =>
  [first, last].filter(Boolean).join(' ') || undefined;

/** A picture of another system, where it has an address that pages may show. */
export const httpsOnly = (address: string | undefined): string | undefined =>
  address?.startsWith('https://') ? address : undefined;

/** Nothing comes with most members. */
export const withoutBesides = { subscriptions: [], consents: [], accounts: [] } as const;
