// Guesses which word was meant by a misspelt one.

/** How many letters a word may be off and still be taken for a misspelt one. */
const mostOff = 3;

/** Longer words, and more of them, are not guessed at: comparing takes long, and any caller can send words. */
const longest = 64;
const mostKnown = 200;

/** The known word that a misspelt one most likely means, or null if none is near. */
export function closestWord<Word extends string>(misspelt: string, known: readonly Word[]): Word | null {
  if (misspelt.length > longest || known.length > mostKnown) return null;
  const [best] = known
    .filter((word) => Math.abs(word.length - misspelt.length) <= mostOff)
    .map((word) => ({ word, distance: editDistance(misspelt, word) }))
    .sort((a, b) => a.distance - b.distance);
  // Every other short word is near a short word.
  return best !== undefined && best.distance <= Math.min(mostOff, misspelt.length / 2) ? best.word : null;
}

/** Levenshtein's distance: how many letters to change, add or drop. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries()) {
      next.push(
        Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)),
      );
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
