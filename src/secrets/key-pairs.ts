// Makes pairs of keys to sign with; those of RSA can be begun before they are asked for, since each takes a while.
import { type KeyObject, generateKeyPair as nodeGenerateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { rsaBits } from '../core/limits.ts';
import type { SigningAlgorithm } from '../core/tenant.ts';

const generateKeyPair = promisify(nodeGenerateKeyPair);

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const newRsaPair = (): Promise<KeyPair> => generateKeyPair('rsa', { modulusLength: rsaBits });

/** Those that were begun and that are not asked for yet. */
const begun: Promise<KeyPair>[] = [];

/** Begins so many pairs of RSA keys in other threads: a start that makes tenants loads the service meanwhile. */
export function beginRsaPairs(count: number): void {
  for (let more = count; more > 0; more -= 1) {
    const pair = newRsaPair();
    // Who asks for it hears of it.
    pair.catch(() => {});
    begun.push(pair);
  }
}

/** A pair for its caller alone. */
export function newKeyPair(algorithm: SigningAlgorithm): Promise<KeyPair> {
  if (algorithm === 'ES256') return generateKeyPair('ec', { namedCurve: 'P-256' });
  if (algorithm === 'EdDSA') return generateKeyPair('ed25519');
  return begun.shift() ?? newRsaPair();
}
