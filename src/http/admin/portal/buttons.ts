/** The buttons of a page: the links to the forms and files that say they stand on it. */

import { type EntryName, type Operation, pagesOf, pathFields } from '../../../operations/admin/operation.ts';
import type { Form } from '../../form.ts';
import { mayCall } from '../call.ts';
import { addressOf, contextOf, newAddressOf, queryText, takesForm } from './addresses.ts';
import { buttonOf } from './labels.ts';
import type { Facts, OperationVisit } from './visitor.ts';

/** A button that leads to the form of an operation. */
export interface Button {
  readonly label: string;
  readonly href: string;
  readonly isGrave: boolean;
  /** Whether it is what most come to the page for. */
  readonly isMain: boolean;
}

/** The forms that a page offers for what it shows as a whole. */
export function formButtons(visit: OperationVisit, thing: Facts = {}): readonly Button[] {
  const { operation: page, known } = visit;
  return formsOn(visit, thing)
    .flatMap((operation) => {
      const own = addressOf(operation, known);
      const href = own ?? newAddressOf(operation, known);
      const isMain = own === null || operation.path === page.path;
      return href === null ? [] : [buttonAt(operation, href, isMain, own !== null)];
    })
    .toSorted((a, b) => Number(b.isMain) - Number(a.isMain) || Number(a.isGrave) - Number(b.isGrave));
}

/** The files that a page offers, narrowed as the page is. */
export function fileButtons(visit: OperationVisit, query: Form = new Map()): readonly Button[] {
  const { operations, operation: page, known } = visit;
  return operations
    .filter((one) => one.mediaType !== undefined && pagesOf(one).includes(page.name) && mayCall(visit, one))
    .flatMap((one) => {
      const href = addressOf(one, known);
      return href === null ? [] : [buttonAt(one, `${href}${queryFor(one, query)}`, false)];
    });
}

/** What the query of a page says of the fields of an operation. */
function queryFor({ input }: Operation, query: Form): string {
  const known = [...query].filter(([name]) => name in input.properties);
  return queryText(Object.fromEntries(known.map(([name, [value = '']]) => [name, value])));
}

/** The forms for an entry of a list: those of which the entry's name is the one field that is missing. */
export function entryButtons(
  visit: OperationVisit,
  entry: EntryName | undefined,
  item: Facts,
): readonly Button[] {
  if (entry === undefined) return [];
  const { known } = visit;
  return formsOn(visit, item).flatMap((operation) => {
    const missing = pathFields(operation).filter((name) => known[name] === undefined);
    if (missing.join() !== entry.field) return [];
    const href = addressOf(operation, { ...known, [entry.field]: item[entry.key] });
    const context = contextOf(visit, operation);
    return href === null ? [] : [buttonAt(operation, `${href}${context}`, false, true)];
  });
}

/** The forms on a page that fit what it shows. */
function formsOn(visit: OperationVisit, thing: Facts): readonly Operation[] {
  return visit.operations.filter(
    (operation) =>
      takesForm(operation) &&
      pagesOf(operation).includes(visit.operation.name) &&
      operation.portal?.fits?.(thing) !== false &&
      mayCall(visit, operation),
  );
}

function buttonAt(operation: Operation, href: string, isMain: boolean, isThere = false): Button {
  const isGrave = operation.portal?.ends === true;
  return { label: buttonOf(operation, isThere), href, isGrave, isMain: isMain && !isGrave };
}
