// What is measured on PostgreSQL.
import { type Duties, type Line, lineOf } from '../figures.ts';
import { type Bench, measureRow, type SideStart } from '../measure.ts';
import { postgresTargets, type Row } from '../rows.ts';
import type { Task } from '../task.ts';
import type { BenchDatabase } from './database.ts';
import { peerOnPostgres, serviceOnPostgres } from './sides.ts';

const duties = { target: null, againstPeer: false, againstLimit: false };

/** Codes for each second of polls: a poll takes longer than on SQLite. */
const fewer = { service: 8_000, peer: 4_000 };

export function postgresTasks(database: BenchDatabase, rows: readonly Row[]): readonly Task[] {
  const measured = rows
    .filter(({ name }) => name in postgresTargets.peer)
    .map((row) => (row.items.eachSecond ? { ...row, items: { ...row.items, ...fewer } } : row));
  const [refresh] = measured;
  if (refresh === undefined) throw new Error('there is no row of a refresh');
  return [
    ...measured.map((row) => peerTask(database, row)),
    secondProcessTask(database, refresh),
    distanceTask(database, refresh),
  ];
}

function peerTask(database: BenchDatabase, row: Row): Task {
  const name = `${row.name}, PostgreSQL`;
  const target = postgresTargets.peer[row.name] ?? null;
  const sides = [serviceOnPostgres(database, row), peerOnPostgres(database, row)] as const;
  return taskOf(name, row, sides, { ...duties, target });
}

function secondProcessTask(database: BenchDatabase, row: Row): Task {
  const name = `${row.name}, PostgreSQL, two processes (other: one)`;
  const sides = [
    serviceOnPostgres(database, row, { processes: 2 }),
    serviceOnPostgres(database, row),
  ] as const;
  return taskOf(name, row, sides, { ...duties, mostOfOther: postgresTargets.secondProcess });
}

function distanceTask(database: BenchDatabase, row: Row): Task {
  const { milliseconds, ratio: target } = postgresTargets.away;
  const name = `${row.name}, PostgreSQL ${milliseconds} ms away (other: 0 ms, by the same relay)`;
  const side = (away: number) => serviceOnPostgres(database, row, { away });
  return taskOf(name, row, [side(milliseconds), side(0)], { ...duties, target });
}

function taskOf(name: string, row: Row, [ours, other]: readonly [SideStart, SideStart], held: Duties): Task {
  const measure = async (bench: Bench): Promise<Line> =>
    lineOf(row, await measureRow(bench, 'postgres', ours, other), held, name);
  return { name, measure };
}
