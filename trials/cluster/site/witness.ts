// A client that goes on while something is done to others, and must be served all the while.
import { newFamily, next } from '../../faults/clients/client.ts';
import type { Served } from '../../faults/site.ts';
import { witness } from './tenants.ts';

export interface Witness {
  /** Refreshes its token over and over from now on. */
  begin(): void;
  /** Ends its work. @returns how often it was served, and how long the longest answer took (ms) */
  stop(): Promise<{ readonly served: number; readonly longest: number }>;
}

/**
 * Signs in, and waits for its work to begin.
 *
 * @param found is told of an answer that is not as it should be, which ends its work
 */
export async function openWitness(site: Served, found: { add(text: string): void }): Promise<Witness> {
  let token: string | null = await newFamily(site, undefined, witness);
  let isOver = false;
  let served = 0;
  let longest = 0;
  const goOn = async () => {
    while (!isOver) {
      const begun = performance.now();
      if (token !== null) token = await next(site, token);
      if (token === null) throw new Error('a current token was refused');
      longest = Math.max(longest, Math.round(performance.now() - begun));
      served += 1;
    }
  };
  let work: Promise<void> | null = null;
  return {
    begin: () => {
      work = goOn().catch((error: unknown) => {
        found.add(`a client that was not concerned was not served: ${String(error)}`);
      });
    },
    stop: async () => {
      isOver = true;
      await work;
      return { served, longest };
    },
  };
}
