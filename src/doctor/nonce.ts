import { unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../core/hash.ts';
import type { Random } from '../random.ts';

/** The header that a doctor's call carries. */
export const doctorHeader = 'memberdoor-doctor';

/** Where a doctor's call goes; without a good nonce there is nothing at this address. */
export const doctorPath = '/api/doctor';

/** A secret of one use, which only a process that may write into the data folder can have made. */
export interface Nonce {
  readonly secret: string;
  /** Takes it back; nothing happens if it was used. */
  withdraw(): void;
}

/** The folder's names tell only hashes, so that reading it is not enough. */
const pathOf = (dataFolder: string, secret: string) => join(dataFolder, `doctor-${sha256(secret)}`);

/** @throws if the data folder cannot be written */
export function makeNonce(dataFolder: string, random: Random): Nonce {
  const secret = random.secret();
  const path = pathOf(dataFolder, secret);
  writeFileSync(path, '', { mode: 0o600, flag: 'wx' });
  return {
    secret,
    withdraw: () => {
      remove(path);
    },
  };
}

/** Uses a nonce up. @returns whether it was good: removing its file proves that, and can be done once */
export function useNonce(dataFolder: string, secret: string): boolean {
  return remove(pathOf(dataFolder, secret));
}

function remove(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}
