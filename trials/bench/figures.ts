import type { Calibration } from './machine/machine.ts';
import type { DatabaseCost, Measured, MeasuredRow, SideRound } from './measure.ts';
import { mostOfLimit, mostOfPeer, type Row, steadiness } from './rows.ts';

/** The middle of some figures, with the least and the greatest. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** What one side did, in figures. Times in ms, processor time in µs an operation, memory in MB. */
export interface SideFigures {
  readonly rate: Spread;
  readonly p50: number;
  readonly p99: number;
  readonly processor: number;
  readonly memory: number;
  /** What an operation cost a database in processes of its own: µs, and bytes of write-ahead log. */
  readonly database: DatabaseCost | null;
  /** Operations a second that the generator could do at this row, by its own processor time. */
  readonly generatorRate: number;
}

/** How many times the other side one side is. */
export interface Ratio {
  readonly median: number;
  /** Its standard error: by how much it may be wrong. */
  readonly error: number;
}

/** A line of the table. */
export interface Line {
  readonly name: string;
  /** null where something was answered wrongly: there are no figures then. */
  readonly ours: SideFigures | null;
  readonly other: SideFigures | null;
  readonly ratio: Ratio | null;
  /** The least ratio; null where none was set. */
  readonly target: number | null;
  /** µs of processor time that the operation cannot cost less than, measured in the same run. */
  readonly limit: number;
  readonly calibration: Calibration;
  /** By what part the machine moved between the rounds. */
  readonly moved: number;
  readonly verdict: string;
  readonly notes: readonly string[];
}

function spread(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle =
    (sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0);
  return { median: middle / 2, least: sorted[0] ?? 0, most: sorted.at(-1) ?? 0 };
}

const median = (figures: readonly number[]) => spread(figures).median;

/** @returns null if anything was answered wrongly, or nothing at all */
export function figuresOf({ rounds, memory }: Measured): SideFigures | null {
  if (rounds.some(({ wrong, operations }) => wrong > 0 || operations === 0)) return null;
  const of = (figure: (round: Measured['rounds'][number]) => number) => rounds.map(figure);
  return {
    rate: spread(of(rateIn)),
    p50: median(of(({ p50 }) => p50)),
    p99: median(of(({ p99 }) => p99)),
    processor: median(of(processorIn)),
    memory,
    database: rounds.some(({ database }) => database === null)
      ? null
      : {
          processor: median(
            of(({ database, operations }) => ((database?.processor ?? 0) * 1_000) / operations),
          ),
          wal: median(of(({ database, operations }) => (database?.wal ?? 0) / operations)),
        },
    generatorRate: median(of(({ operations, ownMilliseconds }) => (operations * 1_000) / ownMilliseconds)),
  };
}

/** By what part the machine moved between calibrations: the greatest of signatures, commits and HTTP. */
export function movement(calibrations: readonly Calibration[]): number {
  const moved = (figure: (calibration: Calibration) => number) => {
    const { least, most } = spread(calibrations.map(figure));
    return least === 0 ? Number.POSITIVE_INFINITY : most / least - 1;
  };
  return Math.max(
    moved(({ rsa }) => rsa),
    moved(({ es256 }) => es256),
    moved(({ commit }) => commit),
    moved(({ httpRate }) => httpRate),
  );
}

export function medianCalibration(calibrations: readonly Calibration[]): Calibration {
  const of = (figure: keyof Calibration) => median(calibrations.map((calibration) => calibration[figure]));
  return {
    rsa: of('rsa'),
    es256: of('es256'),
    commit: of('commit'),
    grouped: of('grouped'),
    httpRate: of('httpRate'),
    get: of('get'),
    post: of('post'),
    generatorRate: of('generatorRate'),
  };
}

/** Operations a second. */
export const rateIn = ({ operations, milliseconds }: SideRound) => (operations * 1_000) / milliseconds;

/** µs of processor time that an operation took. */
export const processorIn = ({ processor, operations }: SideRound) => (processor * 1_000) / operations;

