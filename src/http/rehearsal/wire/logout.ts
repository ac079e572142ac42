// Tells the wire log which session of a browser a logout ended: what a client held of it is to be used no more.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sha256 } from '../../../core/hash.ts';
import { sessionLives } from '../../../core/session.ts';
import { findSession, findSessionBySecret } from '../../../storage/grants/session.ts';
import { sessionCookie } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { endpointOf, note } from './watch.ts';

/** To be called before the answer is written into the log. */
export function watchLogouts(app: FastifyInstance, { store, clock }: Pick<Deps, 'store' | 'clock'>): void {
  const before = new WeakMap<FastifyRequest, string>();
  app.addHook('preHandler', async (request) => {
    if (request.tenant?.development !== true || endpointOf(request) !== 'logout') return;
    const secret = sessionCookie(request);
    if (secret === undefined) return;
    const { id } = request.tenant;
    const session = await store.transaction((tx) => findSessionBySecret(tx, id, 'member', sha256(secret)));
    if (sessionLives(session, clock())) before.set(request, session?.id ?? '');
  });
  app.addHook('onSend', async (request) => {
    const id = before.get(request);
    if (id === undefined) return;
    const session = await store.transaction((tx) => findSession(tx, request.tenant.id, id));
    note(request, { session: { id, hasEnded: !sessionLives(session, clock()) } });
  });
}
