// Hashes and checks passwords, a few at a time.
import { createHash, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { type ForeignPassword, overArgon2id } from '../core/hashes/foreign-hash.ts';
import { type HashWork, ownUnit, workOf } from '../core/hashes/hash-work.ts';
import { type Argon2Hash, readStoredHash, type StoredHash, storedText } from '../core/hashes/stored-hash.ts';
import { passwordBytes, passwordHash, passwordsWaiting } from '../core/limits.ts';
import { fairQueue, ownShare, type Share } from './fair-queue.ts';
import { argon2Tag, checkHash, spendUnit } from './hashes/check.ts';
import { type Hashing, nodeHashing } from './hashes/hashing.ts';

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
  /** A hash of ours that no password matches, which takes no work to make. @param chance random bytes, kept secret */
  ofNoPassword(chance: string): string;
  /** What is kept of a password whose hash another system made: one that was fast is hashed by ours. @throws PasswordsBusy */
  keep(foreign: ForeignPassword, share?: Share): Promise<string>;
  /**
   * Whether the password is the one of this hash, which may be of any kind that we know. With null, for an account that
   * does not exist, it works as long and says no (A1).
   *
   * @param share whose work it is
   * @throws PasswordsBusy
   */
  verify(password: string, phc: string | null, share?: Share, judging?: Judging): Promise<boolean>;
  /** The work of a hash that is made today, in our own unit. */
  readonly work: number;
  /** Whether a hash is of another kind than ours, or weaker, and is to be made anew at the next sign-in. */
  isWeak(text: string): boolean;
}

/** How a guess is judged. */
export interface Judging {
  /** Is asked, and counts the guess, when its turn has come: where it says no, that is the answer. */
  readonly mayBegin?: () => boolean | Promise<boolean>;
  /** The least work of each unit that it takes, so that no hash answers sooner than another of its tenant. */
  readonly work?: HashWork;
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

/** @param made what new hashes take; those that are there already say it themselves */
export function createPasswords(
  inFlight = availableParallelism(),
  waiting = passwordsWaiting,
  made = current,
  hashing: Hashing = nodeHashing,
): Passwords {
  const turn = fairQueue(inFlight, waiting, () => new PasswordsBusy('too many passwords are waiting'));
  /** Stands for the hash of an address without an account, so that a no takes as long there. */
  const placeholder = madeAt(made, randomBytes(passwordHash.saltBytes));
  const spending = { hashing, made, salt: placeholder.salt };
  const hash = async (text: string, share: Share) => {
    const blank = madeAt(made, randomBytes(passwordHash.saltBytes));
    const message = Buffer.from(text.normalize('NFC'));
    const tag = await turn(() => argon2Tag(hashing, message, blank), share);
    return storedText({ ...blank, tag: Buffer.from(tag) });
  };
  return {
    hash: (password, share = ownShare) => hash(password, share),
    ofNoPassword: (chance) => {
      // Its tag is chance: to find a password for it takes more tries than any password.
      const tag = createHash('sha256').update(chance).digest();
      return storedText({ ...madeAt(made, randomBytes(passwordHash.saltBytes)), tag });
    },
    keep: async (foreign, share = ownShare) =>
      foreign.kind === 'hash' ? foreign.text : overArgon2id(foreign.inner, await hash(foreign.hex, share)),
    async verify(password, text, share = ownShare, { mayBegin = () => true, work = {} } = {}) {
      const stored = text === null ? placeholder : known(text);
      return turn(async () => {
        if (!(await mayBegin())) return false;
        const isRight = await checkHash(hashing, password, stored);
        await spendRest(spending, password, work, stored);
        return isRight && text !== null;
      }, share);
    },
    work: made.memory * made.passes,
    isWeak(text) {
      const stored = known(text);
      if (stored.kind !== 'argon2' || stored.variant !== ownUnit || stored.inner !== null) return true;
      return stored.memory < made.memory || stored.passes < made.passes;
    },
  };
}

/** A hash of ours with an empty tag. */
const madeAt = (parameters: Parameters, salt: Buffer): Argon2Hash => ({
  kind: 'argon2',
  variant: ownUnit,
  ...parameters,
  salt,
  tag: Buffer.alloc(passwordHash.tagBytes),
  inner: null,
});

/** The means to take as long as other work. */
interface Spending {
  readonly hashing: Hashing;
  readonly made: Parameters;
  readonly salt: Buffer;
}

/** Does the part of some work that the check of a hash has not done. */
async function spendRest(
  spending: Spending,
  password: string,
  work: HashWork,
  checked: StoredHash,
): Promise<void> {
  const done = workOf(checked);
  for (const [unit, most] of Object.entries(work)) {
    const left = unit === done.unit ? most - done.amount : most;
    if (unit === ownUnit) await spendOwn(spending, password, left);
    else if (left > 0) await spendUnit(spending.hashing, password, unit, left);
  }
}

/** Takes as long as this work of ours does, in blocks no larger than those of our own hashes. */
async function spendOwn({ hashing, made, salt }: Spending, password: string, work: number): Promise<void> {
  if (work < made.memory / leastSpent) return;
  const passes = Math.ceil(work / made.memory);
  const memory = Math.max(leastMemory, Math.round(work / passes));
  const filler = madeAt({ memory, passes, parallelism: 1 }, salt);
  await argon2Tag(hashing, Buffer.from(password.normalize('NFC')), filler);
}

function known(text: string): StoredHash {
  const stored = readStoredHash(text);
  if (stored === null) throw new Error('a stored password hash is of no kind that is known');
  return stored;
}
