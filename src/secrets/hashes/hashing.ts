// The hashing of passwords: by the platform where it has the function, and aside from the event loop where it has not.
import { type Argon2Parameters, argon2, pbkdf2, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { type AsideTask, runAside } from './aside.ts';

/** How scrypt is asked (RFC 7914 §2). */
export interface ScryptParameters {
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelization: number;
  readonly length: number;
}

/** Every function that makes a hash of a password. None of them holds up the event loop. */
export interface Hashing {
  argon2(variant: 'argon2d' | 'argon2i' | 'argon2id', parameters: Argon2Parameters): Promise<Buffer>;
  scrypt(password: Buffer, salt: Buffer, parameters: ScryptParameters): Promise<Buffer>;
  pbkdf2(digest: string, password: Buffer, salt: Buffer, iterations: number, length: number): Promise<Buffer>;
  /** bcrypt, SHA-crypt and phpass. */
  aside(task: AsideTask): Promise<string>;
}

const nodeArgon2 = promisify(argon2);
const nodePbkdf2 = promisify(pbkdf2);

export const nodeHashing: Hashing = {
  argon2: async (variant, parameters) => Buffer.from(await nodeArgon2(variant, parameters)),
  scrypt: (password, salt, { cost, blockSize, parallelization, length }) =>
    new Promise((resolve, reject) => {
      // What OpenSSL counts is 128 N r and a little for each lane.
      const maxmem = 128 * cost * blockSize + 256 * blockSize * (parallelization + 2);
      const options = { cost, blockSize, parallelization, maxmem };
      scrypt(password, salt, length, options, (error, key) =>
        error === null ? resolve(key) : reject(error),
      );
    }),
  pbkdf2: (digest, password, salt, iterations, length) =>
    nodePbkdf2(password, salt, iterations, length, digest),
  aside: runAside,
};
