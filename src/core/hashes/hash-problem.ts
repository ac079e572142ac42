/** What is wrong with a hash that was made elsewhere, as every face says it. */
import { type Path, type Problem, problem } from '../problem.ts';
import { costOf, type HashWork, takeHash, withWork, workOf } from './hash-work.ts';
import { oldHash } from './limits.ts';
import { readStoredHash } from './stored-hash.ts';

/** The work of a tenant's members with one more hash; or why that is not taken. */
export type TakenHash =
  | { readonly ok: true; readonly work: HashWork }
  | { readonly ok: false; readonly problem: Problem };

/**
 * Takes the text of a hash that another system made, unless checking it would cost too much.
 *
 * @param work that of the tenant's members so far
 * @param path where it stands
 */
export function takenHash(work: HashWork, text: string, isSlowTaken: boolean, path: Path): TakenHash {
  const hash = readStoredHash(text);
  if (hash === null) return { ok: false, problem: problem(path, 'not_a_password_hash') };
  const taken = takeHash(work, hash, isSlowTaken);
  switch (taken) {
    case 'bounds':
      return {
        ok: false,
        problem: problem(path, 'hash_out_of_bounds', { memory: oldHash.memoryKib / 1_024 }),
      };
    case 'cost': {
      const times = Math.ceil(costOf(withWork(work, workOf(hash))));
      const most = isSlowTaken ? oldHash.slowCost : oldHash.cost;
      return { ok: false, problem: problem(path, 'hash_too_costly', { times, most }) };
    }
    case 'kinds':
      return { ok: false, problem: problem(path, 'hash_kinds', { most: oldHash.units }) };
    default:
      return { ok: true, work: taken };
  }
}
