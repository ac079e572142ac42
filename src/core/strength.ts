/**
 * How a member was authenticated: by which factors (`amr`, RFC 8176), and how strong that is (`acr`; decision 47). Each way
 * to sign in says which factors it proved; all that is told of them follows from here.
 */

/**
 * What was proven, as `amr` says it: a password, digits that were sent or made by an app, a key that stays in its
 * device or that is synchronised, that the user was verified there, and an account of another provider; `mfa` where factors
 * of two kinds came together (RFC 8176 §2).
 */
export const factors = ['pwd', 'otp', 'hwk', 'swk', 'user', 'fed', 'mfa'] as const;
export type Factor = (typeof factors)[number];

/** `acr` of one factor, and of two, or of a passkey that verified its user (decision 47). */
export const oneFactor = 'urn:memberdoor:1';
export const twoFactors = 'urn:memberdoor:2';

/** How a session was begun. */
export interface Strength {
  /** The factors in their order, each once, with spaces between. */
  readonly amr: string;
  /** When two factors, or a passkey that verified its user, were last proven (ms); null for never. */
  readonly strongAt: number | null;
}

/** The ways to sign in, as the audit, the metrics and the figures tell them apart. */
export const signInWays = ['password', 'passkey', 'email_code', 'account'] as const;
export type SignInWay = (typeof signInWays)[number];

const wayOfFactor: Partial<Record<string, SignInWay>> = {
  pwd: 'password',
  hwk: 'passkey',
  swk: 'passkey',
  otp: 'email_code',
  fed: 'account',
};

/** The way that a session was begun by: that of its first factor. */
export function wayOf({ amr }: Pick<Strength, 'amr'>): SignInWay {
  return wayOfFactor[factorsOf({ amr })[0] ?? ''] ?? 'password';
}

/** The strength of what was proven now. */
export function strengthOf(proven: readonly Factor[], now: number): Strength {
  const isStrong = proven.includes('mfa') || proven.includes('user');
  return { amr: [...new Set(proven)].join(' '), strongAt: isStrong ? now : null };
}

/** The factors of a session. */
export const factorsOf = ({ amr }: Pick<Strength, 'amr'>) => amr.split(' ') as readonly Factor[];

/** Every `acr` that a session has, the highest first. */
const acrsOf = ({ strongAt }: Strength): readonly string[] =>
  strongAt === null ? [oneFactor] : [twoFactors, oneFactor];

/**
 * How a request asks for two factors (decision 47): it demands them where nothing else will do, and wishes for them where they
 * come first among what is known here.
 */
export function askedForTwo(
  demanded: readonly string[] | null,
  wished: readonly string[],
): 'demanded' | 'wished' | 'impossible' | null {
  if (demanded !== null) {
    if (demanded.includes(oneFactor)) return null;
    return demanded.includes(twoFactors) ? 'demanded' : 'impossible';
  }
  return wished.find((acr) => acr === oneFactor || acr === twoFactors) === twoFactors ? 'wished' : null;
}

/**
 * The `acr` that a session answers a request with: of the values that are demanded the highest that it has (Core §5.5.1.1).
 *
 * @param demanded null where none is
 * @returns null if it has none of them
 */
export function answeredAcr(session: Strength, demanded: readonly string[] | null): string | null {
  return acrsOf(session).find((acr) => demanded === null || demanded.includes(acr)) ?? null;
}
