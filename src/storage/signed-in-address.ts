/** From which addresses members signed in: what is stored of browsers and TVs tells, until they are erased. */
import { prepared, query, unplanned } from './prepared.ts';
import type { Tx } from './store.ts';

/** Addresses as text, from one to another, both among them. */
export interface AddressRange {
  readonly from: string;
  readonly to: string;
}

/** Whether a browser or a TV of the tenant has finished a sign-in from one of these addresses. */
export function hasSignedInFrom(tx: Tx, tenantId: string, ranges: readonly AddressRange[]): boolean {
  return ranges.some(
    (range) =>
      usedCode.first(tx, { tenantId, ...range }) !== undefined ||
      session.first(tx, { tenantId, ...range }) !== undefined,
  );
}

type Asked = AddressRange & { readonly tenantId: string };

const usedCode = prepared(({ tenantId, from, to }: Asked) =>
  query
    .selectFrom('deviceCodes')
    .select('ipAddress')
    .where('tenantId', '=', tenantId)
    .where('state', '=', 'used')
    .where('ipAddress', '>=', unplanned(from, 'text'))
    .where('ipAddress', '<=', unplanned(to, 'text'))
    .limit(1),
);

const session = prepared(({ tenantId, from, to }: Asked) =>
  query
    .selectFrom('sessions')
    .select('ipAddress')
    .where('tenantId', '=', tenantId)
    .where('ipAddress', '>=', unplanned(from, 'text'))
    .where('ipAddress', '<=', unplanned(to, 'text'))
    .limit(1),
);
