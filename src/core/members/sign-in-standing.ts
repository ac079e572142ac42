// Decides whether a member can sign in, and what stands in the way: for an operator who is asked why she cannot.
import { isGone, type Member } from './member.ts';
import type { MemberLimit } from './member-limits.ts';

/** What may stand in a member's way, in the order in which it is to be mended. */
export const hindranceNames = [
  'disabled',
  'wrong_passwords',
  'no_password',
  'deletion_asked',
  'wrong_current_passwords',
  'wrong_second_factors',
  'wrong_user_codes',
  'address_not_proven',
] as const;

export type HindranceName = (typeof hindranceNames)[number];

/** Something that stands in a member's way. Times are ms since the epoch. */
export interface Hindrance {
  readonly hindrance: HindranceName;
  /** Whether it keeps the member from signing in; others keep her from less, or will do so later. */
  readonly keepsOut: boolean;
  /** When it ends, or when it will begin; null if an operator decides. */
  readonly until: number | null;
  /** How many wrong guesses it counts; null where none are. */
  readonly counted: number | null;
}

/** Whether a member can sign in. */
export interface SignInStanding {
  readonly canSignIn: boolean;
  readonly hindrances: readonly Hindrance[];
}

/** What is known of a member beside her record. */
export interface SignInFacts {
  readonly limits: readonly MemberLimit[];
  /** Whether she has a way in: a password of her own choice, a passkey, codes by mail. */
  readonly hasWayIn: boolean;
}

/**
 * Whether a member can sign in at a moment, and what stands in her way. What the sign-in itself asks is the same:
 * `maySignIn`, the limits that count her, and a password that was chosen. A browser that she has used before passes
 * the limit of wrong passwords (promise 7, A6), so she may come in with one all the same.
 */
export function signInStanding(
  member: Member,
  { limits, hasWayIn }: SignInFacts,
  now: number,
): SignInStanding {
  const { status, emailVerified, deletionDueAt } = member;
  const locked = (name: MemberLimit['limit'], hindrance: HindranceName, keepsOut: boolean) =>
    limits
      .filter(({ limit, lockedUntil }) => limit === name && lockedUntil !== null)
      .map(({ lockedUntil: until, counted }): Hindrance => ({ hindrance, keepsOut, until, counted }));
  const when = (isSo: boolean, hindrance: HindranceName, keepsOut: boolean, until: number | null = null) =>
    isSo ? [{ hindrance, keepsOut, until, counted: null }] : [];
  const hindrances = [
    ...when(status === 'disabled', 'disabled', true),
    ...locked('failed_sign_ins', 'wrong_passwords', true),
    ...when(!hasWayIn, 'no_password', true),
    ...when(deletionDueAt !== null, 'deletion_asked', isGone(member, now), deletionDueAt),
    ...locked('wrong_current_passwords', 'wrong_current_passwords', false),
    ...locked('wrong_second_factors', 'wrong_second_factors', true),
    ...locked('wrong_user_codes', 'wrong_user_codes', false),
    ...when(!emailVerified, 'address_not_proven', false),
  ];
  return { canSignIn: !hindrances.some(({ keepsOut }) => keepsOut), hindrances };
}
