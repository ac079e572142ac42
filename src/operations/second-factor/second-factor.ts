// Turns the second factor of a member on and off, and judges what is given for it.
import { readUserCode } from '../../core/grants/user-code.ts';
import { hmac, type MacKey } from '../../core/hash.ts';
import { recoveryCode, wrongSecondFactors } from '../../core/members/limits.ts';
import type { Member } from '../../core/members/member.ts';
import { factorBlockedUntil, factorFailedAgain } from '../../core/members/member-limits.ts';
import {
  hashSecondFactor,
  readRecoveryCode,
  recoveryCodeOf,
  type SecondFactor,
  withoutRecoveryCode,
} from '../../core/members/second-factor.ts';
import { usesPassword } from '../../core/members/ways-in.ts';
import type { Totp } from '../../secrets/totp.ts';
import type { Vault } from '../../secrets/vault.ts';
import {
  clearSignInFailures,
  findSignInFailures,
  saveSignInFailures,
} from '../../storage/members/guesses/sign-in-failure.ts';
import { distrustBrowsers } from '../../storage/members/known-browser.ts';
import {
  deleteSecondFactor,
  findSecondFactor,
  saveSecondFactor,
  updateSecondFactor,
} from '../../storage/members/second-factor.ts';
import type { Tx } from '../../storage/store.ts';
import type { Random } from '../../system/random.ts';
import { auditDeed } from '../audit/audit.ts';
import type { MemberDeps } from '../email-proof/email-proof.ts';
import { toMember } from '../mail/mailer.ts';
import { type TooManyGuesses, tooManyUntil } from '../sign-in/credentials.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

/** What these operations need; the digits are loaded before the transaction. */
export interface FactorDeps extends MemberDeps {
  readonly vault: Pick<Vault, 'encrypt' | 'decrypt'>;
  readonly totp: Totp;
}

/** What a member gives for the second factor, as it was typed. */
export interface GivenFactor {
  readonly by: 'app' | 'recovery';
  readonly typed: string;
}

export type JudgedFactor =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'none' }
  | TooManyGuesses;

/**
 * Judges what is given for the second factor of a member, and counts it, in one transaction: of any number at once no more
 * are looked at than are allowed (F1). Digits that were right are used up with all before them, and so is a recovery
 * code. No known browser passes the limit: a visitor who gives a code knows the password already.
 *
 * @returns `none` where the member has no second factor any more
 */
export async function judgeFactor(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  given: GivenFactor,
  deps: FactorDeps,
): Promise<JudgedFactor> {
  const now = deps.clock();
  const factor = await findSecondFactor(tx, member.id);
  if (factor === null) return { kind: 'none' };
  const key = hashSecondFactor(member.id);
  const failed = await findSignInFailures(tx, tenant.id, key);
  const until = factorBlockedUntil(failed, now);
  if (until > now) return tooManyUntil(until, now, { key, memberId: member.id });
  const used = usedUp(tenant, factor, given, deps);
  if (used === null) {
    const counted = factorFailedAgain(failed, now);
    await saveSignInFailures(tx, tenant.id, key, counted);
    if (counted.failures === wrongSecondFactors.failures) await tellOfGuesses(tx, tenant, member, deps);
    return { kind: 'wrong' };
  }
  await clearSignInFailures(tx, tenant.id, key);
  await updateSecondFactor(tx, used);
  if (given.by === 'recovery') await tellOfRecovery(tx, tenant, member, used, deps);
  return { kind: 'right' };
}

/** The second factor without what was given, where that was right; null where it was not. */
function usedUp(
  { id, tokenKey }: OpenTenant,
  factor: SecondFactor,
  { by, typed }: GivenFactor,
  { vault, totp, clock }: FactorDeps,
): SecondFactor | null {
  if (by === 'recovery') {
    const code = readRecoveryCode(typed);
    if (code === null) return null;
    const left = withoutRecoveryCode(
      factor.recoveryHashes,
      hashRecoveryCode(tokenKey, factor.memberId, code),
    );
    return left === null ? null : { ...factor, recoveryHashes: left };
  }
  const digits = readUserCode(typed);
  if (digits === null) return null;
  const lastStep = totp.stepOf(vault.decrypt(factor.secret, id).toString(), digits, clock());
  return lastStep === null || lastStep <= factor.lastStep ? null : { ...factor, lastStep };
}

/** Tells a member that the first factor was right and the second one wrong again and again: the password may be known. */
async function tellOfGuesses(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  { mails, clock }: MemberDeps,
): Promise<void> {
  // Where there are no passwords, there is nothing that the reader of the mail could change.
  if (!usesPassword(tenant, member)) return;
  await mails.queue(tx, tenant, {
    ...toMember(member, undefined, { time: clock() }),
    name: 'secondFactorRefused',
    link: `${tenant.issuer}/recover`,
  });
}

