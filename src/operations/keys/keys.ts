// Makes, rotates and retires the signing keys of a tenant.
import { isoTime } from '../../core/access/iso-time.ts';
import { dueKeys, keyStanding } from '../../core/operators/signing-key.ts';
import type { SigningAlgorithm } from '../../core/tenant.ts';
import type { Vault } from '../../secrets/vault.ts';
import { insertAuditEvent } from '../../storage/operators/audit-event.ts';
import type { SigningKeyRow } from '../../storage/schema.ts';
import { findService } from '../../storage/service.ts';
import type { Store, Tx } from '../../storage/store.ts';
import { insertSigningKey, listSigningKeysOf, listTenants, retireSigningKey } from '../../storage/tenant.ts';
import type { Tenants } from '../tenant/open-tenants.ts';
import { prepareNextSigningKey, prepareSigningKey } from '../tenant/tenant.ts';

export const signingAlgorithms: readonly SigningAlgorithm[] = ['ES256', 'RS256'];

/** Makes keys that take the place of those of a tenant. Slow, so before the transaction. */
export function prepareRotation(
  tenantId: string,
  algorithms: readonly SigningAlgorithm[],
  emergency: boolean,
  vault: Vault,
  now: number,
): Promise<readonly SigningKeyRow[]> {
  return Promise.all(
    algorithms.map((algorithm) =>
      emergency
        ? prepareSigningKey(tenantId, algorithm, vault, now, now)
        : prepareNextSigningKey(tenantId, algorithm, vault, now),
    ),
  );
}

/**
 * Publishes a key that signs from tomorrow on; the one before it stays published (M16).
 *
 * @returns false if the tenant has a next key of this algorithm already
 */
export async function publishNextKey(tx: Tx, key: SigningKeyRow, now: number): Promise<boolean> {
  const keys = await listSigningKeysOf(tx, key.tenantId);
  const hasNext = keys.some(
    (known) => known.algorithm === key.algorithm && keyStanding(known, keys, now) === 'next',
  );
  if (!hasNext) await insertSigningKey(tx, key);
  return !hasNext;
}

/** Signs with a new key at once, and retires every other of its algorithm: what they signed is dead. */
export async function replaceKeys(tx: Tx, key: SigningKeyRow, now: number): Promise<void> {
  for (const known of await listSigningKeysOf(tx, key.tenantId)) {
    if (known.algorithm === key.algorithm && known.retiredAt === null) {
      await retireSigningKey(tx, known.kid, now);
    }
  }
  await insertSigningKey(tx, key);
}

/**
 * After a restore: every tenant signs with new keys, since a backup may hold keys that were retired later
 * because they had been stolen (security, promise 6). What they signed is dead anyway.
 *
 * @returns how many keys were made
 */
export async function replaceRestoredKeys(
  store: Store,
  { vault, now }: Pick<RotationDeps, 'vault' | 'now'>,
): Promise<number> {
  const restoredAt = (await store.transaction(findService))?.tokensFrom ?? 0;
  if (restoredAt === 0) return 0;
  let made = 0;
  for (const { tenant } of await store.transaction(listTenants)) {
    const known = await store.transaction((tx) => listSigningKeysOf(tx, tenant.id));
    // The second of the restore itself was rounded up.
    const isOld = known.some((key) => key.retiredAt === null && key.createdAt < restoredAt - 1_000);
    if (!isOld) continue;
    const keys = await prepareRotation(tenant.id, signingAlgorithms, true, vault, now);
    await store.transaction(async (tx) => {
      for (const key of keys) {
        await replaceKeys(tx, key, now);
        await auditRotation(
          tx,
          tenant.id,
          key.kid,
          'made after a restore; the keys of before are retired',
          now,
        );
      }
    });
    made += keys.length;
  }
  return made;
}

/** What the rotation needs beside the store. */
export interface RotationDeps {
  readonly vault: Vault;
  readonly tenants: Pick<Tenants, 'read'>;
  readonly now: number;
}

/**
 * Looks after the keys of every tenant (security, Defaults; M16): a key signs for 90 days, the next one is
 * published 24 hours before it signs, and a key is retired when the last token it signed is over.
 *
 * @returns how many keys were published or retired
 */
export async function rotateDueKeys(store: Store, { vault, tenants, now }: RotationDeps): Promise<number> {
  let changed = 0;
  for (const { tenant } of await store.transaction(listTenants)) {
    const due = dueKeys(await store.transaction((tx) => listSigningKeysOf(tx, tenant.id)), now);
    const next = await prepareRotation(tenant.id, due.next, false, vault, now);
    if (next.length === 0 && due.retired.length === 0) continue;
    const { count, putInPlace } = await store.transaction(async (tx) => {
      const published: SigningKeyRow[] = [];
      for (const key of next) if (await publishNextKey(tx, key, now)) published.push(key);
      for (const { kid, algorithm, activeFrom } of published) {
        await auditRotation(
          tx,
          tenant.id,
          kid,
          `the next ${algorithm} key: it signs from ${isoTime(activeFrom)}`,
          now,
        );
      }
      for (const kid of due.retired) {
        await retireSigningKey(tx, kid, now);
        await auditRotation(tx, tenant.id, kid, 'retired: the last token it signed is over', now);
      }
      return { count: published.length + due.retired.length, putInPlace: await tenants.read(tx) };
    });
    putInPlace();
    changed += count;
  }
  return changed;
}

function auditRotation(tx: Tx, tenantId: string, kid: string, reason: string, at: number): Promise<void> {
  return insertAuditEvent(tx, {
    at,
    tenantId,
    event: 'key_rotated',
    actorKind: 'service',
    actorId: null,
    target: kid,
    clientId: null,
    address: null,
    result: 'done',
    reason,
  });
}
