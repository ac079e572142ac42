/**
 * The second factor of a member: digits that an app makes from a shared secret and the time (RFC 6238), and recovery codes
 * for the day on which the app is gone. Whom it is asked of is decided here (decisions 46 and 47).
 */
import { equalInConstantTime, sha256 } from '../hash.ts';
import type { SecondFactorPolicy, Tenant } from '../tenant.ts';
import { recoveryCode, totp } from './limits.ts';
import type { Member } from './member.ts';

/** The second factor of a member. Times are ms since the epoch. */
export interface SecondFactor {
  readonly memberId: string;
  readonly tenantId: string;
  /** The shared secret in base32, encrypted under the master key. */
  readonly secret: Buffer;
  /** The step of time whose digits were used last: those and all before are used up (RFC 6238 §5.2). */
  readonly lastStep: number;
  /** Keyed hashes of the recovery codes that are left. */
  readonly recoveryHashes: readonly string[];
  readonly createdAt: number;
}

/** What the tenant asks of a member. Administrators may always have one; of those in development none is asked for. */
export function secondFactorPolicy(
  { userType }: Pick<Member, 'userType'>,
  { secondFactor, adminSecondFactor, development }: Tenant,
): SecondFactorPolicy {
  if (userType === 'member') return secondFactor;
  return development ? 'optional' : adminSecondFactor;
}

/** Whether a member of the tenant can prove two factors, or a passkey that verifies its user (decision 47). */
export const hasTwoFactors = ({
  secondFactor,
  passkeys,
}: Pick<Tenant, 'secondFactor' | 'passkeys'>): boolean => secondFactor !== 'off' || passkeys === 'on';

/**
 * What makes two factors of one: the digits of an app, or a passkey where there are none, which has two in it. A member who has
 * neither sets digits up.
 */
export type FactorStep = 'proof' | 'passkey' | 'set-up';

export function factorStep(has: { readonly digits: boolean; readonly passkey: boolean }): FactorStep {
  if (has.digits) return 'proof';
  return has.passkey ? 'passkey' : 'set-up';
}

/** What is still missing when one factor was proven. */
export type MissingFactor = FactorStep | 'none';

export function missingFactor(
  policy: SecondFactorPolicy,
  { step, isTrusted }: { readonly step: FactorStep; readonly isTrusted: boolean },
): MissingFactor {
  if (policy === 'off' || isTrusted) return 'none';
  return step === 'proof' || policy === 'required' ? step : 'none';
}

/** The last step of time whose digits could have been used by now: a clock may be ahead by the window. */
export const lastStepAt = (now: number): number => Math.floor(now / 1_000 / totp.stepSeconds) + totp.window;

/** What the key of guesses at a second factor begins with, by which they are remembered for longer than others. */
export const ofSecondFactor = 'second factor ';

/** How the guesses at a member's second factor are kept in the list of failures. */
export const hashSecondFactor = (memberId: string): string =>
  `${ofSecondFactor}${sha256(`second factor of ${memberId}`)}`;

/** Letters and digits that look different from each other (Crockford's base 32). */
const letters = '0123456789abcdefghjkmnpqrstvwxyz';

/** The letters of a recovery code as it is kept and shown: `4f7qk-9xm2t-c0dh8`. */
const inGroups = (text: string): string =>
  Array.from({ length: text.length / recoveryCode.group }, (_, index) =>
    text.slice(index * recoveryCode.group, (index + 1) * recoveryCode.group),
  ).join('-');

/** A recovery code from random bytes. */
export function recoveryCodeOf(random: Buffer): string {
  const text = [...random.subarray(0, recoveryCode.length)].map((byte) => letters[byte % 32]).join('');
  return inGroups(text);
}

/** Reads a recovery code as people type it. @returns null if it cannot be one */
export function readRecoveryCode(typed: string): string | null {
  const text = typed.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  const isLong = text.length === recoveryCode.length || text.length === recoveryCode.formerLength;
  return isLong && [...text].every((letter) => letters.includes(letter)) ? inGroups(text) : null;
}

/** The codes that are left without the one that was used; null if it is none of them. */
export function withoutRecoveryCode(hashes: readonly string[], used: string): readonly string[] | null {
  const left = hashes.filter((hash) => !equalInConstantTime(hash, used));
  return left.length === hashes.length ? null : left;
}
