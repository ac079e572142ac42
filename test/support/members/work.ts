import { type UnitWork, workOf } from '../../../src/core/hashes/hash-work.ts';
import type { Argon2Hash } from '../../../src/core/hashes/stored-hash.ts';
import { type Hashing, nodeHashing } from '../../../src/secrets/hashes/hashing.ts';

/** What was hashed, as the work that it takes; of argon2 also the block. */
interface Taken extends UnitWork {
  readonly memory: number;
}

/** The hashing of the service, and what it took. */
export interface CountingWork {
  readonly hashing: Hashing;
  /** What our own kind took since the last time it was asked: KiB times passes, which its time is in proportion to. */
  work(): number;
  /** The same of every unit. */
  units(): Readonly<Record<string, number>>;
  /** The largest block, in KiB, since the last time it was asked. */
  largest(): number;
}

export function countingWork(): CountingWork {
  let taken: readonly Taken[] = [];
  const note = (work: UnitWork, memory = 0) => {
    taken = [...taken, { ...work, memory }];
  };
  const units = () => {
    const sums: Record<string, number> = {};
    for (const { unit, amount } of taken) sums[unit] = (sums[unit] ?? 0) + amount;
    taken = [];
    return sums;
  };
  return {
    hashing: {
      argon2: (variant, parameters) => {
        const { memory, passes, parallelism } = parameters;
        note(workOf({ kind: 'argon2', variant, memory, passes, parallelism } as Argon2Hash), memory);
        return nodeHashing.argon2(variant, parameters);
      },
      scrypt: (password, salt, parameters) => {
        const { cost, blockSize, parallelization } = parameters;
        note({ unit: `scrypt ${cost} ${blockSize}`, amount: parallelization });
        return nodeHashing.scrypt(password, salt, parameters);
      },
      pbkdf2: (digest, password, salt, iterations, length) => {
        const blocks = Math.ceil(length / { sha1: 20, sha256: 32, sha512: 64 }[digest as 'sha1']);
        note({ unit: `pbkdf2 ${digest}`, amount: iterations * blocks });
        return nodeHashing.pbkdf2(digest, password, salt, iterations, length);
      },
      aside: (task) => {
        if (task.kind === 'bcrypt') note({ unit: 'bcrypt', amount: 2 ** Number(task.settings.slice(4, 6)) });
        else if (task.kind === 'sha-crypt') note({ unit: `${task.digest}-crypt`, amount: task.rounds });
        else note({ unit: 'phpass', amount: task.rounds });
        return nodeHashing.aside(task);
      },
    },
    work: () => units().argon2id ?? 0,
    units,
    largest: () => {
      const most = Math.max(...taken.map(({ memory }) => memory));
      taken = [];
      return most;
    },
  };
}