/** Holds each round against the one that was played beside it. */
export function ratioOf(
  { ours, other }: Pick<MeasuredRow, 'ours' | 'other'>,
  figure: (round: SideRound) => number,
): Ratio {
  const ratios = ours.rounds
    .map((round, at) => figure(round) / figure(other.rounds[at] as SideRound))
    .toSorted((a, b) => a - b);
  const part = (of: number) => ratios[Math.round((ratios.length - 1) * of)] ?? Number.NaN;
  // The standard error of a median, by the quartiles of what it is the median of.
  return { median: part(0.5), error: (0.93 * (part(0.75) - part(0.25))) / Math.sqrt(ratios.length) };
}

/** What holds of a line beside its ratio. */
export interface Duties {
  readonly target: number | null;
  /** Whether p99 and memory are held against the peer's. */
  readonly againstPeer: boolean;
  /** Whether processor time is held against the limit. */
  readonly againstLimit: boolean;
  /** At most so many times the other side's processor time, that of the databases included. */
  readonly mostOfOther?: number;
}

export function lineOf(row: Row, measured: MeasuredRow, duties: Duties, name = row.name): Line {
  const calibration = medianCalibration(measured.calibrations);
  const [ours, other] = [figuresOf(measured.ours), figuresOf(measured.other)];
  const moved = movement(measured.calibrations);
  const limit = row.limit(calibration);
  const ratio = ours === null || other === null ? null : ratioOf(measured, rateIn);
  const line = { name, ours, other, ratio, target: duties.target, limit, calibration, moved };
  return { ...line, verdict: verdictOf(line, duties), notes: notesOf(line, measured) };
}

/** "reached", or what was missed; nothing where the machine was not steady, or an answer was wrong. */
function verdictOf(
  { ours, other, ratio, limit, moved }: Pick<Line, 'ours' | 'other' | 'ratio' | 'limit' | 'moved'>,
  { target, againstPeer, againstLimit, mostOfOther }: Duties,
): string {
  if (ours === null || other === null || ratio === null) return 'WRONG ANSWERS';
  if (moved > steadiness) return 'NOISY';
  const missed = [
    ...(target !== null && ratio.median < target ? ['ratio'] : []),
    ...(againstPeer && ours.p99 > other.p99 * mostOfPeer.p99 ? ['p99'] : []),
    ...(againstPeer && ours.memory > other.memory * mostOfPeer.memory ? ['memory'] : []),
    ...(mostOfOther !== undefined && wholeOf(ours) > wholeOf(other) * mostOfOther ? ['processor'] : []),
    ...(againstLimit && ours.processor > limit * mostOfLimit ? ['processor'] : []),
  ];
  if (missed.length === 0 && target === null && mostOfOther === undefined) return '';
  return missed.length === 0 ? 'reached' : `missed: ${missed.join(', ')}`;
}

/** µs of processor time that an operation costs in all. */
const wholeOf = ({ processor, database }: SideFigures) => processor + (database?.processor ?? 0);

/** A generator that is busy so much of the time is what the row measures. */
const busyGenerator = 0.9;

function notesOf(
  { name, ours, other }: Pick<Line, 'name' | 'ours' | 'other'>,
  measured: MeasuredRow,
): string[] {
  const notes: string[] = [];
  for (const side of ['ours', 'other'] as const) {
    const who = side === 'ours' ? 'Memberdoor' : 'the other side';
    const wrong = measured[side].rounds.find((round) => round.wrong > 0);
    if (wrong !== undefined)
      notes.push(`${name}: ${wrong.wrong} wrong answers of ${who}, the first: ${wrong.firstWrong}`);
    if (measured[side].rounds.some(({ operations }) => operations === 0))
      notes.push(`${name}: nothing was asked of ${who}`);
  }
  for (const [who, figures] of [
    ['Memberdoor', ours],
    ['the other side', other],
  ] as const) {
    if (figures !== null && figures.rate.median > figures.generatorRate * busyGenerator) {
      notes.push(
        `${name}: the generator is the limit of ${who} (it can do ${Math.round(figures.generatorRate)}/s)`,
      );
    }
  }
  return notes;
}
