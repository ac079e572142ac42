// Finds what the ids that events of the audit name are called.
import type { Period, Price } from '../../core/access/package.ts';
import { isId } from '../../core/id.ts';
import type { AuditEvent } from '../../core/operators/audit-event.ts';
import type { Tx } from '../store.ts';

/** The name and the owner of something that an event names. */
export interface FoundName {
  readonly kind: 'client' | 'member' | 'device' | 'browser' | 'package' | 'product' | 'token';
  readonly tenantId: string | null;
  /** Its name; null if it has none. */
  readonly text: string | null;
  readonly memberId: string | null;
  readonly clientId: string | null;
  /** What it costs, if it can be bought. */
  readonly offer: { readonly price: Price; readonly period: Period } | null;
}

/** For things with small numbers: events say their noun. */
const numbered = ['subscriptions', 'packages', 'products'] as const;
export type NumberedNoun = (typeof numbered)[number];

export const isNumbered = (noun: string): noun is NumberedNoun =>
  numbered.some((numberedNoun) => numberedNoun === noun);

/** Names that were looked up, by the key that `keyOfName` makes. What was erased or is gone has none. */
export type FoundNames = ReadonlyMap<string, FoundName>;

/** The key of what has an id of its own, of a client of a tenant, and of what has a number. */
export const keyOfName = {
  id: (id: string) => id,
  client: (tenantId: string | null, clientId: string) => `client ${tenantId} ${clientId}`,
  number: (noun: NumberedNoun, id: string) => `${noun} ${id}`,
} as const;

/**
 * Looks up all that some events name: a few look-ups by keys, however many events there are. Ids are looked for
 * wherever they can be, since a UUID is one thing's alone: its owner must be looked at before its name is told.
 */
export async function findEventNames(
  tx: Tx,
  events: readonly Pick<AuditEvent, 'tenantId' | 'actorId' | 'clientId' | 'target' | 'memberId'>[],
): Promise<FoundNames> {
  const parts = events.flatMap(({ actorId, target, memberId }) => [
    actorId ?? '',
    memberId ?? '',
    ...(target ?? '').split(' '),
  ]);
  const ids = distinct(parts.filter(isId));
  const found: FoundEntry[] = [];
  if (ids.length > 0) {
    found.push(...(await devicesOf(tx, ids)), ...(await browsersOf(tx, ids)));
    found.push(...(await checkoutsOf(tx, ids)), ...(await tokensOf(tx, ids)));
  }
  const numbers = distinct(parts.filter((part) => /^\d{1,15}$/.test(part))).map(Number);
  if (numbers.length > 0) found.push(...(await numberedThings(tx, numbers)));
  const named = [...events, ...found.map(([, name]) => name)];
  const owners = found.flatMap(([, { memberId }]) => memberId ?? []);
  if (ids.length + owners.length > 0) found.push(...(await membersOf(tx, distinct([...ids, ...owners]))));
  const tenantIds = distinct(named.flatMap(({ tenantId }) => tenantId ?? []));
  const clientIds = distinct([...named.flatMap(({ clientId }) => clientId ?? []), ...parts]);
  if (tenantIds.length > 0) found.push(...(await clientsOf(tx, tenantIds, clientIds)));
  return new Map(found);
}

const distinct = <Value>(values: readonly Value[]) => [...new Set(values)];

type FoundEntry = readonly [key: string, name: FoundName];

const nameOf = (kind: FoundName['kind'], facts: Partial<FoundName>): FoundName => ({
  kind,
  tenantId: null,
  text: null,
  memberId: null,
  clientId: null,
  offer: null,
  ...facts,
});

async function membersOf(tx: Tx, ids: readonly string[]): Promise<readonly FoundEntry[]> {
  const rows = await tx
    .selectFrom('members')
    .select(['id', 'tenantId', 'fullName', 'email'])
    .where('id', 'in', ids)
    .where('erasedAt', 'is', null)
    .execute();
  return rows.map(({ id, tenantId, fullName, email }) => [
    keyOfName.id(id),
    nameOf('member', { tenantId, text: fullName === '' ? email : fullName, memberId: id }),
  ]);
}

async function clientsOf(
  tx: Tx,
  tenantIds: readonly string[],
  clientIds: readonly string[],
): Promise<readonly FoundEntry[]> {
  const rows = await tx
    .selectFrom('clients')
    .select(['tenantId', 'clientId', 'name'])
    .where('tenantId', 'in', tenantIds)
    .where('clientId', 'in', clientIds)
    .execute();
  return rows.map(({ tenantId, clientId, name }) => [
    keyOfName.client(tenantId, clientId),
    nameOf('client', { tenantId, text: name, clientId }),
  ]);
}

