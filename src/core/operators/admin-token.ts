// Tokens of the admin API, and when one may be used.
import { type Member, maySignIn } from '../members/member.ts';
import type { Permission } from './permission.ts';

/** Tokens begin like this, so that one in a file or a log is known for what it is. */
export const adminTokenPrefix = 'mda_';

/**
 * Whether a text may be a secret in the wrong place, such as a name: a token of the admin API, or as long as what the
 * service draws, 43 characters of base64url.
 */
export const isLikeSecret = (text: string) => text.startsWith(adminTokenPrefix) || /^[\w-]{43,}$/.test(text);

/** A bearer token of the admin API. Its secret is shown once, and stored as its SHA-256. */
export interface AdminToken {
  readonly id: string;
  /** null for every tenant */
  readonly tenantId: string | null;
  /** The name that its maker gave it, such as `deployment`. */
  readonly name: string;
  readonly secretHash: string;
  readonly permissions: readonly Permission[];
  /** ms since the epoch */
  readonly createdAt: number;
  /** null for a token that lasts until it is revoked */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** The token that made it; it is revoked with that one. */
  readonly parentId: string | null;
  /**
   * The administrator who made it, or the first of the tokens that led to it; null for one that was made at the
   * machine itself, which depends on no administrator.
   */
  readonly makerId: string | null;
}

/** Whether a token may be used at this moment. @param maker the member of its `makerId`, if there is one */
export function isUsable(token: AdminToken, maker: Member | null, now: number): boolean {
  const { expiresAt, revokedAt } = token;
  return revokedAt === null && (expiresAt === null || now < expiresAt) && mayStillMake(token, maker, now);
}

/** A token may do no more than its maker: it ends when the maker is disabled or is no administrator any more. */
function mayStillMake({ tenantId, makerId }: AdminToken, maker: Member | null, now: number): boolean {
  if (makerId === null) return true;
  if (!maySignIn(maker, now)) return false;
  return (
    maker.userType === 'system_admin' || (maker.userType === 'tenant_admin' && maker.tenantId === tenantId)
  );
}
