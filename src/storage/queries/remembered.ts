// Remembers what nearly every request reads, until it changes.
import type { Tx } from '../store.ts';
import { statementsOf } from './prepared.ts';

/**
 * Reads what nearly every request asks for and what hardly ever changes, such as a client: once, until any of
 * it changes. One process serves a data folder, so no other process changes it unseen; and a transaction
 * that is rolled back forgets it too, since what it read may never have been.
 *
 * @param key names what is read
 * @param read reads it; null, which is nothing, is not remembered
 */
export function remembered<Value extends object>(
  tx: Tx,
  key: string,
  read: () => Value | null,
): Value | null {
  const { memory } = statementsOf(tx);
  const known = memory.get(key);
  if (known !== undefined) return known as Value;
  const value = read();
  if (value !== null) memory.set(key, value);
  return value;
}

/** To be called by whatever changes something that is remembered. */
export function forgetRemembered(tx: Tx): void {
  statementsOf(tx).memory.clear();
}
