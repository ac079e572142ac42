// What a list offers to do to several of its entries at once, and which entries a form chose.

import { sha256 } from '../../../../core/hash.ts';
import { listPage } from '../../../../core/limits.ts';
import { actedAtOnce } from '../../../../core/operators/limits.ts';
import { nameOf, type Operation } from '../../../../operations/admin/operation.ts';
import { say } from '../../../../text/portal.ts';
import type { Form } from '../../../form.ts';
import { mayCall } from '../../call.ts';
import { operationNamed } from '../addresses.ts';
import type { listIn } from '../values.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { buttonOf, thingsOf } from '../words/labels.ts';
import { listQuery } from './query.ts';
import { readAll, readList } from './read.ts';

/**
 * What a list offers for entries that are chosen: each a button of the one form around its table.
 *
 * @param isPaged whether the list has more entries than its page shows
 */
export function bulkOf(visit: OperationVisit, isPaged: boolean) {
  const operations = bulkOperations(visit);
  if (operations.length === 0) return null;
  const things = thingsOf(nameOf(visit.operation).noun);
  return {
    action: visit.request.url,
    key: keyOf(visit),
    all: isPaged ? say('bulk.all', { things, most: actedAtOnce }) : null,
    acts: operations.map((one) => ({
      name: one.name,
      label: buttonOf(one, true),
      isGrave: one.portal?.ends !== undefined,
    })),
  };
}

const keyOf = ({ operation }: OperationVisit) => operation.portal?.list?.entry?.key ?? '';

/** The operations that take an entry of the list and nothing else. */
export function bulkOperations(visit: OperationVisit): readonly Operation[] {
  const { bulk = [] } = visit.operation.portal?.list ?? {};
  return bulk.flatMap((name) => {
    const operation = operationNamed(visit, name);
    return operation !== null && mayCall(visit, operation) ? [operation] : [];
  });
}

/** The entries that a form chose. */
export interface Chosen {
  /** As the list has them; of one that is not on its page any more, what names it. */
  readonly items: readonly Facts[];
  readonly ids: readonly string[];
  readonly schema: ReturnType<typeof listIn>['schema'];
  /** Tells these entries from others, where all that match were chosen; null where each was. */
  readonly seen: string | null;
  /** Whether more match than are taken at once. */
  readonly isCut: boolean;
}

export function readChosen(visit: OperationVisit, form: Form): Promise<Chosen> {
  return form.has('all') ? everyEntry(visit) : entriesNamed(visit, form);
}

async function entriesNamed(visit: OperationVisit, form: Form): Promise<Chosen> {
  const ids = [...new Set(form.get('entry') ?? [])].slice(0, listPage.most);
  const { items, schema } = await readList(visit, listQuery(visit));
  const key = keyOf(visit);
  const found = ids.map((id) => items.find((item) => String(item[key]) === id) ?? { [key]: id });
  return { items: found, ids, schema, seen: null, isCut: false };
}

async function everyEntry(visit: OperationVisit): Promise<Chosen> {
  const found = await readAll(visit);
  const ids = found.items.map((item) => String(item[keyOf(visit)]));
  return { ...found, ids, seen: sha256(ids.join(' ')) };
}