/** Sign-ins and codes: both are of a TV, or of an app. */
async function devicesOf(tx: Tx, ids: readonly string[]): Promise<readonly FoundEntry[]> {
  const signIns = await tx
    .selectFrom('signIns')
    .leftJoin('deviceCodes', 'deviceCodes.signInId', 'signIns.id')
    .select(['signIns.id', 'signIns.tenantId', 'signIns.memberId', 'signIns.clientId'])
    .select(['label', 'deviceName', 'deviceModel'])
    .where('signIns.id', 'in', ids)
    .execute();
  const codes = await tx
    .selectFrom('deviceCodes')
    .leftJoin('signIns', 'signIns.id', 'deviceCodes.signInId')
    .select(['deviceCodes.id', 'deviceCodes.tenantId', 'deviceCodes.memberId', 'deviceCodes.clientId'])
    .select(['label', 'deviceName', 'deviceModel'])
    .where('deviceCodes.id', 'in', ids)
    .execute();
  return [...signIns, ...codes].map(({ id, tenantId, memberId, clientId, ...device }) => [
    keyOfName.id(id),
    nameOf('device', { tenantId, text: deviceText(device), memberId, clientId }),
  ]);
}

/** The name that the member gave it, else its own. */
function deviceText(device: Readonly<Record<'label' | 'deviceName' | 'deviceModel', string | null>>) {
  const name = device.label ?? device.deviceName;
  const model = device.deviceModel;
  return name === null || model === null || name === model ? (name ?? model) : `${name} (${model})`;
}

async function browsersOf(tx: Tx, ids: readonly string[]): Promise<readonly FoundEntry[]> {
  const sessions = tx.selectFrom('sessions').select(['id', 'tenantId', 'memberId']).where('id', 'in', ids);
  return (await sessions.execute()).map(({ id, ...whose }) => [keyOfName.id(id), nameOf('browser', whose)]);
}

async function checkoutsOf(tx: Tx, ids: readonly string[]): Promise<readonly FoundEntry[]> {
  const rows = await tx
    .selectFrom('checkouts')
    .innerJoin('packages', 'packages.id', 'checkouts.packageId')
    .select(['checkouts.id', 'checkouts.tenantId', 'checkouts.memberId', 'packages.name'])
    .select(['checkouts.price', 'checkouts.currency', 'checkouts.periodUnit', 'checkouts.periodCount'])
    .where('checkouts.id', 'in', ids)
    .execute();
  return rows.map(({ id, tenantId, memberId, name, price, currency, periodUnit, periodCount }) => {
    const period = { unit: periodUnit, count: periodCount };
    const offer = price === 0 ? null : { price: { amount: price, currency }, period };
    return [keyOfName.id(id), nameOf('package', { tenantId, text: name, memberId, offer })];
  });
}

async function tokensOf(tx: Tx, ids: readonly string[]): Promise<readonly FoundEntry[]> {
  const tokens = tx.selectFrom('adminTokens').select(['id', 'tenantId', 'name']).where('id', 'in', ids);
  return (await tokens.execute()).map(({ id, tenantId, name }) => [
    keyOfName.id(id),
    nameOf('token', { tenantId, text: name }),
  ]);
}

async function numberedThings(tx: Tx, ids: readonly number[]): Promise<readonly FoundEntry[]> {
  const subscriptions = await tx
    .selectFrom('subscriptions')
    .innerJoin('packages', 'packages.id', 'subscriptions.packageId')
    .select(['subscriptions.id', 'subscriptions.tenantId', 'subscriptions.memberId', 'packages.name'])
    .where('subscriptions.id', 'in', ids)
    .execute();
  const of = async (table: 'packages' | 'products', kind: 'package' | 'product') => {
    const rows = tx.selectFrom(table).select(['id', 'tenantId', 'name']).where('id', 'in', ids);
    return (await rows.execute()).map(
      ({ id, tenantId, name }): FoundEntry => [
        keyOfName.number(table, String(id)),
        nameOf(kind, { tenantId, text: name }),
      ],
    );
  };
  return [
    ...subscriptions.map(
      ({ id, tenantId, memberId, name }): FoundEntry => [
        keyOfName.number('subscriptions', String(id)),
        nameOf('package', { tenantId, memberId, text: name }),
      ],
    ),
    ...(await of('packages', 'package')),
    ...(await of('products', 'product')),
  ];
}
