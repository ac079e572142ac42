// Proves that a call comes from a doctor that can write into the data folder, or read the database that several
// processes share, and says how it arrived.
import { readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { equalInConstantTime, hmac, sha256 } from '../core/hash.ts';
import { doctorNonceLifetime } from '../core/operators/limits.ts';
import type { Random } from '../system/random.ts';

/** The header that a doctor's call carries. */
export const doctorHeader = 'memberdoor-doctor';

/** Where a doctor's call goes; without a good nonce there is nothing at this address. */
export const doctorPath = '/api/doctor';

/** How a call of the doctor arrived at the service. */
export interface Seen {
  /** The raw Host header, by which the tenant is found (decision 1). */
  readonly host: string | null;
  /** The other end of the connection: a proxy, or the doctor itself. */
  readonly peer: string;
  /** Whether X-Forwarded-For of this peer counts. */
  readonly isPeerTrusted: boolean;
  /** Whether an address that belongs to no machine would be trusted too. */
  readonly isAnybodyTrusted: boolean;
  /** The address that limits and pages take the caller to have. */
  readonly client: string;
  readonly forwardedFor: string | null;
  readonly forwardedProto: string | null;
  /** The service's clock, ms. */
  readonly now: number;
}

/** A secret of one use, which only a process that may write into the data folder, or read the database, can have made. */
export interface Nonce {
  readonly secret: string;
  /** Whether the process that answered can read that too: the call brings it the secret alone. */
  isProof(seen: Seen, proof: string): boolean;
  /** Takes it back; nothing happens if it was used. */
  withdraw(): void;
}

const prefix = 'doctor-';

/** The folder's names tell only hashes, so that reading it is not enough. */
const pathOf = (dataFolder: string, secret: string) => join(dataFolder, `${prefix}${sha256(secret)}`);

/**
 * Makes a nonce, and takes away what doctors that were killed have left.
 *
 * @param now ms
 * @throws if the data folder cannot be written
 */
export function makeNonce(dataFolder: string, random: Random, now: number): Nonce {
  for (const name of readdirSync(dataFolder)) {
    const path = join(dataFolder, name);
    if (name.startsWith(prefix) && isStale(path, now)) remove(path);
  }
  const [secret, key] = [random.secret(), random.secret()];
  const path = pathOf(dataFolder, secret);
  writeFileSync(path, key, { mode: 0o600, flag: 'wx' });
  return {
    secret,
    isProof: (seen, proof) => equalInConstantTime(proofOf(key, seen), proof),
    withdraw: () => {
      remove(path);
    },
  };
}

/**
 * Uses a nonce up: removing its file can be done once.
 *
 * @param now ms
 * @returns the key of the answer's proof; null if the nonce was no good
 */
export function useNonce(dataFolder: string, secret: string, now: number): string | null {
  const path = pathOf(dataFolder, secret);
  const key = isStale(path, now) ? null : readFileSync(path, 'utf8');
  return remove(path) ? key : null;
}

/**
 * Makes a nonce for whichever process of a database answers: on another machine, none sees this one's folder.
 *
 * @param keyCheck what the database has to recognise the master key by, which is never told
 * @param now ms
 */
export function makeSharedNonce(keyCheck: string, random: Random, now: number): Nonce {
  const named = `${now}.${random.secret()}`;
  const secret = `${named}.${keyOf(keyCheck, 'nonce', named)}`;
  const key = keyOf(keyCheck, 'proof', secret);
  return {
    secret,
    isProof: (seen, proof) => equalInConstantTime(proofOf(key, seen), proof),
    withdraw: () => {},
  };
}

/**
 * Uses such a nonce up.
 *
 * @param isFirst whether no process has used one of this name before
 * @param now ms
 * @returns the key of the answer's proof; null if the nonce was no good
 */
export async function useSharedNonce(
  keyCheck: string,
  secret: string,
  now: number,
  isFirst: (name: string) => Promise<boolean>,
): Promise<string | null> {
  const end = secret.lastIndexOf('.');
  const named = secret.slice(0, end);
  const isOurs = equalInConstantTime(keyOf(keyCheck, 'nonce', named), secret.slice(end + 1));
  if (!isOurs || Math.abs(now - Number.parseInt(named, 10)) > doctorNonceLifetime) return null;
  return (await isFirst(named)) ? keyOf(keyCheck, 'proof', secret) : null;
}

const keyOf = (keyCheck: string, purpose: string, text: string) =>
  hmac(Buffer.from(keyCheck), 'doctor', purpose, text).toString('base64url');

/** What an answer carries beside what was seen. */
export function proofOf(key: string, seen: Seen): string {
  return hmac(Buffer.from(key), JSON.stringify(seen)).toString('base64url');
}

/** Whether a nonce is too old, or not there. */
function isStale(path: string, now: number): boolean {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts === undefined || Math.abs(now - facts.mtimeMs) > doctorNonceLifetime;
}

function remove(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}
