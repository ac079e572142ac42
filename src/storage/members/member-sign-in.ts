// Lists a member's sign-ins with what is known of their devices.
import type { SignIn } from '../../core/grants/sign-in.ts';
import type { Tx } from '../store.ts';

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

/** The sign-ins of a member that have not ended, the newest first: all of them, or those of one page. */
export async function listMemberSignIns(
  tx: Tx,
  memberId: string,
  { before, limit }: { readonly before?: string; readonly limit?: number } = {},
): Promise<readonly MemberSignIn[]> {
  let query = tx
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
    .where('signIns.state', '=', 'active')
    // The ids tell the time.
    .orderBy('signIns.id', 'desc');
  if (before !== undefined) query = query.where('signIns.id', '<', before);
  if (limit !== undefined) query = query.limit(limit);
  return (await query.execute()).map(
    ({ userAgent, ipAddress, deviceCodeId, deviceName, deviceModel, deviceAddress, ...signIn }) => ({
      signIn,
      device: deviceCodeId === null ? null : { name: deviceName, model: deviceModel },
      userAgent,
      ipAddress: deviceAddress ?? ipAddress,
    }),
  );
}
