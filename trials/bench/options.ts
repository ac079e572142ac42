import { parseArgs } from 'node:util';
import type { Pace } from './measure.ts';

/** What the bench was asked for. */
export interface Options {
  /** Only the rows whose name begins so; all where nothing is said. */
  readonly only: string | null;
  readonly quick: boolean;
  readonly twoCores: boolean;
  /** Whether both sides have their data in PostgreSQL. */
  readonly postgres: boolean;
  /** µs that each fsync takes longer. */
  readonly slowDisk: number | null;
  /** How many refresh tokens are stored. */
  readonly rows: number | null;
  readonly json: string | null;
}

const usage = `npm run bench -- [options]
  --only NAME         only the rows whose name begins with NAME, such as "refresh" or "refresh, ES256"
  --quick             about a minute: short rounds
  --two-cores         the server gets two cores
  --postgres          the rows of PostgreSQL, where both sides have their data: with one process, two, and a
                      database 1 ms away
  --slow-disk MICROS  also a refresh while each fsync takes so many microseconds longer, such as 4000
  --rows COUNT        also a refresh with so many refresh tokens stored, such as 1000000
  --json FILE         writes the figures to a file too`;

/** @throws Error that says how it is used */
export function readOptions(words: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        only: { type: 'string' },
        quick: { type: 'boolean', default: false },
        'two-cores': { type: 'boolean', default: false },
        postgres: { type: 'boolean', default: false },
        'slow-disk': { type: 'string' },
        rows: { type: 'string' },
        json: { type: 'string' },
      },
    });
    return {
      only: values.only ?? null,
      quick: values.quick,
      twoCores: values['two-cores'],
      postgres: values.postgres,
      slowDisk: count(values['slow-disk']),
      rows: count(values.rows),
      json: values.json ?? null,
    };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${usage}`);
  }
}

function count(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`${text} is not a whole number from 1.`);
  return Number(text);
}

// Both sides are compiled by then: after two seconds a seventh of the time still went into that.
const whole: Pace = {
  rounds: 3,
  round: 4_000,
  parts: 5,
  warmUp: 6_000,
  calibration: 500,
  connections: 64,
  share: 1,
};
const short: Pace = {
  rounds: 3,
  round: 700,
  parts: 1,
  warmUp: 700,
  calibration: 150,
  connections: 64,
  share: 0.2,
};

export const paceOf = ({ quick }: Options): Pace => (quick ? short : whole);
