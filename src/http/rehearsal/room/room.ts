// The room itself: its pages, what their buttons do, and what tells them at once what is new.
import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.ts';
import { pageQuery } from '../../form.ts';
import { pageErrorHandler } from '../../pages/problem.ts';
import { cardDeeds } from '../card/deeds.ts';
import { keepOut, keepToRoom, type Onlookers, roomUrl, serveDeeds } from '../deeds.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import type { Context } from './context.ts';
import { serveEvents } from './events.ts';
import { handDeeds } from './hand.ts';
import { createRooms } from './memory.ts';
import { roomScript } from './script.ts';
import { createTvSet } from './set.ts';
import { tvDeeds } from './tv-deeds.ts';
import { createWebClient } from './web/client.ts';
import { webDeeds } from './web/deeds.ts';
import { callbackUrl, cameBack, webUrl } from './web/run.ts';

/** @param given what the room shows and moves */
export function createRoomPages(
  given: Pick<Context, 'cards' | 'clock' | 'faults' | 'phones' | 'seed' | 'wire'>,
) {
  const rooms = createRooms();
  const onlookers: Onlookers = {
    begins: (tenantId) => rooms.change(tenantId, { notice: null }),
    refused: (tenantId, notice) => rooms.change(tenantId, { notice }),
    // The clock and the seed are those of all tenants.
    done: rooms.tellAll,
  };
  return {
    onlookers,
    /** TVs, phones and web clients belong to a snapshot. */
    keep: rooms.keep,
    serve(app: FastifyInstance, deps: Deps, snapshots: Snapshots): void {
      const tvSet = createTvSet(rooms, deps);
      const webClient = createWebClient(rooms, deps);
      const context: Context = { ...given, deps, rooms, snapshots, tvSet, webClient };
      app.register(async (scope) =>
        serveDeeds(
          scope,
          [...tvDeeds(context), ...handDeeds(context), ...webDeeds(context), ...cardDeeds(context)],
          onlookers,
        ),
      );
      app.register(async (scope) => {
        keepToRoom(scope);
        scope.setErrorHandler(pageErrorHandler);
        roomScript.serve(scope);
        serveEvents(scope, context);
        servePages(scope, context);
      });
    },
  };
}

/** The pages are loaded when they are asked for first: a start does not wait for what they show. */
function servePages(scope: FastifyInstance, context: Context): void {
  for (const url of [roomUrl, webUrl, callbackUrl]) scope.refuseOthers(scope, url, ['GET'], keepOut);
  scope.get(roomUrl, async (_request, reply) => (await import('./pages.ts')).sendTvPage(reply, context));
  scope.get(webUrl, async (_request, reply) => (await import('./web/pages.ts')).sendWebPage(reply, context));
  scope.get(callbackUrl, async (request, reply) => {
    const { tenant } = request;
    const { web } = context.rooms.of(tenant.id);
    const sentBack = pageQuery(request, ['code', 'state', 'iss', 'error']);
    if (web !== null) context.rooms.change(tenant.id, { web: cameBack(web, sentBack, tenant) });
    return reply.redirect(`${webUrl}#back`, 303);
  });
}
