// Says what the ids in events of the audit are called, as far as an actor may know.

import { type Actor, mayGrant } from '../../core/operators/permission.ts';
import type { StoredAuditEvent } from '../../storage/operators/audit-list.ts';
import {
  type FoundName,
  type FoundNames,
  findEventNames,
  isNumbered,
  keyOfName,
} from '../../storage/operators/event-names.ts';
import type { Tx } from '../../storage/store.ts';

/** What an event is about, by names: null where there is none, where it was erased, or where the actor may not know. */
export interface EventNames {
  /** Who did it. */
  readonly actor: string | null;
  /** The member that it is about, by id and name; it may be the one who did it. */
  readonly memberId: string | null;
  readonly member: string | null;
  /** What it was done to: a client, a TV, a package, a token. */
  readonly target: string | null;
  /** The client that it went through. */
  readonly client: string | null;
  /** What was bought with it, and what that costs. */
  readonly offer: FoundName['offer'];
}

/** The names of some events, in their order. */
export async function eventNames(
  tx: Tx,
  events: readonly StoredAuditEvent[],
  actor: Actor,
): Promise<readonly EventNames[]> {
  const found = await findEventNames(tx, events);
  // Who may not read members learns no name of one, nor what one calls a TV.
  const isReader = mayGrant(actor, ['members:read']);
  return events.map((event) => namesOf(event, found, isReader));
}

function namesOf(event: StoredAuditEvent, found: FoundNames, isReader: boolean): EventNames {
  const { tenantId, actorKind, actorId, clientId } = event;
  // An id that was typed can be one of another tenant's: it says nothing here.
  const own = (name: FoundName | undefined) =>
    name === undefined || (tenantId !== null && name.tenantId !== tenantId) ? null : name;
  const client = (id: string | null) => own(found.get(keyOfName.client(tenantId, id ?? '')));
  // A system administrator may be a member of another tenant.
  const doer = actorId === null ? null : (found.get(keyOfName.id(actorId)) ?? null);
  const things = thingsOf(event).flatMap((key) => own(found.get(key)) ?? []);
  const memberId = event.memberId ?? things.find((thing) => thing.memberId !== null)?.memberId ?? null;
  const whose = memberId === null ? null : own(found.get(keyOfName.id(memberId)));
  const thing = things.find(({ kind }) => kind !== 'member' && kind !== 'browser') ?? null;
  const isKnown = (name: FoundName | null) =>
    name !== null && (isReader || (name.kind !== 'member' && name.kind !== 'device'));
  const textOf = (name: FoundName | null) => (isKnown(name) ? (name?.text ?? null) : null);
  return {
    actor: textOf(
      actorKind === 'client' ? client(actorId) : actorKind === 'member' ? own(doer ?? undefined) : doer,
    ),
    memberId,
    member: textOf(whose),
    target: textOf(thing),
    client: textOf(client(clientId) ?? client(thing?.clientId ?? null)),
    offer: thing?.offer ?? null,
  };
}

/** The keys of what the target of an event can be. */
function thingsOf({ tenantId, event, target, operation }: StoredAuditEvent): readonly string[] {
  const isOfSubscription = event === 'subscription_changed' || event.startsWith('seat_');
  const noun = isOfSubscription ? 'subscriptions' : nounOf(operation ?? null);
  return (target ?? '')
    .split(' ')
    .flatMap((part) => [
      ...(isNumbered(noun) ? [keyOfName.number(noun, part)] : []),
      keyOfName.id(part),
      keyOfName.client(tenantId, part),
    ]);
}

/** The noun of an operation's name. */
export const nounOf = (operation: string | null) => String((operation ?? '').split('.')[0]);
