// The standard claims that a scope opens.
import type { Member } from '../members/member.ts';
import { memberScopes, type Scope, scopeIncludes } from './scope.ts';

/**
 * The standard claims that a scope opens (Core §5.1, §5.4). What the member has not given is left out:
 * no empty strings and no nulls (Core §5.3.2). `phone_number_verified` is left out with the number.
 */
export function memberClaims(member: Member, scope: Scope): Record<string, unknown> {
  const claims: Record<string, unknown> = {};
  if (scopeIncludes(scope, 'profile')) {
    claims.name = member.fullName;
    Object.assign(claims, partsOf(member.fullName));
    claims.nickname = member.nickName;
    claims.preferred_username = member.nickName;
    claims.picture = member.avatar;
    claims.locale = member.locale;
    claims.updated_at = Math.floor(member.updatedAt / 1_000);
  }
  if (scopeIncludes(scope, 'email')) {
    claims.email = member.email;
    claims.email_verified = member.emailVerified;
  }
  if (scopeIncludes(scope, 'phone') && member.phone !== '') {
    claims.phone_number = member.phone;
    claims.phone_number_verified = member.phoneVerified;
  }
  if (scopeIncludes(scope, 'address')) {
    const { line1, postCode, postOffice, city, country } = member.address;
    const address = withoutGaps({
      street_address: line1,
      postal_code: postCode,
      locality: postOffice ?? city,
      country,
    });
    if (Object.keys(address).length > 0) claims.address = address;
  }
  return withoutGaps(claims);
}

/** These claims of a member, whatever the scope (Core §5.5). What the member has not given is left out. */
export function namedClaims(member: Member, names: readonly string[]): Record<string, unknown> {
  const all = Object.entries(memberClaims(member, memberScopes.join(' ')));
  return Object.fromEntries(all.filter(([name]) => names.includes(name)));
}

/** A word of a name: letters, and what stands between them. */
const word = /^\p{L}[\p{L}\p{M}'’.-]*$/u;

/**
 * Given and family name of a full name that has one word for each. In other names it is not known which words
 * are which: a claim that is left out is better than a wrong one.
 */
function partsOf(fullName: string): { readonly given_name?: string; readonly family_name?: string } {
  const [given = '', family = '', ...more] = fullName.trim().split(/\s+/);
  if (more.length > 0 || !word.test(given) || !word.test(family)) return {};
  return { given_name: given, family_name: family };
}

function withoutGaps(claims: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null && value !== ''));
}
