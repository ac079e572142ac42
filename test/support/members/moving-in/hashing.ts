import { createPasswords, type Passwords } from '../../../../src/secrets/password.ts';

/** Passwords that tell how many of them were hashed: made anew, or looked at. */
export interface HashingPasswords extends Passwords {
  /** How many have been hashed to their end so far. */
  hashed(): number;
}

/** @param passwords those of the service unless given */
export function hashingPasswords(passwords: Passwords = createPasswords()): HashingPasswords {
  let count = 0;
  const counting = async <T>(work: Promise<T>): Promise<T> => {
    const done = await work;
    count += 1;
    return done;
  };
  return {
    ...passwords,
    hash: (...of) => counting(passwords.hash(...of)),
    verify: (...of) => counting(passwords.verify(...of)),
    hashed: () => count,
  };
}
