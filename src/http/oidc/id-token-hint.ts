// Reads an id_token_hint.
import type { IdTokenHint } from '../../core/oidc/logout.ts';
import type { OpenTenant } from '../../operations/tenant/open-tenants.ts';
import { verifyToken } from '../../secrets/signing.ts';

/**
 * Reads an id_token_hint: one of our own id_tokens, expired or not (Core §3.1.2.1; RP-Initiated Logout §2).
 *
 * @returns undefined if none was sent, null if it is not one of ours
 */
export async function readHint(
  tenant: OpenTenant,
  hint: string | undefined,
): Promise<IdTokenHint | null | undefined> {
  if (hint === undefined) return undefined;
  const claims = await verifyToken(tenant.keys, hint, { type: 'JWT', issuer: tenant.issuer, now: null });
  if (typeof claims?.sub !== 'string' || typeof claims.aud !== 'string') return null;
  if (typeof claims.sid !== 'string') return null;
  return { memberId: claims.sub, sessionId: claims.sid, clientId: claims.aud };
}

/** The member an id_token_hint names; undefined if none was sent, null if it is not one of ours. */
export async function readHintedMember(
  tenant: OpenTenant,
  text: string | undefined,
): Promise<string | null | undefined> {
  const hint = await readHint(tenant, text);
  return hint?.memberId ?? (hint as null | undefined);
}
