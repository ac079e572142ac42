import { sha256 } from '../../../../src/core/hash.ts';
import type { OpenTenant } from '../../../../src/operations/tenant/open-tenants.ts';
import { insertSession } from '../../../../src/storage/grants/session.ts';
import { insertMember } from '../../../../src/storage/members/member.ts';
import { systemRandom } from '../../../../src/system/random.ts';
import { tenantOf } from '../../device.ts';
import { memberOf } from '../../fixtures.ts';
import type { TestService } from '../../service.ts';
import { type Visitor, visitor } from '../../visitor.ts';

/**
 * One of two tenants that are alike, as a person with an account at both sees it: the browser has the same cookie
 * of its own on both, so that nothing but the tenant tells what it carries apart.
 */
export interface Side {
  readonly service: TestService;
  readonly host: string;
  readonly tenant: OpenTenant;
  /** A browser that is signed in, to the pages and to the portal. */
  readonly browser: Visitor;
  readonly browserSecret: string;
  readonly sessionId: string;
  readonly adminSessionId: string;
  readonly memberId: string;
  readonly email: string;
  readonly passwordHash: string;
}

export const cookieNames = {
  browser: '__Host-memberdoor-browser',
  session: '__Host-memberdoor-session',
  admin: '__Host-memberdoor-admin',
} as const;

/** What every member of these tests has as password. */
export const password = 'the password on both sides';

let number = 20_000;

/** Signs a new member in on a tenant: an administrator, whose one password hash is given. */
export async function sideOf(
  service: TestService,
  host: string,
  { browserSecret, passwordHash }: { readonly browserSecret: string; readonly passwordHash: string },
): Promise<Side> {
  const tenant = tenantOf(service, host);
  const now = service.clock.now();
  number += 1;
  const email = `side${number}@example.test`;
  const member = { ...memberOf(tenant.id, email, number, now), userType: 'tenant_admin' } as const;
  const browser = visitor(service, host);
  browser.cookies.set(cookieNames.browser, browserSecret);
  const ids = { session: systemRandom.id(now), admin: systemRandom.id(now) };
  await service.store.transaction(async (tx) => {
    await insertMember(tx, member, passwordHash);
    for (const [name, kind] of [
      ['session', 'member'],
      ['admin', 'admin'],
    ] as const) {
      const secret = systemRandom.secret();
      browser.cookies.set(cookieNames[name], secret);
      await insertSession(tx, {
        id: ids[name],
        tenantId: tenant.id,
        memberId: member.id,
        kind,
        secretHash: sha256(secret),
        state: 'active',
        authenticatedAt: now,
        createdAt: now,
        lastUsedAt: now,
        userAgent: 'side',
        ipAddress: '127.0.0.1',
        amr: 'pwd',
        strongAt: null,
      });
    }
  });
  const { session: sessionId, admin: adminSessionId } = ids;
  return {
    service,
    host,
    tenant,
    browser,
    browserSecret,
    sessionId,
    adminSessionId,
    memberId: member.id,
    email,
    passwordHash,
  };
}

/** A browser of the side with other cookies in the place of some, or without them where they are null. */
export function browserWith(side: Side, cookies: Readonly<Record<string, string | null>>): Visitor {
  const browser = visitor(side.service, side.host);
  for (const [name, value] of side.browser.cookies) browser.cookies.set(name, value);
  for (const [name, value] of Object.entries(cookies)) {
    if (value === null) browser.cookies.delete(name);
    else browser.cookies.set(name, value);
  }
  return browser;
}
