import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { machines, statesDocument, stateTable } from '../../../tools/state-tables.ts';
import { newStore } from '../../support/records/store.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** The lines of the table in the comment at the head of a file. */
function tableAtHead(path: string): readonly string[] {
  const [comment = ''] = read(path).split('*/');
  return comment.split('\n').flatMap((line) => (line.startsWith(' * |') ? [line.slice(3)] : []));
}

describe('docs/states.md', () => {
  it('says what the machines say (if not: npm run docs)', () => {
    expect(read('docs/states.md')).toBe(statesDocument());
  });
});

describe.each(machines.map((documented) => ({ name: documented.machine.id, ...documented })))(
  'the machine of the $name',
  ({ machine, file }) => {
    it('stands in words at the head of its file', () => {
      expect(tableAtHead(file)).toEqual(stateTable(machine));
    });

    it('lists every event in every state', () => {
      for (const [state, node] of Object.entries(machine.states)) {
        expect([state, ...[...node.ownEvents].sort()]).toEqual([state, ...[...machine.events].sort()]);
      }
    });

    it('ends each list of conditions with what happens otherwise', () => {
      for (const [state, node] of Object.entries(machine.states)) {
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
      /\bstate text not null check \(state in \(([^)]*)\)\)/.exec(rows[0]?.sql ?? '') ?? [];
    expect(list.split(', ').sort()).toEqual(
      Object.keys(machine.states)
        .map((state) => `'${state}'`)
        .sort(),
    );
  });
});
