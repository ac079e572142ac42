// The rows of the audit, of figures, and of what operators and their tools call.
import type { AdminToken } from '../../core/operators/admin-token.ts';
import type { AuditEvent } from '../../core/operators/audit-event.ts';
import type { Rule } from '../../core/refusals/rule.ts';
import type { SignInWay } from '../../core/strength.ts';
import type { Stored } from '../stored.ts';

/** The changes are a JSON list; what an event leaves out is null. */
export type AuditEventRow = Omit<AuditEvent, LeftOut> &
  Record<Exclude<LeftOut, 'rule' | 'way'>, string | null> & { rule: Rule | null; way: SignInWay | null };

type LeftOut = 'changes' | 'operation' | 'reference' | 'browser' | 'memberId' | 'rule' | 'way';

/** The scopes are a JSON object. */
export type AdminTokenRow = Stored<AdminToken, 'permissions'>;

/** A call that is made once. */
export interface CallOnceRow {
  /** A digest of the owner of the key, its use and the key. */
  id: string;
  /** The tenant for which the answer is sealed; empty for the service. */
  owner: string;
  /** Whose personal data the answer may hold. */
  memberId: string | null;
  /** Sealed; null while the call is under way, in its transaction alone. */
  answer: Buffer | null;
  createdAt: number;
}

/** What a figure of a tenant came to in an hour or a day of UTC. */
export interface FigureRow {
  tenantId: string;
  unit: 'hour' | 'day';
  /** When it began (ms). */
  at: number;
  /** `FigureName`; behind one of money stands its currency. */
  name: string;
  value: number;
}

/** Work that one of several processes does at a time. */
export interface LeaseRow {
  /** Of the work. */
  name: string;
  /** Names the process that does it, or did it last. */
  holder: string;
  /** Before this moment (ms) no other process does it. */
  until: number;
}
