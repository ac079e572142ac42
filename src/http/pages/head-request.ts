// Serves HEAD like GET, without any effect.
import type { FastifyRequest } from 'fastify';
import type { Store, Tx } from '../../storage/store.ts';
import { surfaceOf } from '../limit-reached.ts';

/**
 * HEAD is served wherever GET is, by the same handler, and nothing comes of it (H9; RFC 9110 §9.3.2): whatever
 * a page's GET would do in its transaction is rolled back, no cookie of a session is set or cleared, and no
 * refusal is written down. So the headers are those of GET, and a page that is added later is safe unless it
 * says otherwise. What that means where GET acts:
 *
 *     /api/oidc/auth, /sign-in, /consent   the redirect that GET gives; a code in it was never stored
 *     /api/oidc/session/end                the redirect or the page; the session lives and its cookie stays
 *     /device?user_code=…                  the page with the code filled in: it is not looked up, since a guess
 *                                          that is not counted would be free
 *     /sign-in/from/{provider}             the way back to the sign-in; nothing is asked of the provider
 *     /checkout/begin, /checkout/{id}/…    the redirect or the page; no checkout begins or completes
 *     /account…, /admin…                   the page; the session's last use stays as it was
 *     links of mails                       the page, as GET: what they are for takes a press of a button
 *
 * What takes a secret at each request (`/api/v1/…`, the set-up link) writes down who guesses, by HEAD too.
 */
export function isUndone(request: FastifyRequest): boolean {
  if (request.method !== 'HEAD') return false;
  return ['pages', 'portal', 'protocol'].includes(surfaceOf(request));
}

/** Carries the result of work out of the transaction that is rolled back around it. */
class Undone extends Error {
  override readonly name = 'Undone';
  readonly result: unknown;

  constructor(result: unknown) {
    super('rolled back');
    this.result = result;
  }
}

/** Runs work in a transaction that is rolled back. @returns what the work returned */
export async function undone<T>(store: Pick<Store, 'transaction'>, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await store.transaction<T>(async (tx) => {
      throw new Undone(await work(tx));
    });
  } catch (error) {
    if (error instanceof Undone) return error.result as T;
    throw error;
  }
}
