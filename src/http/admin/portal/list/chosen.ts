// What a list offers to do to several of its entries at once.

import type { Operation } from '../../../../operations/admin/operation.ts';
import { mayCall } from '../../call.ts';
import { operationNamed } from '../addresses.ts';
import type { OperationVisit } from '../visitor.ts';
import { buttonOf } from '../words/labels.ts';

/** What a list offers for entries that are chosen: each a button of the one form around its table. */
export function bulkOf(visit: OperationVisit) {
  const operations = bulkOperations(visit);
  if (operations.length === 0) return null;
  return {
    action: visit.request.url,
    key: visit.operation.portal?.list?.entry?.key ?? '',
    acts: operations.map((one) => ({
      name: one.name,
      label: buttonOf(one, true),
      isGrave: one.portal?.ends !== undefined,
    })),
  };
}

/** The operations that take an entry of the list and nothing else. */
export function bulkOperations(visit: OperationVisit): readonly Operation[] {
  const { bulk = [] } = visit.operation.portal?.list ?? {};
  return bulk.flatMap((name) => {
    const operation = operationNamed(visit, name);
    return operation !== null && mayCall(visit, operation) ? [operation] : [];
  });
}
