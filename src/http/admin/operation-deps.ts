// What the operations use of what the service has, for the faces that HTTP serves.
import type { OperationDeps } from '../../operations/admin/operation.ts';
import type { Deps } from '../deps.ts';

/** The clock is read once: an operation happens at one moment. */
export function operationDeps({ vault, passwords, random, mails, tenants, clock }: Deps): OperationDeps {
  return { vault, passwords, random, mails, tenants, now: clock() };
}
