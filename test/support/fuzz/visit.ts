import { sha256 } from '../../../src/core/hash.ts';
import type { UserType } from '../../../src/core/members/member.ts';
import { seal } from '../../../src/secrets/seal.ts';
import { insertSession } from '../../../src/storage/grants/session.ts';
import { insertMember } from '../../../src/storage/members/member.ts';
import { systemRandom } from '../../../src/system/random.ts';
import { tenantOf } from '../device.ts';
import { memberOf } from '../fixtures.ts';
import { formValue } from '../members/form-token.ts';
import type { TestService } from '../service.ts';

/** A new member of a tenant with a browser that is signed in, and every seal that its pages would have. */
export interface FreshVisit {
  readonly memberId: string;
  readonly email: string;
  readonly cookie: string;
  /** Fields of forms by their names, each with a value that our own page would send. */
  readonly seals: Readonly<Record<string, string>>;
}

let members = 5_000;

/**
 * Makes a member and signs them in without a password being hashed: whatever a request does to them, the next
 * one finds another.
 *
 * @param parameters of the authorization request that the browser's flow stands at
 */
export async function freshVisit(
  service: TestService,
  host: string,
  passwordHash: string,
  parameters: Readonly<Record<string, string>> | null = null,
  userType: UserType = 'member',
): Promise<FreshVisit> {
  const tenant = tenantOf(service, host);
  const now = service.clock.now();
  members += 1;
  const email = `f${members}@example.test`;
  const member = { ...memberOf(tenant.id, email, members, now), userType };
  const browser = systemRandom.secret();
  const secrets = { member: systemRandom.secret(), admin: systemRandom.secret() };
  const ids = { member: systemRandom.id(now), admin: systemRandom.id(now) };
  await service.store.transaction(async (tx) => {
    await insertMember(tx, member, passwordHash);
    for (const kind of ['member', 'admin'] as const) {
      await insertSession(tx, {
        id: ids[kind],
        tenantId: tenant.id,
        memberId: member.id,
        kind,
        secretHash: sha256(secrets[kind]),
        state: 'active',
        authenticatedAt: now,
        createdAt: now,
        lastUsedAt: now,
        userAgent: 'fuzz',
        ipAddress: '127.0.0.1',
        amr: 'pwd',
        strongAt: null,
      });
    }
  });
  const sealed = (purpose: Parameters<typeof seal>[1], value: unknown) =>
    seal(tenant.tokenKey, purpose, browser, value);
  const order = {
    id: systemRandom.id(now),
    packageId: 1,
    reference: null,
    onCheckoutCompletedUrl: null,
    callBackUrl: null,
    language: null,
    openedAt: now,
  };
  const entered = { codeId: systemRandom.id(now), sessionId: ids.member, digits: '123456' };
  return {
    memberId: member.id,
    email,
    cookie: [
      `__Host-memberdoor-browser=${browser}`,
      `__Host-memberdoor-session=${secrets.member}`,
      `__Host-memberdoor-admin=${secrets.admin}`,
    ].join('; '),
    seals: {
      flow: sealed('flow', { startedAt: now, parameters, returnTo: '/account', language: null }),
      accountToken: sealed('form', formValue(`account ${ids.member}`)),
      adminToken: sealed('form', formValue(`admin ${ids.admin}`)),
      adminSignIn: sealed('form', formValue('/admin/sign-in')),
      signOut: sealed('form', formValue('sign-out')),
      device: sealed('form', formValue('device', entered)),
      order: sealed('order', order),
    },
  };
}
