// Makes, rotates and retires the keys of a tenant.
import { randomBytes } from 'node:crypto';
import { isoTime } from '../../core/access/iso-time.ts';
import { keyPublishedBefore } from '../../core/limits.ts';
import { auditEvent, serviceSource } from '../../core/operators/audit-event.ts';
import { dueKeys, type KeyTimes, keyStanding } from '../../core/operators/signing-key.ts';
import type { SigningAlgorithm } from '../../core/tenant.ts';
import { findSigningKey, generateSigningKey, type SigningKey, signingKeyFor } from '../../secrets/signing.ts';
import type { Vault } from '../../secrets/vault.ts';
import { insertAuditEvent } from '../../storage/operators/audit-event.ts';
import type { SigningKeyRow } from '../../storage/schema.ts';
import { findService } from '../../storage/service.ts';
import type { Store, Tx } from '../../storage/store.ts';
import { insertSigningKey, listSigningKeys, listTenants, retireSigningKey } from '../../storage/tenant.ts';
import type { OpenTenant, Tenants } from './open-tenants.ts';

/** Every tenant has a key for these algorithms; for the others where a client signs with them. */
const usualAlgorithms: readonly SigningAlgorithm[] = ['ES256', 'RS256'];

export const signingAlgorithms: readonly SigningAlgorithm[] = [...usualAlgorithms, 'PS256', 'EdDSA'];

/** The algorithms of some keys, each once. */
export function algorithmsOf(keys: readonly Pick<KeyTimes, 'algorithm'>[]): readonly SigningAlgorithm[] {
  return signingAlgorithms.filter((one) => keys.some(({ algorithm }) => algorithm === one));
}

/** All keys of a new tenant: ES256 for access tokens, RS256 for id_tokens. Slow, so before the transaction. */
export async function prepareKeys(tenantId: string, vault: Vault, now: number) {
  return {
    tokenKey: vault.encrypt(randomBytes(32), tenantId),
    keys: await prepareRotation(tenantId, usualAlgorithms, true, vault, now),
  };
}

/** Makes keys that take the place of those of a tenant. Slow, so before the transaction. */
export function prepareRotation(
  tenantId: string,
  algorithms: readonly SigningAlgorithm[],
  emergency: boolean,
  vault: Vault,
  now: number,
): Promise<readonly SigningKeyRow[]> {
  const activeFrom = emergency ? now : now + keyPublishedBefore;
  return Promise.all(
    algorithms.map((algorithm) => prepareSigningKey(tenantId, algorithm, vault, now, activeFrom)),
  );
}

/**
 * Makes a signing key of a tenant. The next one is published a day before it signs, so that no client meets a `kid`
 * it cannot find; the one before it stays published (M16).
 *
 * @param activeFrom when it begins to sign (ms)
 */
export async function prepareSigningKey(
  tenantId: string,
  algorithm: SigningAlgorithm,
  vault: Vault,
  now: number,
  activeFrom = now + keyPublishedBefore,
): Promise<SigningKeyRow> {
  const { kid, publicJwk, privateKey } = await generateSigningKey(algorithm);
  return {
    kid,
    tenantId,
    algorithm,
    publicJwk: JSON.stringify(publicJwk),
    privateKey: vault.encrypt(privateKey, tenantId),
    createdAt: now,
    activeFrom,
    retiredAt: null,
  };
}

/**
 * Publishes a key that signs from tomorrow on; the one before it stays published (M16).
 *
 * @returns false if the tenant has a next key of this algorithm already
 */
export async function publishNextKey(tx: Tx, key: SigningKeyRow, now: number): Promise<boolean> {
  const keys = await listSigningKeys(tx, key.tenantId);
  const hasNext = keys.some(
    (known) => known.algorithm === key.algorithm && keyStanding(known, keys, now) === 'next',
  );
  if (!hasNext) await insertSigningKey(tx, key);
  return !hasNext;
}

