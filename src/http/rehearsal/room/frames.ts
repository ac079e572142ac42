// Lets the phone of the room show the hosted pages: in a frame of the room's page, and of no other.
import type { FastifyInstance } from 'fastify';
import { standingOf } from '../guard.ts';

/**
 * Every page of ours refuses to stand in a frame (W1, W2). For a frame of its own origin on a development tenant, on this
 * machine, it says so of other origins alone. To be called before any route is registered.
 */
export function letPhoneShowPages(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { 'sec-fetch-dest': destination, 'sec-fetch-site': site } = request.headers;
    const policy = reply.getHeader('content-security-policy');
    const isFramed = destination === 'iframe' && site === 'same-origin' && standingOf(request) === 'ours';
    if (isFramed && typeof policy === 'string') {
      reply.header('x-frame-options', 'SAMEORIGIN');
      reply.header(
        'content-security-policy',
        policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'"),
      );
    }
    done();
  });
}