async function tellOfRecovery(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  { recoveryHashes }: SecondFactor,
  { mails, clock }: MemberDeps,
): Promise<void> {
  const { id } = member;
  const left = recoveryHashes.length;
  await auditDeed(tx, { event: 'recovery_code_used', memberId: id, target: id, reason: `${left} left` });
  await mails.queue(tx, tenant, {
    ...toMember(member, undefined, { left: String(left), time: clock() }),
    name: 'recoveryCodeUsed',
    link: `${tenant.issuer}/account/two-step`,
  });
}

/**
 * Turns the second factor of a member on, once the digits of the app show that it has the secret. They are used up with it.
 *
 * @returns its recovery codes, which are not kept in clear; null if the digits are wrong
 */
export async function turnOnFactor(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  { secret, digits: typed }: { readonly secret: string; readonly digits: string },
  deps: FactorDeps,
): Promise<readonly string[] | null> {
  const now = deps.clock();
  const { id: memberId } = member;
  const digits = readUserCode(typed);
  const lastStep = digits === null ? null : deps.totp.stepOf(secret, digits, now);
  if (lastStep === null) return null;
  const { codes, hashes } = newRecoveryCodes(tenant, memberId, deps.random);
  const sealed = deps.vault.encrypt(Buffer.from(secret), tenant.id);
  const facts = { memberId, tenantId: tenant.id, lastStep, recoveryHashes: hashes, createdAt: now };
  await saveSecondFactor(tx, { ...facts, secret: sealed });
  await clearSignInFailures(tx, tenant.id, hashSecondFactor(memberId));
  await tell(tx, tenant, member, { event: 'second_factor_on', mail: 'secondFactorOn' }, deps);
  return codes;
}

/**
 * Gives a member new recovery codes in the place of those that are left, and tells her (SP 800-63B-4 §4.2.1.1).
 *
 * @returns null if there is no second factor
 */
export async function renewRecoveryCodes(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  deps: MemberDeps,
): Promise<readonly string[] | null> {
  const factor = await findSecondFactor(tx, member.id);
  if (factor === null) return null;
  const { codes, hashes } = newRecoveryCodes(tenant, member.id, deps.random);
  await updateSecondFactor(tx, { ...factor, recoveryHashes: hashes });
  await tell(tx, tenant, member, { event: 'recovery_codes_renewed', mail: 'recoveryCodesRenewed' }, deps);
  return codes;
}

/** Turns the second factor off: the member did, or an operator reset it. @returns whether there was one */
export async function turnOffFactor(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  by: 'member' | 'operator',
  deps: MemberDeps,
): Promise<boolean> {
  if (!(await deleteSecondFactor(tx, member))) return false;
  await distrustBrowsers(tx, member.id);
  await clearSignInFailures(tx, tenant.id, hashSecondFactor(member.id));
  const told =
    by === 'member'
      ? ({ event: 'second_factor_off', mail: 'secondFactorOff' } as const)
      : ({ event: 'second_factor_reset', mail: 'secondFactorReset' } as const);
  await tell(tx, tenant, member, told, deps);
  return true;
}

async function tell(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  {
    event,
    mail,
  }:
    | { readonly event: 'second_factor_on'; readonly mail: 'secondFactorOn' }
    | { readonly event: 'second_factor_off'; readonly mail: 'secondFactorOff' }
    | { readonly event: 'second_factor_reset'; readonly mail: 'secondFactorReset' }
    | { readonly event: 'recovery_codes_renewed'; readonly mail: 'recoveryCodesRenewed' },
  { mails, clock }: MemberDeps,
): Promise<void> {
  await auditDeed(tx, { event, memberId: member.id, target: member.id });
  await mails.queue(tx, tenant, {
    ...toMember(member, undefined, { time: clock() }),
    name: mail,
    link: `${tenant.issuer}/account/two-step`,
  });
}

function newRecoveryCodes({ tokenKey }: OpenTenant, memberId: string, random: Pick<Random, 'secret'>) {
  const codes = Array.from({ length: recoveryCode.count }, () =>
    recoveryCodeOf(Buffer.from(random.secret(), 'base64url')),
  );
  return { codes, hashes: codes.map((code) => hashRecoveryCode(tokenKey, memberId, code)) };
}

/** Keyed and bound to the member: a thief of the database alone cannot look for codes (W9). */
const hashRecoveryCode = (key: MacKey, memberId: string, code: string): string =>
  hmac(key, 'recovery code', memberId, code).toString('base64url');
