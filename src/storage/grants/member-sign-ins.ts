// The sign-ins of a member: those that give access, and those that are too many.
import type { Client } from '../../core/client.ts';
import type { SignIn } from '../../core/grants/sign-in.ts';
import { signInsPerMember } from '../../core/limits.ts';
import { prepared, query } from '../prepared.ts';
import { type NewestPage, newest, rowsWith } from '../rows.ts';
import type { Tx } from '../store.ts';

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
  const allowed = kept - 1;
  // Few members have so many with all clients together: that the index tells alone (performance 15).
  if ((await another.first(tx, { memberId, allowed })) === null) return [];
  return surplus.all(tx, {
    tenantId,
    clientId,
    memberId,
    allowed,
    unusedSince: now - client.refreshTokenIdle,
    begunSince: now - client.refreshTokenAbsolute,
    accessSince: now - client.accessTokenSeconds * 1_000,
  });
}

/** Whether a member has more sign-ins that have not ended than these. */
const another = prepared(({ memberId, allowed }: Pick<SignIn, 'memberId'> & { readonly allowed: number }) =>
  query
    .selectFrom('signIns')
    .select('id')
    .where('memberId', '=', memberId)
    .where('state', '=', 'active')
    .orderBy('id', 'desc')
    .limit(1)
    .offset(allowed),
);

const surplus = prepared(
  ({
    tenantId,
    clientId,
    memberId,
    allowed,
    unusedSince,
    begunSince,
    accessSince,
  }: Pick<SignIn, 'tenantId' | 'clientId' | 'memberId'> & {
    readonly allowed: number;
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
      .offset(allowed),
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
