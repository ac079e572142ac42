// Remembers which refresh tokens never left: the connection was closed before the answer that had them was sent.
import type { RefreshToken } from '../../core/grants/tokens.ts';
import { lostAnswersKept } from '../../core/limits.ts';
import { createAgedMap } from './aged-map.ts';

/**
 * By sign-in, the newest of each. A restart forgets them, and another process has its own: then a token that comes back
 * is classed by its time alone. Beyond so many, the one that was noted first is forgotten.
 */
export function createLostAnswers(most = lostAnswersKept) {
  const lost = createAgedMap<number>(most);
  return {
    note: ({ signInId, generation }: RefreshToken): void => lost.set(signInId, generation),
    has: ({ signInId, generation }: RefreshToken): boolean => lost.get(signInId) === generation,
  };
}
