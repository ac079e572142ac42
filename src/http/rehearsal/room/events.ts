// Tells the pages of the room at once what is new (server-sent events), and lets the TV poll while a page looks on.
import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { retryAfterSeconds } from '../../../core/limits.ts';
import { eventsHeartbeat, eventsListeners, eventsUnread, tvLooks } from '../../../core/rehearsal/limits.ts';
import { sendRefusal } from '../../answers.ts';
import { tooMany } from '../../limit-reached.ts';
import { keepOut, roomUrl } from '../deeds.ts';
import type { WireLog } from '../wire/recorder.ts';
import { placeOf } from './call.ts';
import type { Rooms } from './memory.ts';
import type { TvSet } from './set.ts';

const headers = { 'cache-control': 'no-store' };
const type = 'text/event-stream; charset=utf-8';

interface Looking {
  readonly wire: WireLog;
  readonly rooms: Rooms;
  readonly tvSet: TvSet;
}

/**
 * GET /rehearsal/events: `entry` for each entry of the wire log, as JSON under its number, and `room` when something else is
 * another. A page that comes back names the last entry in Last-Event-ID and gets those that it missed.
 */
export function serveEvents(scope: FastifyInstance, { wire, rooms, tvSet }: Looking): void {
  const streams = new Set<PassThrough>();
  // An open page does not keep the service from stopping.
  scope.addHook('preClose', async () => {
    for (const stream of streams) stream.end();
  });
  const url = `${roomUrl}/events`;
  scope.refuseOthers(scope, url, ['GET'], keepOut);
  scope.head(url, (_request, reply) => reply.headers(headers).type(type).send(''));
  scope.get(url, { exposeHeadRoute: false }, (request, reply) => {
    if (streams.size >= eventsListeners) {
      return sendRefusal(reply.header('retry-after', retryAfterSeconds), tooMany);
    }
    const stream = new PassThrough();
    const { tenant } = request;
    const tell = (event: string, data: unknown, id?: number) => {
      const number = id === undefined ? '' : `id: ${id}\n`;
      stream.write(`${number}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      if (stream.writableLength > eventsUnread) request.raw.destroy();
    };
    const poll = () =>
      tvSet.pollIfDue({ tenant, place: placeOf(request) }).catch((error: unknown) => {
        request.log.error({ err: error }, 'the TV of the rehearsal room cannot poll');
      });
    const ends = [
      wire.subscribe(tenant.id, (entry) => tell('entry', entry, entry.id)),
      rooms.subscribe(tenant.id, () => tell('room', {})),
      every(tvLooks, () => void poll()),
      every(eventsHeartbeat, () => stream.write(': \n\n')),
    ];
    streams.add(stream);
    stream.on('close', () => {
      streams.delete(stream);
      for (const end of ends) end();
    });
    request.raw.socket.once('close', () => stream.destroy());
    tell('room', {});
    for (const entry of missed(wire, request)) tell('entry', entry, entry.id);
    return reply.headers(headers).type(type).send(stream);
  });
}

function missed(wire: WireLog, { headers, tenant }: FastifyRequest) {
  const last = Number(headers['last-event-id']);
  return Number.isSafeInteger(last) && last > 0 ? wire.entries(tenant.id, last) : [];
}

function every(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms).unref();
  return () => clearInterval(timer);
}
