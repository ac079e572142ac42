// Makes Node's HTTP server, with our limits and our answers to requests that reach no route.
import { createServer, METHODS, type RequestListener, type Server } from 'node:http';
import {
  connectionsCheckingInterval,
  connectionTimeout,
  headerBytes,
  keepAliveTimeout,
  requestTimeout,
} from '../../core/limits.ts';
import { answerConnect, answerForeignMethod, answerUnknownExpectation } from './malformed.ts';

const methods: ReadonlySet<string | undefined> = new Set(METHODS);

/** Node's server with our limits and with our answers to what no route is asked for (H4, H7, H14). */
export function createHttpServer(handle: RequestListener): Server {
  const server = createServer(
    {
      maxHeaderSize: headerBytes,
      headersTimeout: requestTimeout,
      requestTimeout,
      keepAliveTimeout,
      connectionsCheckingInterval,
      // Who names no host is refused with our headers (`tenant.ts`).
      requireHostHeader: false,
    },
    (request, response) => {
      if (methods.has(request.method)) handle(request, response);
      else answerForeignMethod(request, response);
    },
  );
  server.setTimeout(connectionTimeout);
  server.on('checkExpectation', answerUnknownExpectation);
  server.on('connect', answerConnect);
  return server;
}
