import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { transitionsOf } from '../../../src/core/rehearsal/chart/graph.ts';
import { machines, stateCharts, statesDocument } from '../../../tools/state-tables.ts';
import { newStore } from '../../support/records/store.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

describe('docs/states.md', () => {
  it('says what the machines say (if not: npm run docs)', () => {
    expect(read('docs/states.md')).toBe(statesDocument());
  });

  it.each(stateCharts())(
    'shows the chart $file as the machine draws it (if not: npm run docs)',
    ({ file, svg }) => {
      expect(read(`docs/images/states/${file}`)).toBe(svg);
    },
  );
});

describe.each(machines.map((documented) => ({ name: documented.machine.id, ...documented })))(
  'the machine of the $name',
  ({ machine }) => {
    it('does what its table says, line by line', () => {
      const table = machine.lines.flatMap(([states, events, condition, next, outcome]) =>
        [states].flat().flatMap((state) =>
          [events].flat().map((event) => ({
            state,
            event,
            condition,
            next: next === '–' ? state : next,
            outcome,
          })),
        ),
      );
      const inOrder = (lines: typeof table) =>
        Object.groupBy(lines, ({ state, event }) => `${state} ${event}`);
      expect(inOrder([...transitionsOf(machine)])).toEqual(inOrder(table));
    });

    it('lists every event in every state', () => {
      for (const [state, { events }] of machine.states) {
        expect([state, ...[...events].sort()]).toEqual([state, ...[...machine.logic.events].sort()]);
      }
    });

    it('ends each list of conditions with what happens otherwise', () => {
      for (const [state, node] of Object.entries(machine.logic.states)) {
        for (const [event, transitions] of node.transitions) {
          expect([state, event, transitions.findIndex(({ guard }) => guard === undefined)]).toEqual([
            state,
            event,
            transitions.length - 1,
          ]);
        }
      }
    });
  },
);

const stored = machines.flatMap(({ machine, table }) => (table === null ? [] : [{ machine, table }]));

describe.each(stored)('the table $table', ({ machine, table }) => {
  it('accepts exactly the states of its machine', async () => {
    const store = await newStore();
    const { rows } = await store.transaction((tx) =>
      sql<{ sql: string }>`select sql from sqlite_master where name = ${table}`.execute(tx),
    );
    const [, list = ''] =
      /\bstate"? text not null check \(state in \(([^)]*)\)\)/.exec(rows[0]?.sql ?? '') ?? [];
    expect(list.split(', ').sort()).toEqual([...machine.states.keys()].map((state) => `'${state}'`).sort());
  });
});