/** Signs with a new key at once, and retires every other of its algorithm: what they signed is dead. */
export async function replaceKeys(tx: Tx, key: SigningKeyRow, now: number): Promise<void> {
  for (const known of await listSigningKeys(tx, key.tenantId)) {
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
    const oldKeys = async (tx: Tx) =>
      // The second of the restore itself was rounded up.
      (await listSigningKeys(tx, tenant.id)).filter(
        (key) => key.retiredAt === null && key.createdAt < restoredAt - 1_000,
      );
    const old = await store.transaction(oldKeys);
    if (old.length === 0) continue;
    const keys = await prepareRotation(tenant.id, algorithmsOf(old), true, vault, now);
    made += await store.transaction(async (tx) => {
      // Another process that starts may have been a moment ahead.
      if ((await oldKeys(tx)).length === 0) return 0;
      for (const key of keys) {
        await replaceKeys(tx, key, now);
        const reason = 'made after a restore; the keys of before are retired';
        await auditRotation(tx, tenant.id, key.kid, reason, now);
      }
      return keys.length;
    });
  }
  return made;
}

/** What the rotation needs beside the store. */
interface RotationDeps {
  readonly vault: Vault;
  readonly tenants: Pick<Tenants, 'read'>;
  readonly now: number;
}

/** The means to make a key where one is missing. */
export interface MissingKeyDeps {
  readonly vault: Vault;
  readonly tenants: Pick<Tenants, 'read' | 'all'>;
  readonly now: number;
}

/**
 * Makes the keys of PS256 and EdDSA that clients are to sign with, where their tenants have none yet (interop 57).
 *
 * @returns how many tenants lacked one
 */
export async function makeMissingKeys(store: Store, deps: MissingKeyDeps): Promise<number> {
  let missing = 0;
  for (const { id, keys, idTokenAlgorithms } of deps.tenants.all()) {
    const known = algorithmsOf(keys);
    for (const algorithm of idTokenAlgorithms.filter((one) => !known.includes(one))) {
      await makeFirstKey(store, id, algorithm, deps);
      missing += 1;
    }
  }
  return missing;
}

/**
 * The key that signs now; it is made if the tenant has none of the algorithm. That happens only where making it when a
 * client got the algorithm failed, or has not happened yet.
 *
 * @throws StorageUnavailable
 */
export async function keyToSign(
  store: Store,
  tenant: OpenTenant,
  algorithm: SigningAlgorithm,
  deps: MissingKeyDeps,
): Promise<SigningKey> {
  const known = findSigningKey(tenant.keys, algorithm, deps.now);
  if (known !== null) return known;
  await makeFirstKey(store, tenant.id, algorithm, deps);
  const keys = deps.tenants.all().find(({ id }) => id === tenant.id)?.keys ?? [];
  return signingKeyFor(keys, algorithm, deps.now);
}

/** Makes a key that signs at once, unless another has done so meanwhile. */
async function makeFirstKey(
  store: Store,
  tenantId: string,
  algorithm: SigningAlgorithm,
  { vault, tenants, now }: MissingKeyDeps,
): Promise<void> {
  const key = await prepareSigningKey(tenantId, algorithm, vault, now, now);
  const putInPlace = await store.transaction(async (tx) => {
    const live = (await listSigningKeys(tx, tenantId)).filter(({ retiredAt }) => retiredAt === null);
    if (!algorithmsOf(live).includes(algorithm)) {
      await insertSigningKey(tx, key);
      await auditRotation(tx, tenantId, key.kid, `the first ${algorithm} key: a client signs with it`, now);
    }
    return tenants.read(tx);
  });
  putInPlace();
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
    const due = dueKeys(await store.transaction((tx) => listSigningKeys(tx, tenant.id)), now);
    const next = await prepareRotation(tenant.id, due.next, false, vault, now);
    if (next.length === 0 && due.retired.length === 0) continue;
    const { count, putInPlace } = await store.transaction(async (tx) => {
      let count = due.retired.length;
      for (const key of next) {
        if (!(await publishNextKey(tx, key, now))) continue;
        count += 1;
        const reason = `the next ${key.algorithm} key: it signs from ${isoTime(key.activeFrom)}`;
        await auditRotation(tx, tenant.id, key.kid, reason, now);
      }
      for (const kid of due.retired) {
        await retireSigningKey(tx, kid, now);
        await auditRotation(tx, tenant.id, kid, 'retired: the last token it signed is over', now);
      }
      return { count, putInPlace: await tenants.read(tx) };
    });
    putInPlace();
    changed += count;
  }
  return changed;
}

function auditRotation(tx: Tx, tenantId: string, kid: string, reason: string, now: number): Promise<void> {
  const facts = { event: 'key_rotated', tenantId, target: kid, reason } as const;
  return insertAuditEvent(tx, auditEvent(serviceSource(now), facts));
}
