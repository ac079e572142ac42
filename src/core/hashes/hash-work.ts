/**
 * What it takes to check the hash of a password, so that no member's is checked sooner than another's of the tenant, nor
 * than the hash that an unknown address does not have (security, A1).
 */
import { passwordHash } from '../limits.ts';
import { hashCosts, oldHash } from './limits.ts';
import { pbkdf2Digests, readStoredHash, type StoredHash } from './stored-hash.ts';

/**
 * Work of a kind that no other kind can stand for: one takes memory, another none, and which is quicker depends on the
 * machine. Within a unit, twice the amount takes twice the time.
 */
export interface UnitWork {
  /** Such as `bcrypt`, or `scrypt 16384 8`. */
  readonly unit: string;
  readonly amount: number;
}

/** How much of each unit. */
export type HashWork = Readonly<Record<string, number>>;

/** Our own kind: KiB times passes, which its time is in proportion to. */
export const ownUnit = 'argon2id';

/** What it takes to check a hash. */
export function workOf(hash: StoredHash): UnitWork {
  switch (hash.kind) {
    case 'argon2': {
      const { variant, memory, passes, parallelism } = hash;
      if (variant === ownUnit) return { unit: ownUnit, amount: memory * passes };
      return { unit: `${variant} ${memory} ${parallelism}`, amount: passes };
    }
    case 'bcrypt':
      return { unit: 'bcrypt', amount: 2 ** hash.cost };
    case 'scrypt':
    case 'firebase':
      return { unit: `scrypt ${hash.cost} ${hash.blockSize}`, amount: hash.parallelization };
    case 'pbkdf2': {
      const blocks = Math.ceil(hash.key.length / pbkdf2Digests[hash.digest]);
      return { unit: `pbkdf2 ${hash.digest}`, amount: hash.iterations * blocks };
    }
    case 'sha-crypt':
      return { unit: `${hash.digest}-crypt`, amount: hash.rounds };
    case 'phpass':
      return { unit: 'phpass', amount: hash.rounds };
  }
}

/** What a row says of the hash in it; nothing of what is no hash, such as that of an erased member. */
export function keptWork(text: string): {
  /** In our own unit. */
  readonly passwordWork: number;
  readonly oldHashUnit: string | null;
  readonly oldHashWork: number | null;
} {
  const hash = readStoredHash(text);
  const { unit, amount } = hash === null ? { unit: ownUnit, amount: 0 } : workOf(hash);
  return unit === ownUnit
    ? { passwordWork: amount, oldHashUnit: null, oldHashWork: null }
    : { passwordWork: 0, oldHashUnit: unit, oldHashWork: amount };
}

/** Work of one more hash: a guess is checked by the most of each unit that any member of the tenant has. */
export function withWork(work: HashWork, { unit, amount }: UnitWork): HashWork {
  return (work[unit] ?? 0) >= amount ? work : { ...work, [unit]: amount };
}

/** What work costs, in hashes of ours, as near as one machine can say for another. */
export function costOf(work: HashWork): number {
  return Object.entries(work).reduce((sum, [unit, amount]) => sum + amount * unitCost(unit), 0);
}

function unitCost(unit: string): number {
  const [kind = '', first = '', second = ''] = unit.split(' ');
  const ours = passwordHash.memoryKib * passwordHash.passes;
  if (unit === ownUnit) return 1 / ours;
  if (kind.startsWith('argon2')) return Number(first) / ours;
  if (kind === 'scrypt') return (Number(first) * Number(second)) / hashCosts.scrypt;
  const known = hashCosts[(kind === 'pbkdf2' ? first : kind) as keyof typeof hashCosts];
  if (known === undefined) throw new Error(`a hash has an unknown unit of work: ${unit}`);
  return 1 / known;
}

/** Why a hash that was made elsewhere is not taken. */
export type HashRefusal = 'bounds' | 'cost' | 'kinds';

/**
 * Whether a hash that was made elsewhere may be one of a tenant's members: what a sign-in costs is bounded, whatever
 * comes together.
 *
 * @param work that of the tenant's members so far
 * @param isSlowTaken whether the operator takes it that each sign-in at the tenant takes longer
 * @returns the work with it, or why not
 */
export function takeHash(work: HashWork, hash: StoredHash, isSlowTaken: boolean): HashWork | HashRefusal {
  if (!isWithinBounds(hash)) return 'bounds';
  const next = withWork(work, workOf(hash));
  if (next === work) return work;
  if (Object.keys(next).length > oldHash.units) return 'kinds';
  const most = isSlowTaken ? oldHash.slowCost : oldHash.cost;
  // What is there already is no reason: it costs what it costs without this one too.
  return costOf(next) > Math.max(most, costOf(work)) ? 'cost' : next;
}

/** Whether it can be computed at all, and needs no more memory than a flood of sign-ins may take. */
function isWithinBounds(hash: StoredHash): boolean {
  const { memoryKib, parallelism, saltBytes, keyBytes } = oldHash;
  const isKey = (key: Buffer) => key.length >= keyBytes.least && key.length <= keyBytes.most;
  const isSalt = (salt: Buffer) => salt.length <= saltBytes;
  switch (hash.kind) {
    case 'argon2': {
      const { memory, passes, parallelism: lanes, salt, tag, inner } = hash;
      const isSized = lanes >= 1 && lanes <= parallelism && memory >= 8 * lanes && memory <= memoryKib;
      // RFC 9106 §3.1
      return (
        isSized &&
        passes >= 1 &&
        salt.length >= 8 &&
        isSalt(salt) &&
        isKey(tag) &&
        isSalt(inner?.salt ?? salt)
      );
    }
    case 'scrypt':
    case 'firebase': {
      const { cost, blockSize: r, parallelization: p, salt } = hash;
      const isSized = cost >= 2 && r >= 1 && p >= 1 && p <= 16 && (cost * r) / 8 <= memoryKib;
      if (!isSized || !isSalt(salt)) return false;
      // What is sealed is the key of the project, as long as that is.
      return hash.kind === 'scrypt'
        ? isKey(hash.key)
        : hash.signer.length === 32 && hash.sealed.length <= keyBytes.most;
    }
    case 'pbkdf2':
      return hash.iterations >= 1 && isSalt(hash.salt) && isKey(hash.key);
    case 'sha-crypt':
      return hash.rounds >= 1_000 && hash.hash.length === (hash.digest === 'sha256' ? 43 : 86);
    case 'bcrypt':
    case 'phpass':
      return true;
  }
}
