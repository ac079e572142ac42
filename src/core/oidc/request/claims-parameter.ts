// Reads the parameters `claims` and `acr_values`: single claims that a client asks for (Core §5.5).
import type { Client } from '../../client.ts';
import { parseJson } from '../../json.ts';
import { answeredAcr, factorsOf, oneFactor, type Strength } from '../../strength.ts';
import { claimsDepth } from '../limits.ts';
import { type Scope, scopeIncludes } from '../scope.ts';

/** What `claims` and `acr_values` ask for, as far as it is known here. */
export interface RequestedClaims {
  /** Names of claims that are to stand in the id_token. */
  readonly idToken: readonly string[];
  /** Names of claims that UserInfo is to answer. */
  readonly userinfo: readonly string[];
  /** The member who must be the one that signs in, where `sub` has a value; of several values any. */
  readonly subjects: readonly string[] | null;
  /** The authentication that is demanded, where `acr` is essential and has values; any of them will do. */
  readonly essentialAcr: readonly string[] | null;
  /** The authentication that is wished for, in order of preference: what cannot be had is done without (Core §3.1.2.1). */
  readonly wishedAcr: readonly string[];
}

/** The standard claims that can be asked for by name, with the scope that each belongs to (Core §5.1, §5.4). */
const scopeOfClaim = {
  name: 'profile',
  given_name: 'profile',
  family_name: 'profile',
  nickname: 'profile',
  preferred_username: 'profile',
  picture: 'profile',
  locale: 'profile',
  updated_at: 'profile',
  email: 'email',
  email_verified: 'email',
  phone_number: 'phone',
  phone_number_verified: 'phone',
  address: 'address',
} as const;

type MemberClaim = keyof typeof scopeOfClaim;

const isMemberClaim = (name: string): name is MemberClaim => Object.hasOwn(scopeOfClaim, name);

/** What an id_token says of the authentication where it is asked to. */
const authenticationClaims: readonly string[] = ['acr', 'amr'];

/**
 * Reads `claims` and `acr_values` (Core §3.1.2.1, §5.5). What is not known here is ignored: other members, other
 * claims, values of other claims than `acr` and `sub`.
 *
 * @returns 'malformed' where `claims` is no JSON object of that shape, has a member
 *   twice, or is nested too deeply
 */
export function readClaims(
  claims: string | undefined,
  acrValues: string | undefined,
): RequestedClaims | 'malformed' {
  const asked = claims === undefined ? { idToken: {}, userinfo: {} } : membersOf(claims);
  if (asked === null) return 'malformed';
  const { idToken, userinfo } = asked;
  const subjects = [idToken, userinfo].map((member) => valuesOf(member.sub)).filter((one) => one !== null);
  const wanted = Object.keys(idToken).filter(
    (name) => isMemberClaim(name) || authenticationClaims.includes(name),
  );
  if (acrValues !== undefined) wanted.push('acr');
  // How is told with how much.
  if (wanted.includes('acr')) wanted.push('amr');
  return {
    idToken: [...new Set(wanted)].sort(),
    userinfo: Object.keys(userinfo).filter(isMemberClaim).sort(),
    // What both members demand must hold: the values that they share.
    subjects:
      subjects.length === 0
        ? null
        : subjects.reduce((some, others) => some.filter((one) => others.includes(one))),
    essentialAcr: isEssential(idToken.acr) ? valuesOf(idToken.acr) : null,
    wishedAcr: [
      ...(isEssential(idToken.acr) ? [] : (valuesOf(idToken.acr) ?? [])),
      ...(acrValues?.split(' ') ?? []),
    ],
  };
}

/** How one claim is asked for: null, or an object (Core §5.5.1). */
type Ask = Readonly<Record<string, unknown>> | null;
type Asks = Readonly<Record<string, Ask>>;

function membersOf(text: string): { readonly idToken: Asks; readonly userinfo: Asks } | null {
  const value = parseJson(Buffer.from(text));
  if (!isObject(value) || depthOf(value) > claimsDepth) return null;
  const idToken = asksOf(value.id_token);
  const userinfo = asksOf(value.userinfo);
  return idToken === null || userinfo === null ? null : { idToken, userinfo };
}

/** A member that is left out, or null, asks for nothing. */
function asksOf(member: unknown): Asks | null {
  if (member === undefined || member === null) return {};
  if (!isObject(member)) return null;
  // Names come from outside: `__proto__` is one like any other.
  const entries = Object.entries(member);
  return entries.every(([, ask]) => ask === null || isAsk(ask))
    ? (Object.fromEntries(entries) as Asks)
    : null;
}

const isAsk = (ask: unknown): boolean =>
  isObject(ask) &&
  (ask.essential === undefined || typeof ask.essential === 'boolean') &&
  (ask.values === undefined || Array.isArray(ask.values));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEssential = (ask: Ask | undefined): boolean => ask?.essential === true;

/** The texts that `value` or `values` names; null where neither is there. */
function valuesOf(ask: Ask | undefined): readonly string[] | null {
  if (ask === null || ask === undefined) return null;
  const given = [...(ask.value === undefined ? [] : [ask.value]), ...((ask.values as unknown[]) ?? [])];
  if (ask.value === undefined && ask.values === undefined) return null;
  return given.filter((one) => typeof one === 'string');
}

/** How deep objects and lists stand in one another; it is parsed text, so it ends. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/**
 * The claims of a request as they are kept with its code and its sign-in: names, and how the member was authenticated
 * where that is asked for, since the session may be another one by then. A text, so that a request without any costs
 * nothing; null where none is asked for.
 */
export type KeptClaims = string;

export function keepClaims(asked: RequestedClaims | null, session: Strength): KeptClaims | null {
  if (asked === null || asked.idToken.length + asked.userinfo.length === 0) return null;
  const { idToken, userinfo, essentialAcr } = asked;
  const asksHow = idToken.some((name) => authenticationClaims.includes(name));
  const how = { acr: answeredAcr(session, essentialAcr) ?? oneFactor, amr: factorsOf(session) };
  return JSON.stringify({ id_token: idToken, userinfo, ...(asksHow ? how : {}) });
}

/** How the member was authenticated, as it is kept; before it was there was a password alone. */
export function keptAuthentication(kept: KeptClaims): {
  readonly acr: string;
  readonly amr: readonly string[];
} {
  const { acr = oneFactor, amr = ['pwd'] } = JSON.parse(kept) as { acr?: string; amr?: readonly string[] };
  return { acr, amr };
}

/**
 * The claims that are given beyond those of the scope. A client of the tenant itself is given any that it names; a
 * third party's client those of the scopes that the member allowed (decision 41), wherever it wants them.
 *
 * @param kept null where none were asked for
 */
export function grantedClaims(
  kept: KeptClaims | null,
  client: Pick<Client, 'thirdParty'>,
  scope: Scope,
): { readonly idToken: readonly string[]; readonly userinfo: readonly string[] } {
  if (kept === null) return { idToken: [], userinfo: [] };
  const { id_token: idToken, userinfo } = JSON.parse(kept) as Record<'id_token' | 'userinfo', string[]>;
  const isOpen = (name: string) => isMemberClaim(name) && scopeIncludes(scope, scopeOfClaim[name]);
  const isAllowed = (name: string) => !client.thirdParty || !isMemberClaim(name) || isOpen(name);
  return {
    idToken: idToken.filter(isAllowed),
    // What the scope opens, UserInfo answers anyway.
    userinfo: userinfo.filter((name) => isAllowed(name) && !isOpen(name)),
  };
}
