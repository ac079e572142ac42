// Links accounts of other providers to members, and takes the links away.
import type { Member } from '../../core/members/member.ts';
import { isLastWayIn } from '../../core/members/ways-in.ts';
import type { IdentityProvider } from '../../core/providers/identity-provider.ts';
import { accountsOfMember, keptTokensLength } from '../../core/providers/limits.ts';
import type { LinkedAccount, PendingAccount } from '../../core/providers/linked-account.ts';
import type { Vault } from '../../secrets/vault.ts';
import { findProviders, listProviders } from '../../storage/providers/identity-provider.ts';
import {
  deleteLinkedAccount,
  findLinkedAccount,
  insertLinkedAccount,
  listLinkedAccounts,
  updateLinkedAccount,
} from '../../storage/providers/linked-account.ts';
import type { Tx } from '../../storage/store.ts';
import { auditDeed } from '../audit/audit.ts';
import type { MemberDeps } from '../email-proof/email-proof.ts';
import { toMember } from '../mail/mailer.ts';
import { listWaysIn } from '../sign-in/ways-in.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

/** An account that was proven at its provider: now, or so lately that it still counts. */
export type ProvenAccount = Pick<PendingAccount, 'provider' | 'issuer' | 'subject' | 'email'>;

/**
 * Links a proven account to a member who proved who she is.
 *
 * @param isNews whether she is told by mail: not of the account that hers began with
 * @returns the link, the one that was there if it is hers; or why there is none
 */
export async function linkAccount(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  { provider, issuer, subject, email }: ProvenAccount,
  deps: MemberDeps,
  { isNews = true } = {},
): Promise<LinkedAccount | 'gone' | 'taken' | 'too-many'> {
  const known = (await findProviders(tx, tenant.id)).find(({ key }) => key === provider);
  if (known === undefined) return 'gone';
  const linked = await findLinkedAccount(tx, { tenantId: tenant.id, provider, issuer, subject });
  if (linked !== null) return linked.memberId === member.id ? linked : 'taken';
  if ((await listLinkedAccounts(tx, member.id)).length >= accountsOfMember) return 'too-many';
  const now = deps.clock();
  const account: LinkedAccount = {
    id: deps.random.id(now),
    tenantId: tenant.id,
    memberId: member.id,
    provider,
    issuer,
    subject,
    email: email ?? '',
    linkedAt: now,
    lastUsedAt: now,
  };
  await insertLinkedAccount(tx, account);
  await auditDeed(tx, { event: 'account_linked', memberId: member.id, target: member.id, reason: provider });
  if (isNews) {
    await tell(tx, tenant, member, { mail: 'accountLinked', account, called: known.name }, deps);
  }
  return account;
}

/** Tells a member of an account, by the name of its provider and the address that it has there. */
async function tell(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  told: {
    readonly mail: 'accountLinked' | 'accountUnlinked';
    readonly account: LinkedAccount;
    readonly called: string;
  },
  { clock, mails }: Pick<MemberDeps, 'clock' | 'mails'>,
): Promise<void> {
  const { mail: name, account, called } = told;
  const linked = account.email === '' ? called : `${called} (${account.email})`;
  await mails.queue(tx, tenant, {
    ...toMember(member, undefined, { linked, time: clock() }),
    name,
    link: `${tenant.issuer}/account/accounts`,
  });
}

/** Writes down that an account was used to sign in, and keeps what its provider gave where the operator asked for that. */
export async function useLinkedAccount(
  tx: Tx,
  account: LinkedAccount,
  { keepTokens }: Pick<IdentityProvider, 'keepTokens'>,
  tokens: string,
  { vault, now }: { readonly vault: Pick<Vault, 'encrypt'>; readonly now: number },
): Promise<void> {
  const isKept = keepTokens && tokens.length <= keptTokensLength;
  const sealed = isKept ? vault.encrypt(Buffer.from(tokens), account.tenantId) : null;
  await updateLinkedAccount(tx, account, { lastUsedAt: now, tokens: sealed });
}

/**
 * Takes the link to an account away, and tells its member; the last way in stays (decision 46).
 *
 * @returns null if the member has no such account
 */
export async function unlinkAccount(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  id: string,
  deps: Pick<MemberDeps, 'clock' | 'mails'>,
): Promise<'unlinked' | 'last' | null> {
  const linked = await listLinkedAccounts(tx, member.id);
  const account = linked.find((one) => one.id === id);
  if (account === undefined) return null;
  if (isLastWayIn(await listWaysIn(tx, tenant, member), { way: 'account', id })) return 'last';
  await deleteLinkedAccount(tx, account);
  const { provider: reason } = account;
  await auditDeed(tx, { event: 'account_unlinked', memberId: member.id, target: member.id, reason });
  const found = (await listProviders(tx, tenant.id)).find(({ key }) => key === account.provider);
  const called = found?.name ?? account.provider;
  await tell(tx, tenant, member, { mail: 'accountUnlinked', account, called }, deps);
  return 'unlinked';
}
