// Hashes and checks passwords, a few at a time.
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { passwordBytes, passwordHash, passwordsWaiting } from '../core/limits.ts';
import { fairQueue, ownShare, type Share } from './fair-queue.ts';

/** Node's argon2, as a promise. */
export type Derive = (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>;

/** Too many passwords are waiting to be hashed; answered with 503. */
export class PasswordsBusy extends Error {
  override readonly name = 'PasswordsBusy';
}

/**
 * Hashes and checks passwords off the event loop, at most one a core at a time (performance 5; A12). Those who
 * wait take turns, tenant by tenant and address by address (promise 7).
 */
export interface Passwords {
  /** The PHC string of a password, argon2id. @param share whose work it is @throws PasswordsBusy */
  hash(password: string, share?: Share): Promise<string>;
  /**
   * Whether the password is the one of this PHC string. With null, for an account that does not exist, it
   * works as long and says no (A1).
   *
   * @param share whose work it is
   * @throws PasswordsBusy
   */
  verify(password: string, phc: string | null, share?: Share, judging?: Judging): Promise<boolean>;
  /** The work of a hash that is made today (`hashWork`). */
  readonly work: number;
  /** Whether a hash is weaker than what we make today, and is to be made anew at the next sign-in. */
  isWeak(phc: string): boolean;
}

/** How a guess is judged. */
export interface Judging {
  /** Is asked, and counts the guess, when its turn has come: where it says no, that is the answer. */
  readonly mayBegin?: () => boolean | Promise<boolean>;
  /** The least work that it takes (`hashWork`), so that no hash answers sooner than another of its tenant. */
  readonly work?: number;
}

/** Whether a password can reach the hash at all: 1 to 1,024 bytes (A3). */
export function isHashable(password: string): boolean {
  return password.length > 0 && Buffer.byteLength(password.normalize('NFC')) <= passwordBytes;
}

/** What a hash takes, in KiB and passes. */
interface Parameters {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** argon2id takes 8 KiB a lane at least (RFC 9106 §3.1). */
const leastMemory = 8;

/** A difference of less than this part of one pass cannot be measured from outside. */
const leastSpent = 100;

const current: Parameters = {
  memory: passwordHash.memoryKib,
  passes: passwordHash.passes,
  parallelism: passwordHash.parallelism,
};

/** @param made what the hashes take that are made; those that are there already say it themselves */
export function createPasswords(
  inFlight = availableParallelism(),
  waiting = passwordsWaiting,
  made = current,
  derive: Derive = promisify(argon2),
): Passwords {
  const turn = fairQueue(inFlight, waiting, () => new PasswordsBusy('too many passwords are waiting'));
  const nobody = {
    ...made,
    salt: randomBytes(passwordHash.saltBytes),
    tag: Buffer.alloc(passwordHash.tagBytes),
  };
  const tagOf = (password: string, parameters: Parameters, salt: Buffer, tagLength: number) =>
    derive('argon2id', {
      message: Buffer.from(password.normalize('NFC')),
      nonce: salt,
      tagLength,
      memory: parameters.memory,
      passes: parameters.passes,
      parallelism: parameters.parallelism,
    });
  /** Takes as long as this work does, in blocks no larger than those of our own hashes. */
  const spend = async (password: string, work: number) => {
    if (work < made.memory / leastSpent) return;
    const passes = Math.ceil(work / made.memory);
    const memory = Math.max(leastMemory, Math.round(work / passes));
    await tagOf(password, { memory, passes, parallelism: 1 }, nobody.salt, nobody.tag.length);
  };
  return {
    async hash(password, share = ownShare) {
      const salt = randomBytes(passwordHash.saltBytes);
      const tag = await turn(() => tagOf(password, made, salt, passwordHash.tagBytes), share);
      return writePhc(made, salt, Buffer.from(tag));
    },
    async verify(password, phc, share = ownShare, { mayBegin = () => true, work = 0 } = {}) {
      const { salt, tag, ...parameters } = phc === null ? nobody : readPhc(phc);
      return turn(async () => {
        if (!(await mayBegin())) return false;
        const computed = Buffer.from(await tagOf(password, parameters, salt, tag.length));
        await spend(password, work - parameters.memory * parameters.passes);
        return timingSafeEqual(computed, tag) && phc !== null;
      }, share);
    },
    work: made.memory * made.passes,
    isWeak(phc) {
      const { memory, passes } = readPhc(phc);
      return memory < made.memory || passes < made.passes;
    },
  };
}

function writePhc({ memory, passes, parallelism }: Parameters, salt: Buffer, tag: Buffer): string {
  const b64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${b64(salt)}$${b64(tag)}`;
}

function readPhc(phc: string) {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(phc);
  if (match === null) throw new Error('a stored password hash is not an argon2id PHC string');
  const [, memory, passes, parallelism, salt, tag] = match;
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(String(salt), 'base64'),
    tag: Buffer.from(String(tag), 'base64'),
  };
}
