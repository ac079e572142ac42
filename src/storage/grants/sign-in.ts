// Queries of sign-ins, of their refresh tokens and their devices.
import { sql } from 'kysely';
import type { Client } from '../../core/client.ts';
import type { SignIn, SignInEnd, SignInWrite } from '../../core/grants/sign-in.ts';
import { signInsPerMember } from '../../core/limits.ts';
import type { Member } from '../../core/members/member.ts';
import { type MemberColumns, memberColumns, memberOfRow } from '../members/member.ts';
import { insertion, lookup, mayTakeLong, prepared, query, unplanned } from '../prepared.ts';
import { type NewestPage, newest, rowsWith, updateRow } from '../rows.ts';
import type { Tx } from '../store.ts';

/** The sign-in of a tenant by its id, or null. */
export async function findSignIn(tx: Tx, tenantId: string, id: string): Promise<SignIn | null> {
  return signInOf.first(tx, { tenantId, id });
}

const signInOf = lookup('signIns', 'id', 'tenantId');

/** A sign-in, and whose it is: null where the member's data were erased. */
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
  const of = { id, tenantId, clientId, memberId, sessionId };
  const times = { authenticatedAt, createdAt, rotatedAt, endedAt };
  return {
    signIn: { ...of, state, scope, resources, generation, ...times, endReason, label, claims, dpopJkt },
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
export async function rotateSignIn(tx: Tx, move: Rotation): Promise<void> {
  await rotation.changeOne(tx, move);
}

const rotation = prepared(({ id, from, to, at }: Pick<Rotation, 'id' | 'from' | 'to' | 'at'>) =>
  query
    .updateTable('signIns')
    .set({ generation: to, rotatedAt: at })
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
  await ending.changeOne(tx, end);
}

const ending = prepared(({ id, at, reason }: Pick<End, 'id' | 'at' | 'reason'>) =>
  query
    .updateTable('signIns')
    .set({ state: 'ended', endedAt: at, endReason: reason })
    .where('id', '=', id)
    .where('state', '=', 'active'),
);

/** Whose a sign-in is. */
export async function ownerOfSignIn(
  tx: Tx,
  id: string,
): Promise<Pick<SignIn, 'tenantId' | 'clientId' | 'memberId'>> {
  const owner = await ownerOf.first(tx, { id });
  if (owner === null) throw new Error('there is no such sign-in');
  return owner;
}

const ownerOf = prepared(({ id }: Pick<SignIn, 'id'>) =>
  query.selectFrom('signIns').select(['tenantId', 'clientId', 'memberId']).where('id', '=', id),
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
  await tx
    .updateTable('signIns')
    .set({ state: 'ended', endedAt: at, endReason: reason })
    .where('tenantId', '=', tenantId)
    .where('clientId', '=', clientId)
    // As a literal, since the index holds these alone.
    .where('state', '=', sql.lit('active'))
    .execute();
}

/**
 * The sign-ins with a client that a member may not keep when one more begins: the oldest, of those that still give
 * access (`signInLives`), and a bounded number at a time.
 */
export async function listSurplusSignIns(
  tx: Tx,
  { tenantId, clientId, signInsPerMember: kept, ...client }: Client,
  memberId: string,
  now: number,
): Promise<readonly SignIn[]> {
  return surplus.all(tx, {
    tenantId,
    clientId,
    memberId,
    kept: kept - 1,
    unusedSince: now - client.refreshTokenIdle,
    begunSince: now - client.refreshTokenAbsolute,
    accessSince: now - client.accessTokenSeconds * 1_000,
  });
}

const surplus = prepared(
  ({
    tenantId,
    clientId,
    memberId,
    kept,
    unusedSince,
    begunSince,
    accessSince,
  }: Pick<SignIn, 'tenantId' | 'clientId' | 'memberId'> & {
    readonly kept: number;
    readonly unusedSince: number;
    readonly begunSince: number;
    readonly accessSince: number;
  }) =>
    query
      .selectFrom('signIns')
      .innerJoin('sessions', 'sessions.id', 'signIns.sessionId')
      .selectAll('signIns')
      .where('signIns.memberId', '=', memberId)
      .where('signIns.state', '=', 'active')
      .where('signIns.tenantId', '=', tenantId)
      .where('signIns.clientId', '=', clientId)
      .where(({ and, eb, or }) =>
        or([
          and([
            eb('signIns.scope', 'like', '%offline_access%'),
            eb('signIns.rotatedAt', '>', unusedSince),
            eb('signIns.createdAt', '>', begunSince),
          ]),
          and([
            eb('signIns.scope', 'not like', '%offline_access%'),
            eb('signIns.createdAt', '>', accessSince),
            eb('sessions.state', '=', 'active'),
          ]),
        ]),
      )
      // The ids tell the time.
      .orderBy('signIns.id', 'desc')
      .limit(signInsPerMember.bite)
      .offset(kept),
);

/** The sign-ins of a member that have not ended. */
export async function listActiveSignIns(tx: Tx, memberId: string): Promise<readonly SignIn[]> {
  return rowsWith(tx, 'signIns', { memberId, state: 'active' }).execute();
}

/** A sign-in with what its device said of itself and where it was seen. */
export interface MemberSignIn {
  readonly signIn: SignIn;
  /** Null where a browser began it. */
  readonly device: { readonly name: string | null; readonly model: string | null } | null;
  /** What the browser said it is; the one that approved the device, where a device began it. */
  readonly userAgent: string;
  /** The address that the device asked from, or the browser. */
  readonly ipAddress: string;
}

/** The same with their devices, the newest first, since the ids tell the time. */
export async function listMemberSignIns(
  tx: Tx,
  memberId: string,
  page?: NewestPage<string>,
): Promise<readonly MemberSignIn[]> {
  const all = tx
    .selectFrom('signIns')
    .innerJoin('sessions', 'sessions.id', 'signIns.sessionId')
    .leftJoin('deviceCodes', 'deviceCodes.signInId', 'signIns.id')
    .selectAll('signIns')
    .select([
      'sessions.userAgent',
      'sessions.ipAddress',
      'deviceCodes.id as deviceCodeId',
      'deviceCodes.deviceName',
      'deviceCodes.deviceModel',
      'deviceCodes.ipAddress as deviceAddress',
    ])
    .where('signIns.memberId', '=', memberId)
    .where('signIns.state', '=', 'active');
  return (await newest(all, 'signIns.id', page).execute()).map(
    ({ userAgent, ipAddress, deviceCodeId, deviceName, deviceModel, deviceAddress, ...signIn }) => ({
      signIn,
      device: deviceCodeId === null ? null : { name: deviceName, model: deviceModel },
      userAgent,
      ipAddress: deviceAddress ?? ipAddress,
    }),
  );
}
