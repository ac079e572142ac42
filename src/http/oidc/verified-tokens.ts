// Remembers access tokens that were verified already.
import { sha256 } from '../../core/hash.ts';
import { verifiedTokens } from '../../core/limits.ts';
import type { OpenTenant } from '../../operations/tenant/open-tenants.ts';
import { createAgedMap } from '../../storage/memory/aged-map.ts';
import type { Bearer } from './bearer.ts';

/**
 * Access tokens whose signature and claims were found good, until they expire: a token comes with every call
 * of an app, and verifying it costs more than all that is asked with it. What may change meanwhile, the member
 * and the session, is asked live each time. Kept by hash, in memory.
 */
export interface VerifiedTokens {
  /**
   * What the token says, or null if it has to be verified.
   *
   * @param tenantOf finds the tenant that may be meant here, by its issuer
   */
  find(token: string, tenantOf: (issuer: string) => OpenTenant | null, now: number): Bearer | null;
  /** @param expiresAt ms; and expired ones are let go, one at a time */
  keep(token: string, bearer: Bearer, expiresAt: number, now: number): void;
}

interface Verified {
  readonly bearer: Bearer;
  readonly expiresAt: number;
}

/** @param most how many are kept; beyond, the one that was verified first is forgotten */
export function createVerifiedTokens(most = verifiedTokens): VerifiedTokens {
  const known = createAgedMap<Verified>(most);
  return {
    find(token, tenantOf, now) {
      const hash = sha256(token);
      const verified = known.get(hash);
      if (verified === undefined) return null;
      const { bearer, expiresAt } = verified;
      // A change of the tenant, such as a key that was retired, makes a new object of it.
      if (now < expiresAt && tenantOf(bearer.tenant.issuer) === bearer.tenant) return bearer;
      known.delete(hash);
      return null;
    },
    keep(token, bearer, expiresAt, now) {
      known.set(sha256(token), { bearer, expiresAt });
      const oldest = known.oldest();
      if (oldest !== undefined && oldest[1].expiresAt <= now) known.delete(oldest[0]);
    },
  };
}
