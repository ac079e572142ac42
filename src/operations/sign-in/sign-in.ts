// Lists the sign-ins of a member, and keeps them within their number.
import type { Client } from '../../core/client.ts';
import { endSignIn, type SignIn, type SignInWrite, signInLives } from '../../core/grants/sign-in.ts';
import { shownName } from '../../core/members/details.ts';
import type { Member } from '../../core/members/member.ts';
import { findClient } from '../../storage/clients/client.ts';
import { findDeviceCodeOfSignIn } from '../../storage/grants/device-code.ts';
import {
  listMemberSignIns,
  listSurplusSignIns,
  type MemberSignIn,
} from '../../storage/grants/member-sign-ins.ts';
import { findSession } from '../../storage/grants/session.ts';
import type { Tx } from '../../storage/store.ts';
import { memoized } from '../../text/memoized.ts';
import { type Page, type PageOf, walkedPage } from '../page.ts';

/**
 * What ends those that a member has too many of with a client, to be written before one more sign-in begins: the
 * oldest, so that an app which signs in again and again fills neither the disk nor the member's pages (security, F10).
 */
export async function roomForSignIn(
  tx: Tx,
  client: Client,
  memberId: string,
  now: number,
): Promise<readonly SignInWrite[]> {
  const surplus = await listSurplusSignIns(tx, client, memberId, now);
  return surplus.flatMap((signIn) => endSignIn(signIn, 'too_many', now));
}

/** The name of a sign-in: the one that its member gave it, that of its device, or that of its app. */
export async function nameOfSignIn(tx: Tx, signIn: SignIn): Promise<string> {
  const { label, tenantId, clientId } = signIn;
  const code = label === null ? await findDeviceCodeOfSignIn(tx, signIn) : null;
  return label ?? code?.deviceName ?? shownName((await findClient(tx, tenantId, clientId))?.name ?? clientId);
}

/** A sign-in that gives its app access, and the app. */
export type LivingSignIn = MemberSignIn & { readonly client: Client };

/** A page of the sign-ins of a member that give access, the newest first. */
export function livingSignIns(
  tx: Tx,
  { id, tenantId }: Pick<Member, 'id' | 'tenantId'>,
  page: PageOf,
  now: number,
): Promise<Page<LivingSignIn>> {
  const sessionOf = memoized((sessionId) => findSession(tx, tenantId, sessionId));
  return walkedPage<MemberSignIn, LivingSignIn, string>(
    page,
    ({ signIn }) => signIn.id,
    (from) => listMemberSignIns(tx, id, from),
    async (found) => {
      const { signIn } = found;
      const client = await findClient(tx, tenantId, signIn.clientId);
      if (client === null) return null;
      return signInLives(signIn, client, await sessionOf(signIn.sessionId), now)
        ? { ...found, client }
        : null;
    },
  );
}
