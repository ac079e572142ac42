// Queries of sign-ins, of their refresh tokens and their devices.
import { sql } from 'kysely';
import type { SignInOwner } from '../../core/events/change.ts';
import { type SignIn, type SignInEnd, type SignInWrite, storedHolder } from '../../core/grants/sign-in.ts';
import type { Member } from '../../core/members/member.ts';
import { insertEvents } from '../events/event.ts';
import { type MemberColumns, memberColumns, memberOfRow } from '../members/member-row.ts';
import { insertion, lookup, mayTakeLong, prepared, query, unplanned } from '../prepared.ts';
import { updateRow } from '../rows.ts';
import type { Tx } from '../store.ts';

/** The sign-in of a tenant by its id, or null. */
export async function findSignIn(tx: Tx, tenantId: string, id: string): Promise<SignIn | null> {
  return signInOf.first(tx, { tenantId, id });
}

const signInOf = lookup('signIns', 'id', 'tenantId');

/** A sign-in and its member: null where the member's data were erased. */
interface SignInOfMember {
  readonly signIn: SignIn;
  readonly member: Member | null;
}

/** The same with its member, read at once: each token that is refreshed needs both. */
export async function findSignInWithMember(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<SignInOfMember | null> {
  const row = await signInWithMember.first(tx, { tenantId, id });
  if (row === null) return null;
  const { clientId, memberId, sessionId, state, scope, resources, generation, authenticatedAt } = row;
  const { begunAt: createdAt, rotatedAt, endedAt, endReason, label, claims, dpopJkt } = row;
  const { holderNetwork, holderProgram, reuse } = row;
  const of = { id, tenantId, clientId, memberId, sessionId };
  const times = { authenticatedAt, createdAt, rotatedAt, endedAt };
  return {
    signIn: {
      ...of,
      state,
      scope,
      resources,
      generation,
      ...times,
      endReason,
      label,
      claims,
      dpopJkt,
      holderNetwork,
      holderProgram,
      reuse,
    },
    member: row.id === null ? null : memberOfRow(row as MemberColumns),
  };
}

const signInWithMember = prepared(({ tenantId, id }: Pick<SignIn, 'tenantId' | 'id'>) =>
  query
    .selectFrom('signIns')
    .leftJoin('members', (join) =>
      join
        .onRef('members.id', '=', 'signIns.memberId')
        .onRef('members.tenantId', '=', 'signIns.tenantId')
        .on('members.erasedAt', 'is', null),
    )
    .select([
      'signIns.clientId',
      'signIns.memberId',
      'signIns.sessionId',
      'signIns.state',
      'signIns.scope',
      'signIns.resources',
      'signIns.generation',
      'signIns.authenticatedAt',
      'signIns.createdAt as begunAt',
      'signIns.rotatedAt',
      'signIns.endedAt',
      'signIns.endReason',
      'signIns.label',
      'signIns.claims',
      'signIns.dpopJkt',
      'signIns.holderNetwork',
      'signIns.holderProgram',
      'signIns.reuse',
    ])
    .select(memberColumns)
    // Of a join the planner looks at partial indexes too, and so at what is bound.
    .where('signIns.id', '=', unplanned(id, 'text'))
    .where('signIns.tenantId', '=', unplanned(tenantId, 'text')),
);

export const insertSignIn = insertion('signIns');

/** Gives a sign-in the name that its member chose; null takes it away. */
export async function updateSignInLabel(tx: Tx, id: string, label: string | null): Promise<void> {
  await updateRow(tx, 'signIns', { id }, { label });
}

type Rotation = Extract<SignInWrite, { write: 'rotateSignIn' }>;
type End = Extract<SignInWrite, { write: 'endSignIn' }>;

/** Moves the current generation on by one; only from the generation that the decision saw. */
export async function rotateSignIn(tx: Tx, { holder, ...move }: Rotation): Promise<void> {
  await rotation.changeOne(tx, { ...move, ...storedHolder(holder) });
}

const rotation = prepared(
  ({
    id,
    from,
    to,
    at,
    holderNetwork,
    holderProgram,
  }: Pick<Rotation, 'id' | 'from' | 'to' | 'at'> & Pick<SignIn, 'holderNetwork' | 'holderProgram'>) =>
    query
      .updateTable('signIns')
      .set({ generation: to, rotatedAt: at, holderNetwork, holderProgram })
      .where('id', '=', id)
      .where('generation', '=', from)
      .where('state', '=', 'active'),
);

/** Binds the refresh tokens of a sign-in that is bound to no key yet. */
export async function bindSignIn(
  tx: Tx,
  { id, dpopJkt }: Extract<SignInWrite, { write: 'bindSignIn' }>,
): Promise<void> {
  await binding.changeOne(tx, { id, dpopJkt });
}

const binding = prepared(({ id, dpopJkt }: { readonly id: string; readonly dpopJkt: string }) =>
  query.updateTable('signIns').set({ dpopJkt }).where('id', '=', id).where('dpopJkt', 'is', null),
);

export async function endSignIn(tx: Tx, end: End): Promise<void> {
  await ending.changeOne(tx, { ...end, reuse: end.reuse ?? null });
}

const ending = prepared(
  ({ id, at, reason, reuse }: Pick<End, 'id' | 'at' | 'reason'> & Pick<SignIn, 'reuse'>) =>
    query
      .updateTable('signIns')
      .set({ state: 'ended', endedAt: at, endReason: reason, reuse })
      .where('id', '=', id)
      .where('state', '=', 'active'),
);

/** Whose a sign-in is, and which TV's. */
export async function ownerOfSignIn(tx: Tx, id: string): Promise<SignInOwner> {
  const owner = await ownerOf.first(tx, { id });
  if (owner === null) throw new Error('there is no such sign-in');
  return owner;
}

const ownerOf = prepared(({ id }: Pick<SignIn, 'id'>) =>
  query
    .selectFrom('signIns')
    .leftJoin('deviceCodes', 'deviceCodes.signInId', 'signIns.id')
    .select(['signIns.tenantId', 'signIns.clientId', 'signIns.memberId', 'deviceCodes.id as deviceId'])
    // Of a join the planner looks at partial indexes too, and so at what is bound.
    .where('signIns.id', '=', unplanned(id, 'text')),
);

/**
 * Ends every sign-in of a client in one statement: there may be a hundred thousand, and no request may wait for
 * each. It is the one move that the machine has from `active` for this event.
 */
export async function endSignInsOfClient(
  tx: Tx,
  { tenantId, clientId }: Pick<SignIn, 'tenantId' | 'clientId'>,
  reason: SignInEnd,
  at: number,
): Promise<void> {
  await mayTakeLong(tx);
  await tellEnds(tx, reason, at, (signIns) =>
    signIns.where('signIns.tenantId', '=', tenantId).where('signIns.clientId', '=', clientId),
  );
  await tx
    .updateTable('signIns')
    .set({ state: 'ended', endedAt: at, endReason: reason })
    .where('tenantId', '=', tenantId)
    .where('clientId', '=', clientId)
    // As a literal, since the index holds these alone.
    .where('state', '=', sql.lit('active'))
    .execute();
}

/** The sign-ins that have not ended, as a query to be narrowed. */
const lasting = (tx: Tx) => tx.selectFrom('signIns').where('signIns.state', '=', sql.lit('active'));

/**
 * Tells of the ends of many sign-ins, before they are written, as `apply` tells of each by itself.
 *
 * @param narrow says which of those that have not ended
 */
export async function tellEnds(
  tx: Tx,
  reason: SignInEnd,
  at: number,
  narrow: (signIns: ReturnType<typeof lasting>) => ReturnType<typeof lasting>,
): Promise<void> {
  const owners = narrow(lasting(tx)).select(['signIns.tenantId', 'signIns.memberId', 'signIns.clientId']);
  const event = { detail: reason, at };
  await insertEvents(tx, { ...event, type: 'sign_in.ended' }, owners.select('signIns.id as subject'));
  const ofDevices = owners
    .innerJoin('deviceCodes', 'deviceCodes.signInId', 'signIns.id')
    .select('deviceCodes.id as subject');
  await insertEvents(tx, { ...event, type: 'device.revoked' }, ofDevices);
}
