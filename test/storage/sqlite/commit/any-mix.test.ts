import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Refusal, refusal } from '../../../../src/core/decision.ts';
import type { Store, Tx } from '../../../../src/storage/store.ts';
import { storeWithMember } from '../../../support/records/store.ts';

/** The word of these tests: the name of tenant a, to which each piece of work adds a letter. */
async function write(tx: Tx, letter: string): Promise<void> {
  await tx
    .updateTable('tenants')
    .set({ name: sql`name || ${letter}` })
    .where('id', '=', 'tenant-a')
    .execute();
}

const readWord = async (tx: Tx) =>
  (await tx.selectFrom('tenants').select('name').where('id', '=', 'tenant-a').executeTakeFirstOrThrow()).name;

const wordOf = (store: Store) => store.transaction(readWord);

describe('any mix of pieces', () => {
  /**
   * Writes its letter; then answers, refuses (a value, so the letter stays) or throws (so it goes). Or it only reads,
   * or throws before it writes.
   */
  const piece = fc.record({
    letter: fc.constantFrom(...'bcdefgh'),
    ending: fc.constantFrom('answers', 'refuses', 'throws', 'reads', 'throws first'),
  });

  it('leaves what running them one by one would leave, and answers the same', async () => {
    const store = await storeWithMember();
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 80 }), async (pieces) => {
        await store.transaction((tx) =>
          tx.updateTable('tenants').set({ name: '' }).where('id', '=', 'tenant-a').execute(),
        );
        const work = pieces.map(({ letter, ending }) =>
          store.transaction(async (tx): Promise<string | Refusal> => {
            if (ending === 'reads') return readWord(tx);
            if (ending === 'throws first') throw new Error(letter);
            await write(tx, letter);
            if (ending === 'throws') throw new Error(letter);
            return ending === 'refuses' ? refusal('invalid_grant', letter) : readWord(tx);
          }),
        );
        const results = await Promise.allSettled(work);

        let word = '';
        // On a slow disk who only reads is answered from what is on it already: an earlier word (security, F13).
        const words = [word];
        for (const [index, { letter, ending }] of pieces.entries()) {
          if (ending === 'answers' || ending === 'refuses') {
            word += letter;
            words.push(word);
          }
          expect(results[index]).toMatchObject(
            {
              answers: { value: word },
              refuses: { value: { kind: 'refusal', description: letter } },
              throws: { reason: { message: letter } },
              reads: { value: expect.toBeOneOf(words) },
              'throws first': { reason: { message: letter } },
            }[ending],
          );
        }
        expect(await wordOf(store)).toBe(word);
      }),
      { numRuns: 100 },
    );
  });
});
