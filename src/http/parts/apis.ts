// What stands below /api/v1: the member API, and the operations of the table as the admin API.
import type { FastifyInstance } from 'fastify';
import { operations } from '../../operations/admin/index.ts';
import { adminApi } from '../admin/api.ts';
import { openApiDocument } from '../admin/api-openapi.ts';
import { protocolErrorHandler } from '../answers.ts';
import { memberApi } from '../api/member-api.ts';
import type { Deps } from '../deps.ts';
import { carryReference } from '../request-log.ts';

/** Wires both. */
export function apis(app: FastifyInstance, deps: Deps): void {
  app.setErrorHandler(protocolErrorHandler);
  carryReference(app);
  app.register(async (scope) => memberApi(scope, openApiDocument, deps));
  app.register(async (scope) => adminApi(scope, operations, deps));
}
