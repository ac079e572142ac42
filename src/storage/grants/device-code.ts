// Queries of device codes.
import { type DeviceCode, type DeviceCodeWrite, isOpen } from '../../core/grants/device-code.ts';
import type { SignIn } from '../../core/grants/sign-in.ts';
import { pollInterval, userCodeRest } from '../../core/limits.ts';
import type { AuditEventName } from '../../core/operators/audit-event.ts';
import { isIn } from '../operators/audit-list.ts';
import { insertion, lookup, prepared, query, unplanned } from '../prepared.ts';
import { findRow, newest, rowsWith } from '../rows.ts';
import type { Tx } from '../store.ts';

/** The device code of a tenant by its SHA-256, or null. */
export async function findDeviceCode(tx: Tx, tenantId: string, hash: string): Promise<DeviceCode | null> {
  return codeByHash.first(tx, { tenantId, hash });
}

const codeByHash = lookup('deviceCodes', 'hash', 'tenantId');

/** The device code of a tenant by its id, or null. */
export async function findDeviceCodeById(tx: Tx, tenantId: string, id: string): Promise<DeviceCode | null> {
  return findRow(tx, 'deviceCodes', { id, tenantId });
}

/** The device code that a sign-in came from, or null. */
export async function findDeviceCodeOfSignIn(
  tx: Tx,
  { tenantId, id: signInId }: Pick<SignIn, 'tenantId' | 'id'>,
): Promise<DeviceCode | null> {
  return findRow(tx, 'deviceCodes', { signInId, tenantId });
}

/** The newest device code of a tenant with this user code, whatever has become of it; or null. */
export async function findDeviceCodeByUserCode(
  tx: Tx,
  tenantId: string,
  userCodeHash: string,
): Promise<DeviceCode | null> {
  const codes = rowsWith(tx, 'deviceCodes', { tenantId, userCodeHash });
  const [code] = await newest(codes, 'createdAt', { limit: 1 }).execute();
  return code ?? null;
}

/**
 * Whether a member has opened the waiting device of a user code before: the audit knows, also after a restart. Of a
 * code that others alone opened this tells nothing, not even by its time: it is one look-up for every code (U8).
 */
export async function hasEnteredDeviceCode(
  tx: Tx,
  { memberId, ...code }: Pick<DeviceCode, 'tenantId' | 'userCodeHash'> & { readonly memberId: string },
  now: number,
): Promise<boolean> {
  return (await entries.all(tx, code)).some((entry) => entry.actorId === memberId && isOpen(entry, now));
}

const entered: AuditEventName = 'device_code_entered';

/**
 * A left join, so that SQLite begins at the code, and the member is compared outside: else it would go through all
 * that the tenant or the member ever did.
 */
const entries = prepared(({ tenantId, userCodeHash }: Pick<DeviceCode, 'tenantId' | 'userCodeHash'>) =>
  query
    .selectFrom('deviceCodes')
    .leftJoin('auditEvents', (join) =>
      join
        .onRef('auditEvents.target', '=', 'deviceCodes.id')
        .onRef('auditEvents.tenantId', '=', 'deviceCodes.tenantId')
        .on('auditEvents.event', '=', entered)
        .on(isIn('others')),
    )
    .select(['deviceCodes.state', 'deviceCodes.expiresAt', 'auditEvents.actorId'])
    .where('deviceCodes.tenantId', '=', tenantId)
    .where('deviceCodes.userCodeHash', '=', userCodeHash),
);

/** Whether a user code may be given out: none of the tenant has it, or had it until lately (decision 31). */
export async function isUserCodeFree(
  tx: Tx,
  tenantId: string,
  userCodeHash: string,
  now: number,
): Promise<boolean> {
  return (await codeInUse.first(tx, { tenantId, userCodeHash, expiresAt: now - userCodeRest })) === null;
}

const codeInUse = prepared(
  ({ tenantId, userCodeHash, expiresAt }: Pick<DeviceCode, 'tenantId' | 'userCodeHash' | 'expiresAt'>) =>
    query
      .selectFrom('deviceCodes')
      .select('id')
      .where('tenantId', '=', tenantId)
      .where('userCodeHash', '=', userCodeHash)
      .where('expiresAt', '>', unplanned(expiresAt, 'bigint')),
);

/**
 * How many of the codes of each client that ended since a moment (ms) were told to slow down: of these polls came
 * faster than they may.
 *
 * @param most how many codes are looked at
 */
export function countSlowedCodes(tx: Tx, tenantId: string, since: number, most: number) {
  const codes = tx
    .selectFrom('deviceCodes')
    .select(['clientId', 'interval'])
    .where('tenantId', '=', tenantId)
    .where('state', 'in', ['pending', 'approved', 'denied', 'used', 'expired'])
    .where('expiresAt', '>', since)
    .limit(most)
    .as('codes');
  return tx
    .selectFrom(codes)
    .select(['clientId', ({ fn }) => fn.countAll<number>().as('count')])
    .where('interval', '>', pollInterval)
    .groupBy('clientId')
    .execute();
}

/** How many codes of a tenant wait for a member. */
export async function countPendingDeviceCodes(tx: Tx, tenantId: string, now: number): Promise<number> {
  return (await pending.first(tx, { tenantId, now }))?.count ?? 0;
}

const pending = prepared(({ tenantId, now }: { tenantId: string; now: number }) =>
  query
    .selectFrom('deviceCodes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('tenantId', '=', tenantId)
    .where('state', '=', 'pending')
    .where('expiresAt', '>', unplanned(now, 'bigint')),
);

/** From which addresses the codes of a client come that wait for a member, and how many from each. */
export async function listHoldersOfPendingCodes(
  tx: Tx,
  client: Pick<DeviceCode, 'tenantId' | 'clientId'> & { readonly now: number },
): Promise<readonly { readonly ipAddress: string; readonly count: number }[]> {
  return holders.all(tx, client);
}

const holders = prepared(
  ({ tenantId, clientId, now }: Pick<DeviceCode, 'tenantId' | 'clientId'> & { now: number }) =>
    query
      .selectFrom('deviceCodes')
      .select((eb) => ['ipAddress', eb.fn.countAll<number>().as('count')])
      .where('tenantId', '=', tenantId)
      .where('state', '=', 'pending')
      .where('expiresAt', '>', unplanned(now, 'bigint'))
      .where('clientId', '=', clientId)
      .groupBy('ipAddress'),
);

/** The codes of a client, or of a member who decided on them, that could still become tokens. */
export async function listOpenDeviceCodes(
  tx: Tx,
  of: Pick<DeviceCode, 'tenantId' | 'clientId'> | { readonly memberId: string },
): Promise<readonly DeviceCode[]> {
  return rowsWith(tx, 'deviceCodes', of).where('state', 'in', ['pending', 'approved']).execute();
}

export const insertDeviceCode = insertion('deviceCodes');

export async function moveDeviceCode(
  tx: Tx,
  { from, code }: Extract<DeviceCodeWrite, { write: 'moveDeviceCode' }>,
): Promise<void> {
  await move.changeOne(tx, { ...code, from });
}

type Moved = DeviceCode & { readonly from: DeviceCode['state'] };

const move = prepared(
  ({ from, id, state, interval, memberId, sessionId, authenticatedAt, signInId }: Moved) =>
    query
      .updateTable('deviceCodes')
      .set({ state, interval, memberId, sessionId, authenticatedAt, signInId })
      .where('id', '=', id)
      .where('state', '=', from),
);
