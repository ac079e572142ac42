// A call of an operation, and what the audit is told of it.
import { isId } from '../../core/id.ts';
import { auditTextLength } from '../../core/limits.ts';
import { isLikeSecret } from '../../core/operators/admin-token.ts';
import { aboutMember, auditEvent, type FieldChange, type Source } from '../../core/operators/audit-event.ts';
import type { Actor } from '../../core/operators/permission.ts';
import { insertAuditEvent } from '../../storage/operators/audit-event.ts';
import type { Store, Tx } from '../../storage/store.ts';
import { type Facts, forReaders } from '../field-changes.ts';
import { problemLine } from '../problem-text.ts';
import type { OperationRefused } from '../refusal.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import { isMemberAddress } from './input.ts';
import { type Operation, type OperationContext, pathFields } from './operation.ts';

/** What came with a call, whichever face it came through. */
export interface Call {
  readonly operation: Operation;
  readonly actor: Actor;
  readonly input: Readonly<Record<string, unknown>>;
  /** Where it came from; null for the machine itself. */
  readonly address: string | null;
  /**
   * Makes sure, in the transaction of the work, that the caller still may: the session or the token may have ended
   * since it was looked at (architecture, rule 19; F4). It throws where it has.
   */
  readonly demand?: (tx: Tx) => Promise<void>;
  /** Hears what it changed, as the audit says it, before that is committed; null of what was not there before. */
  readonly told?: (changes: readonly FieldChange[] | null) => void;
  /** The key that came with it: with the same one it is done once. */
  readonly key?: string;
  /** The operation that it is a part of, such as a tenant file's. */
  readonly partOf?: string;
}

/** The caller: everything that the operation changes is theirs. */
export function sourceOf({ actor, input, address }: Call, tenantId: string | null, now: number): Source {
  const { clientId: named } = input;
  const clientId = typeof named === 'string' ? clipped(named) : null;
  return { tenantId, ...actorOf(actor), clientId, address, at: now };
}

export function actorOf(actor: Actor): Pick<Source, 'actorKind' | 'actorId'> {
  if (actor.kind === 'admin') return { actorKind: 'admin', actorId: actor.memberId };
  if (actor.kind === 'token') return { actorKind: 'token', actorId: actor.tokenId };
  if (actor.kind === 'client') return { actorKind: 'client', actorId: actor.clientId };
  return { actorKind: 'operator', actorId: actor.user?.slice(0, auditTextLength) ?? null };
}

export function auditAct(
  { tx, now, tenant }: OperationContext,
  call: Call,
  { answer, changes }: { readonly answer: object; readonly changes: readonly FieldChange[] },
): Promise<void> {
  const { operation, input, partOf } = call;
  const facts = {
    event: 'admin_acted',
    operation: operation.name,
    target: targetOf(operation, { ...answer, ...input }),
    reason: partOf === undefined ? operation.name : `${partOf}: ${operation.name}`,
    ...(changes.length === 0 ? {} : { changes: forReaders(changes, operation.permission) }),
  } as const;
  // What was changed may be a member's, such as her subscription.
  const { memberId } = { ...answer, ...input } as Facts;
  const event = auditEvent(sourceOf(call, tenant?.id ?? null, now), facts);
  return insertAuditEvent(tx, aboutMember(event, typeof memberId === 'string' ? memberId : null));
}

/** Writes the denial into the audit of the caller's own tenant, whose administrators look after it. */
export async function writeDenial(
  store: Store,
  call: Call,
  tenant: OpenTenant | null,
  refused: OperationRefused,
  now: number,
): Promise<void> {
  const { operation, actor } = call;
  const input = idsOf(operation, call.input);
  const own = actor.kind === 'operator' ? null : actor.tenantId;
  const event = auditEvent(sourceOf({ ...call, input }, own ?? tenant?.id ?? null, now), {
    event: 'admin_denied',
    operation: operation.name,
    target: targetOf(operation, input),
    result: 'refused',
    reason: `${operation.name}: ${problemLine(refused.problems)}`,
  });
  await store.transaction((tx) => insertAuditEvent(tx, event));
  refused.isWritten = true;
}

/** The fields of an input that can be ids: what was denied was not checked, and may be a secret in the wrong place. */
function idsOf({ input: { properties } }: Operation, input: Call['input']): Call['input'] {
  return Object.fromEntries(
    Object.entries(input).filter(([name, value]) => {
      if (!Object.hasOwn(properties, name) || name === 'secretId') return false;
      const id = String(value);
      if (isId(id) || /^\d{1,16}$/.test(id)) return true;
      const pattern = properties[name]?.heldTo?.pattern;
      return pattern !== undefined && new RegExp(pattern).test(id) && !isLikeSecret(id);
    }),
  );
}

/** What was acted on: the fields of the path behind the tenant, or what was made. */
function targetOf({ path, made }: Operation, facts: Readonly<Record<string, unknown>>): string | null {
  const names = pathFields({ path }).filter((name) => name !== 'tenant');
  // An address that was typed stands in no line, whether an account has it or not.
  const told = [...names, ...(made === undefined ? [] : [made])].filter(
    (name) => facts[name] !== undefined && !isMemberAddress(name, facts[name]),
  );
  return told.length === 0 ? null : clipped(told.map((name) => String(facts[name])).join(' '));
}

/** The input of a denied call was not checked, so it is cut before it is kept. */
const clipped = (text: string) => text.slice(0, auditTextLength);
