// The ways in that a member has, and how the password is taken away where there is another.

import type { Member } from '../../core/members/member.ts';
import { passkeyDomain } from '../../core/members/passkey.ts';
import { isLastWayIn, usesPassword, type WayIn } from '../../core/members/ways-in.ts';
import { distrustBrowsers } from '../../storage/members/known-browser.ts';
import { passwordSince, updatePasswordHash } from '../../storage/members/member.ts';
import { listPasskeys } from '../../storage/members/passkey.ts';
import { findProviders } from '../../storage/providers/identity-provider.ts';
import { listLinkedAccounts } from '../../storage/providers/linked-account.ts';
import type { Tx } from '../../storage/store.ts';
import { auditDeed } from '../audit/audit.ts';
import type { MemberDeps } from '../email-proof/email-proof.ts';
import { toMember } from '../mail/mailer.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

/** What a tenant offers, and the member whose ways in are meant. */
type Offering = Pick<OpenTenant, 'issuer' | 'passkeys' | 'emailCodes'>;
type Holder = Pick<Member, 'id' | 'tenantId' | 'userType' | 'emailVerified'>;

/** Every way in that a member has and that her tenant offers. */
export async function listWaysIn(tx: Tx, tenant: Offering, member: Holder): Promise<readonly WayIn[]> {
  const hasPassword = usesPassword(tenant, member) && (await passwordSince(tx, member)) !== null;
  const passkeys = passkeyDomain(tenant) === null ? [] : await listPasskeys(tx, member.id);
  return [
    ...(hasPassword ? [{ way: 'password', id: null } as const] : []),
    ...passkeys.map(({ id }) => ({ way: 'passkey', id }) as const),
    ...(await usableAccounts(tx, member)).map(({ id }) => ({ way: 'account', id }) as const),
    ...(tenant.emailCodes !== 'off' && member.emailVerified
      ? [{ way: 'email_code', id: null } as const]
      : []),
  ];
}

/** The accounts of other providers that she has linked, of those that are on. */
async function usableAccounts(tx: Tx, { id, tenantId }: Pick<Member, 'id' | 'tenantId'>) {
  const usable = new Set((await findProviders(tx, tenantId)).map(({ key }) => key));
  return (await listLinkedAccounts(tx, id)).filter(({ provider }) => usable.has(provider));
}

/** Where a member takes the password away, for the mail that tells of it. */
interface Removal {
  /** The hash of a password that was never told: none takes longer to be refused than another (A1). */
  readonly unknowable: string;
  readonly place: string;
  readonly language: string;
}

/**
 * Takes a member's password away, where there is another way in (decision 46), and tells her (ASVS 6.3.7).
 *
 * @returns whether there is no password any more
 */
export async function removePassword(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  { unknowable, place, language }: Removal,
  { clock, mails }: Pick<MemberDeps, 'clock' | 'mails'>,
): Promise<boolean> {
  const ways = await listWaysIn(tx, tenant, member);
  const password: WayIn = { way: 'password', id: null };
  if (isLastWayIn(ways, password)) return false;
  await updatePasswordHash(tx, member, unknowable, null);
  // A browser was trusted beside the password that is gone.
  await distrustBrowsers(tx, member.id);
  await auditDeed(tx, { event: 'password_removed', memberId: member.id, target: member.id });
  if (!ways.some(({ way }) => way === password.way)) return true;
  await mails.queue(tx, tenant, {
    ...toMember(member, language, { place, time: clock() }),
    name: 'passwordRemoved',
    link: `${tenant.issuer}/recover`,
  });
  return true;
}
