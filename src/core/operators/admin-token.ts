import type { Permission } from './permission.ts';

/** Tokens begin like this, so that one in a file or a log is known for what it is. */
export const adminTokenPrefix = 'mda_';

/** A bearer token of the admin API. Its secret is shown once, and stored as its SHA-256. */
export interface AdminToken {
  readonly id: string;
  /** null for every tenant */
  readonly tenantId: string | null;
  /** What whoever made it calls it, such as `deployment`. */
  readonly name: string;
  readonly secretHash: string;
  readonly permissions: readonly Permission[];
  /** ms since the epoch */
  readonly createdAt: number;
  /** null for a token that lasts until it is revoked */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** Whether a token may be used at this moment. */
export function isUsable({ expiresAt, revokedAt }: AdminToken, now: number): boolean {
  return revokedAt === null && (expiresAt === null || now < expiresAt);
}
