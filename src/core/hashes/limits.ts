/** The numbers of password hashes that other systems made: each once, with its source. Those of our own are in `core/limits.ts`. */

/**
 * So much of each kind costs as much processor time as one of our own hashes, measured on a machine of 2026 with Node 24:
 * N times r of scrypt, iterations, 2 to the cost of bcrypt in JavaScript, rounds.
 */
export const hashCosts = {
  scrypt: 80_000,
  sha1: 200_000,
  sha256: 200_000,
  sha512: 66_000,
  bcrypt: 364,
  'sha256-crypt': 25_000,
  'sha512-crypt': 17_000,
  phpass: 23_000,
} as const;

/**
 * What a sign-in at a tenant may cost, in hashes of ours, through all old hashes together. Twelve let bcrypt in at cost 12
 * and PBKDF2 at a million iterations; 32, which an operator must ask for, argon2i as Logto makes it. No hash takes more
 * memory than three of ours; a flood is bounded by the queue.
 */
export const oldHash = {
  cost: 12,
  slowCost: 32,
  /** Units of a tenant: each is computed at each sign-in. */
  units: 12,
  memoryKib: 65_536,
  parallelism: 4,
  saltBytes: 256,
  keyBytes: { least: 16, most: 128 },
} as const;
