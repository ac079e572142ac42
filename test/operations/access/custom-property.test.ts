import { describe, expect, it } from 'vitest';
import { defineCustomProperty } from '../../../src/operations/access/subscription.ts';
import { listCustomProperties } from '../../../src/storage/access/subscription.ts';
import { problemsOf } from '../../support/expected/refusals.ts';
import { storeWithMember } from '../../support/records/store.ts';

const seats = { key: 'seats', type: 'number' } as const;

describe('a custom property', () => {
  it('is defined for its tenant alone, and again without a change', async () => {
    const store = await storeWithMember();
    await store.transaction(async (tx) => {
      await defineCustomProperty(tx, 'tenant-a', seats);
      await defineCustomProperty(tx, 'tenant-a', seats);
      await defineCustomProperty(tx, 'tenant-b', { key: 'seats', type: 'string' });
    });
    const found = await store.transaction(async (tx) => [
      await listCustomProperties(tx, 'tenant-a'),
      await listCustomProperties(tx, 'tenant-b'),
    ]);
    expect(found).toEqual([[seats], [{ key: 'seats', type: 'string' }]]);
  });

  it('keeps its type: values of it may be stored', async () => {
    const store = await storeWithMember();
    await store.transaction((tx) => defineCustomProperty(tx, 'tenant-a', seats));
    const problems = await problemsOf(store, (tx) =>
      defineCustomProperty(tx, 'tenant-a', { key: 'seats', type: 'timestamp' }),
    );
    expect(problems).toEqual(['the property seats is a number already']);
  });

  it('has a key that no object has by birth', async () => {
    const store = await storeWithMember();
    for (const key of ['__proto__', 'constructor', 'toString', '', 'two words']) {
      const problems = await problemsOf(store, (tx) =>
        defineCustomProperty(tx, 'tenant-a', { key, type: 'string' }),
      );
      expect([key, ...problems]).toEqual([
        key,
        'a key begins with a letter and has letters, digits, _ and -',
      ]);
    }
  });
});
