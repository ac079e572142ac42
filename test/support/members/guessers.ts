import type { Passwords } from '../../../src/secrets/password.ts';
import { createPasswords } from '../../../src/secrets/password.ts';
import { type Answer, httpClient } from '../http.ts';
import type { TestService } from '../service.ts';

/** Passwords that tell how many of their hashes were computed to judge a guess. */
export interface CountingPasswords extends Passwords {
  /** How many guesses were looked at since the last time it was asked. */
  looked(): number;
}

/** Those that the service makes, with room for every guess of a test at once. */
export function countingPasswords(): CountingPasswords {
  const passwords = createPasswords(undefined, 1_000);
  let count = 0;
  return {
    ...passwords,
    verify: (password, phc, share, judging = {}) => {
      count += 1;
      const mayBegin = async () => {
        const isLookedAt = (await judging.mayBegin?.()) ?? true;
        if (!isLookedAt) count -= 1;
        return isLookedAt;
      };
      return passwords.verify(password, phc, share, { ...judging, mayBegin });
    },
    looked: () => {
      const looked = count;
      count = 0;
      return looked;
    },
  };
}

/** The address of one of many homes. */
export const homeOf = (index: number) => `198.51.${100 + Math.floor(index / 250)}.${(index % 250) + 1}`;

/** One secret that is guessed at. */
export interface Guessing {
  /** How many are looked at. */
  readonly allowed: number;
  /** One guess; the right one, or one of many that are wrong. */
  guess(send: Send, index: number, isRight: boolean): Promise<Answer>;
  /** Whether an answer tells that the guess was looked at and was wrong. */
  isWrong(answer: Answer): boolean;
}

/** Sends a request over one of as many connections as there are guesses. */
export type Send = TestService['http'];

/** What a flood of guesses was answered. */
export interface Flood {
  readonly wrong: readonly Answer[];
  readonly right: Answer;
}

/**
 * Sends 199 wrong guesses at once, and while they are under way the right one: when as many were answered as are
 * looked at, and one more, so that it is surely not among those that were allowed.
 */
export async function flood({ port }: TestService, { allowed, guess }: Guessing): Promise<Flood> {
  const http = httpClient(port, 200);
  try {
    // Every connection stands before the first guess leaves, so that all of them arrive together.
    await Promise.all(Array.from({ length: 200 }, () => http('unknown.test', '/livez')));
    const sent = Array.from({ length: 199 }, (_, index) => guess(http, index, false));
    await new Promise<void>((resolve, reject) => {
      let answered = 0;
      for (const one of sent) {
        one.then(() => {
          answered += 1;
          if (answered > allowed) resolve();
        }, reject);
      }
    });
    const right = await guess(http, 199, true);
    return { right, wrong: await Promise.all(sent) };
  } finally {
    http.close();
  }
}
