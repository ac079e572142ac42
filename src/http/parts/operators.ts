// What stands below /admin: the portal, made of the table of operations.
import type { FastifyInstance } from 'fastify';
import { operations } from '../../operations/admin/index.ts';
import { portal } from '../admin/portal/portal.ts';
import type { Deps } from '../deps.ts';

/** Wires it. */
export function operators(app: FastifyInstance, deps: Deps): void {
  portal(app, operations, deps);
}
