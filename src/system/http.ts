// Node's HTTP, without the client that an `import` of it brings along.
import { createRequire } from 'node:module';

/**
 * An `import` of a module of Node's own reads all that the module exports, and HTTP exports a WebSocket: the library
 * behind that takes as long to load as a tenth of a start, and stays in memory.
 */
export const { Agent, createServer, METHODS, request, STATUS_CODES }: typeof import('node:http') =
  createRequire(import.meta.url)('node:http');
