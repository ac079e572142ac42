// What is missing of two factors where one was proven, and what a member can take it with.
import type { Member } from '../../core/members/member.ts';
import { passkeyDomain } from '../../core/members/passkey.ts';
import {
  type FactorStep,
  factorStep,
  type MissingFactor,
  missingFactor,
  secondFactorPolicy,
} from '../../core/members/second-factor.ts';
import type { SessionKind } from '../../core/session.ts';
import { isTrustedBrowser } from '../../storage/members/known-browser.ts';
import { listPasskeys } from '../../storage/members/passkey.ts';
import { findSecondFactor } from '../../storage/members/second-factor.ts';
import type { Tx } from '../../storage/store.ts';
import type { Browser } from '../session/session.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

/** What is missing when one factor was proven. The portal trusts no browser: it asks each time. */
export async function missingOf(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  { kind, browser }: { readonly kind: SessionKind; readonly browser: Pick<Browser, 'hash'> },
  now: number,
): Promise<MissingFactor> {
  const policy = secondFactorPolicy(member, tenant);
  // Most members are asked for none: nothing is read then.
  if (policy === 'off') return 'none';
  const step = await factorStepOf(tx, tenant, member.id);
  const mayTrust = step === 'proof' && kind === 'member' && tenant.trustedBrowserDays > 0;
  const isTrusted = mayTrust && (await isTrustedBrowser(tx, member.id, browser.hash, now));
  return missingFactor(policy, { step, isTrusted });
}

/** What a member takes the step to two factors with. */
export async function factorStepOf(
  tx: Tx,
  tenant: Pick<OpenTenant, 'issuer' | 'passkeys'>,
  memberId: string,
): Promise<FactorStep> {
  const digits = (await findSecondFactor(tx, memberId)) !== null;
  const isLookedFor = !digits && passkeyDomain(tenant) !== null;
  return factorStep({ digits, passkey: isLookedFor && (await listPasskeys(tx, memberId)).length > 0 });
}
