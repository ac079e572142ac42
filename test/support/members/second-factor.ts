import { totp as numbers, recoveryCode } from '../../../src/core/members/limits.ts';
import { turnOnFactor } from '../../../src/operations/second-factor/second-factor.ts';
import { loadTotp } from '../../../src/secrets/totp.ts';
import { findMemberAnywhere } from '../../../src/storage/members/member.ts';
import type { Answer } from '../http.ts';
import type { TestService } from '../service.ts';

/** What a member has who turned two-step sign-in on. */
export interface OwnFactor {
  readonly secret: string;
  readonly codes: readonly string[];
}

/** The digits that an app with a secret shows, `steps` of half a minute from now. */
export async function digitsOf(service: TestService, secret: string, steps = 0): Promise<string> {
  const { Secret, TOTP } = await import('otpauth');
  const timestamp = service.clock.now() + steps * numbers.stepSeconds * 1_000;
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
}

/** Turns the two-step sign-in of a member on; the digits of now are used up with it. */
export async function giveSecondFactor(service: TestService, memberId: string): Promise<OwnFactor> {
  const totp = await loadTotp();
  const secret = totp.newSecret(service.deps.random);
  const digits = await digitsOf(service, secret);
  const codes = await service.store.transaction(async (tx) => {
    const member = await findMemberAnywhere(tx, memberId);
    const tenant = service.tenants.all().find(({ id }) => id === member?.tenantId);
    if (member === null || tenant === undefined) throw new Error('there is no such member');
    return turnOnFactor(tx, tenant, member, { secret, digits }, { ...service.deps, totp });
  });
  if (codes?.length !== recoveryCode.count) throw new Error('the second factor was not turned on');
  // The next digits are new ones.
  service.clock.advance(numbers.stepSeconds * 1_000);
  return { secret, codes };
}

/** The secret that a page shows to be set up, in base32. */
export function shownSecret(page: Answer): string {
  const letters = /<bdi class="letters"[^>]*>([^<]*)</.exec(page.text)?.[1];
  if (letters === undefined) throw new Error(`the page (${page.status}) shows no secret`);
  return letters.replaceAll(' ', '');
}

/** The recovery codes that a page shows. */
export const shownCodes = (page: Answer): readonly string[] =>
  /<pre[^>]*>([^<]*)<\/pre>/.exec(page.text)?.[1]?.trim().split('\n') ?? [];
