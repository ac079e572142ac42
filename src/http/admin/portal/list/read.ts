// Reads the entries of lists: those of a page, and all that match.

import { listPage } from '../../../../core/limits.ts';
import { actedAtOnce, portalListLength } from '../../../../core/operators/limits.ts';
import { listIn } from '../values.ts';
import { call } from '../visit.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { cursorOf, inputOf, type ListQuery, listQuery, pageLinks } from './query.ts';

/** The entries of the page that an address names. */
export async function readList(visit: OperationVisit, query: ListQuery) {
  const { operation } = visit;
  const limit = 'limit' in operation.input.properties ? { limit: portalListLength } : {};
  const answer = await call(visit, operation, { ...inputOf(visit, query), ...limit });
  const { items: read, schema } = listIn(answer, operation.output);
  const items = query.isBack ? read.toReversed() : read;
  return { items, schema, links: pageLinks(operation, query, items, answer.next) };
}

/** All that match what narrows the list, on whichever page they stand, as many as are taken at once, and whether there are more. */
export async function readAll(visit: OperationVisit) {
  const { operation } = visit;
  const input = { ...inputOf(visit, { ...listQuery(visit), at: null, isBack: false }), limit: listPage.most };
  const found: Facts[] = [];
  let answer: Facts = {};
  let next: unknown = null;
  do {
    answer = await call(visit, operation, {
      ...input,
      ...(next === null ? {} : { [cursorOf(operation)]: next }),
    });
    found.push(...listIn(answer, operation.output).items);
    next = answer.next ?? null;
  } while (next !== null && found.length <= actedAtOnce);
  const items = found.slice(0, actedAtOnce);
  return {
    items,
    schema: listIn(answer, operation.output).schema,
    isCut: found.length > items.length || next !== null,
  };
}
