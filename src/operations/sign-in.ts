import type { Client } from '../core/client.ts';
import type { Member } from '../core/members/member.ts';
import { endSignIn } from '../core/sign-in.ts';
import { apply } from '../storage/apply.ts';
import { listSurplusSignIns } from '../storage/sign-in.ts';
import type { Tx } from '../storage/store.ts';

/**
 * Ends what a member has too much of with a client before one more sign-in begins, in its transaction: the oldest, so
 * that an app which signs in again and again fills neither the disk nor the member's pages (security, F10).
 */
export async function makeRoomForSignIn(
  tx: Tx,
  {
    client,
    member,
    issuedAt,
  }: { readonly client: Client; readonly member: Member; readonly issuedAt: number },
): Promise<void> {
  for (const signIn of listSurplusSignIns(tx, client, member.id, issuedAt)) {
    await apply(tx, endSignIn(signIn, 'too_many', issuedAt));
  }
}
