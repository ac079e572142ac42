import type { Member } from '../../src/core/members/member.ts';
import type { OpenTenant } from '../../src/operations/tenant/open-tenants.ts';
import { signingKeyFor, signToken } from '../../src/secrets/signing.ts';
import { findMemberByEmail } from '../../src/storage/members/member.ts';
import type { Answer, Ask } from './http.ts';
import type { TestService } from './service.ts';
import { apps, claimsOf, tokensOf } from './tokens.ts';

/** Below this address the member API serves what belongs to a member. */
export const profileUrl = '/api/v1/members/profile';

/** The member API as the client `spa` of one development tenant uses it. */
export interface Api {
  /** Asks below the profile's address for the member of this address, who signs in once. */
  (email: string, path: string, ask?: Ask): Promise<Answer>;
  /** The Host header of the tenant. */
  readonly host: string;
  readonly tenant: OpenTenant;
  /** The access token of those requests. */
  token(email: string): Promise<string>;
  /** A token with a genuine signature over that member's claims, changed like this. */
  tokenWith(email: string, changes: object): Promise<string>;
  /** The member as stored. */
  member(email: string): Promise<Member>;
}

/** @param name the host of a development tenant, without its port */
export function apiOf(service: TestService, name: 'localhost' | '127.0.0.1'): Api {
  const host = `${name}:${service.port}`;
  const tenant = service.tenants.byHost(host);
  if (tenant === null) throw new Error(`no tenant has the host ${host}`);
  const tokens = new Map<string, Promise<string>>();
  const token = (email: string) => {
    const known = tokens.get(email);
    if (known !== undefined) return known;
    const made = tokensOf(service, host, apps.spa, { email }).then(({ access_token }) => access_token);
    tokens.set(email, made);
    return made;
  };
  const ask = async (email: string, path: string, { headers, ...rest }: Ask = {}) =>
    service.http(host, `${profileUrl}${path}`, {
      ...rest,
      headers: { ...bearer(await token(email)), ...headers },
    });
  return Object.assign(ask, {
    host,
    tenant,
    token,
    tokenWith: async (email: string, changes: object) => {
      const key = signingKeyFor(tenant.keys, 'ES256', service.clock.now());
      return signToken(key, 'at+jwt', { ...claimsOf(await token(email)), ...changes });
    },
    member: async (email: string) => {
      const found = await service.store.transaction((tx) => findMemberByEmail(tx, tenant.id, email));
      if (found === null) throw new Error(`no member has the address ${email}`);
      return found.member;
    },
  });
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/**
 * Asks so that the last reading of the clock, by which the answer is made, is this very ms. Each reading moves
 * the test clock on by one; a request before counts how many there are.
 */
export async function answerAt(
  { clock }: TestService,
  ms: number,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const from = clock.now();
  const { headers } = await ask();
  const readings = clock.now() - from - 1;
  // A development tenant tells its time, and notes when it has answered.
  const later = headers['memberdoor-time'] === undefined ? 0 : 2;
  clock.set(ms - readings + later + 1);
  const answer = await ask();
  const after = clock.now() - later;
  if (after !== ms + 1) throw new Error(`the answer was made ${after - 1 - ms} ms beside`);
  return answer;
}
