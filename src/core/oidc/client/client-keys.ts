// The public keys of a client, as an operator registers them.
import { parseJson } from '../../json.ts';
import { type Problem, problem } from '../../problem.ts';
import { clientKeys, foreignRsa } from '../limits.ts';
import { foreignAlgorithms, isMeantFor, readForeignKey, signsBy } from './foreign-key.ts';

/**
 * The keys of a JWKS (RFC 7517 §5), whatever they are: which of them may sign is decided when one does.
 *
 * @returns null if it is none
 */
export function readKeySet(text: string): readonly object[] | null {
  const value = parseJson(Buffer.from(text));
  if (typeof value !== 'object' || value === null || !('keys' in value)) return null;
  const { keys } = value;
  return Array.isArray(keys) && keys.every(isObject) ? keys : null;
}

/** What is wrong with a JWKS that is registered: each of its keys must be one that the service takes. */
export function keySetProblem(text: string): Problem | null {
  if (text.length > clientKeys.length) return problem([], 'too_long', { most: clientKeys.length });
  const keys = readKeySet(text);
  if (keys === null) return problem([], 'keys_malformed');
  if (keys.length === 0) return problem([], 'empty');
  if (keys.length > clientKeys.most) return problem([], 'too_many', { most: clientKeys.most });
  const found = keys.map((key, index) => keyProblem(key, index + 1)).find((one) => one !== null);
  if (found !== undefined) return found;
  const ids = keys.flatMap((key) => ('kid' in key ? [key.kid] : []));
  return new Set(ids).size < ids.length ? problem([], 'keys_alike') : null;
}

/** @param number of the key in its list, from 1 */
function keyProblem(jwk: object, number: number): Problem | null {
  const key = readForeignKey(jwk);
  switch (key) {
    case 'malformed':
      return problem([], 'key_malformed', { number });
    case 'private':
      return problem([], 'key_private', { number });
    case 'unsupported':
      return problem([], 'key_unsupported', { number });
    case 'rsa_size': {
      const { leastBits: least, mostBits: most } = foreignRsa;
      return problem([], 'key_size', { number, least, most });
    }
    default: {
      const hasName = !('kid' in jwk) || typeof jwk.kid === 'string';
      const signs = foreignAlgorithms.some((alg) => signsBy(key, alg) && isMeantFor(jwk, alg));
      return hasName && signs ? null : problem([], 'key_not_for_us', { number });
    }
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
