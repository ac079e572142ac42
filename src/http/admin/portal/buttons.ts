/** The buttons of a page: the links to the forms and files that say they stand on it. */

import { type Operation, pathFields } from '../../../operations/admin/operation.ts';
import { type EntryName, pagesOf } from '../../../operations/admin/portal-face.ts';
import { say, sayIfKnown } from '../../../text/portal.ts';
import { type Form, queryOf } from '../../form.ts';
import { mayCall } from '../call.ts';
import { addressOf, contextOf, newAddressOf, queryText, takesForm } from './addresses.ts';
import { endsBy } from './form/ending.ts';
import type { Facts, OperationVisit } from './visitor.ts';
import { buttonOf } from './words/labels.ts';

/** A button that leads to the form of an operation, or does it at once. */
export interface Button {
  readonly label: string;
  readonly href: string;
  /** If it is pressed and not followed: one form, in which each button sends one field. */
  readonly press: { readonly token: string; readonly buttons: readonly Pressed[] } | null;
  readonly isGrave: boolean;
  /** Whether it is what most come to the page for. */
  readonly isMain: boolean;
}

interface Pressed {
  readonly label: string;
  readonly isGrave: boolean;
  /** null if pressing it is enough. */
  readonly name: string | null;
  readonly value: string | null;
}

/** The forms that a page offers for what it shows as a whole. */
export function formButtons(visit: OperationVisit, thing: Facts = {}): readonly Button[] {
  const { operation: page, known } = visit;
  return formsOn(visit, thing)
    .flatMap((operation) => {
      const own = addressOf(operation, known);
      const href = own ?? newAddressOf(operation, known);
      const isMain = own === null || operation.path === page.path || operation.portal?.isMain === true;
      const at = { href: `${href}${narrowingFor(visit, operation)}`, isMain, isThere: own !== null };
      return href === null ? [] : buttonsAt(visit, operation, thing, at);
    })
    .toSorted((a, b) => Number(b.isMain) - Number(a.isMain) || Number(a.isGrave) - Number(b.isGrave));
}

/** The filters of a list go along to the form that makes one more of them. */
function narrowingFor({ request }: OperationVisit, { made, input }: Operation): string {
  const kinds = Object.entries(input.properties).filter(([, schema]) => schema.enum !== undefined);
  const query = new Map(
    [...(queryOf(request) ?? [])].filter(([name]) => kinds.some(([kind]) => kind === name)),
  );
  return made === undefined ? '' : queryText(queryFor({ input }, query));
}

/** The files that a page offers for what it shows, narrowed as the page is. */
export function fileButtons(
  visit: OperationVisit,
  { thing = {}, query = new Map() }: { readonly thing?: Facts; readonly query?: Form } = {},
): readonly Button[] {
  const { known } = visit;
  return offeredOn(visit, thing)
    .filter(({ mediaType }) => mediaType !== undefined)
    .flatMap((one) => {
      const href = addressOf(one, known);
      if (href === null) return [];
      const said = queryFor(one, query);
      const buttonsTo = (values: Facts) =>
        buttonsAt(visit, one, {}, { href: `${href}${queryText(values)}`, isMain: false, isThere: false });
      const formats = Object.keys(one.formats ?? {}).filter(
        (format) => sayIfKnown(`file.${format}`) !== null,
      );
      if (formats.length === 0) return buttonsTo(said);
      return formats.flatMap((format) =>
        buttonsTo({ ...said, format }).map((button) => ({ ...button, label: say(`file.${format}`) })),
      );
    });
}

/** What the query of a page says of the fields of an operation. */
function queryFor({ input }: Pick<Operation, 'input'>, query: Form): Facts {
  const known = [...query].filter(([name]) => name in input.properties);
  return Object.fromEntries(known.flatMap(([name, [value = '']]) => (value === '' ? [] : [[name, value]])));
}

/** The forms for an entry of a list: those that lack no field but the entry's name. */
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
    const at = { href: `${href}${context}`, isMain: false, isThere: true };
    return href === null ? [] : buttonsAt(visit, operation, item, at);
  });
}

/** The button of one operation, where it may be called and fits the thing. */
export function buttonFor(
  visit: OperationVisit,
  operation: Operation,
  thing: Facts,
  href: string,
): readonly Button[] {
  if (operation.portal?.fits?.(thing) === false || !mayCall(visit, operation)) return [];
  return buttonsAt(visit, operation, thing, { href, isMain: false, isThere: true });
}

/** The buttons on the page of a group of fields. @param thing what its form changes */
export const partButtons = (visit: OperationVisit, part: string, thing: Facts): readonly Button[] =>
  visit.operations
    .filter(({ portal }) => portal?.part === part)
    .flatMap((operation) => {
      const href = addressOf(operation, visit.known);
      return href === null ? [] : buttonFor(visit, operation, thing, href);
    });

/** The forms on a page that fit what it shows. */
const formsOn = (visit: OperationVisit, thing: Facts): readonly Operation[] =>
  offeredOn(visit, thing).filter(takesForm);

/** What a page offers that fits what it shows. */
function offeredOn(visit: OperationVisit, thing: Facts): readonly Operation[] {
  return visit.operations.filter(
    (operation) =>
      pagesOf(operation).includes(visit.operation.name) &&
      operation.portal?.fits?.(thing) !== false &&
      mayCall(visit, operation),
  );
}

/** Where a button leads, and what it does there. */
interface Place extends Pick<Button, 'href' | 'isMain'> {
  /** Whether it is about something that is there already. */
  readonly isThere: boolean;
}

/** The button for an operation; none if nothing that the operation can do fits the thing. */
function buttonsAt(
  visit: OperationVisit,
  operation: Operation,
  thing: Facts,
  { href, isMain, isThere }: Place,
): readonly Button[] {
  const { ends, atOnce = false } = operation.portal ?? {};
  const isGrave = ends === 'forGood';
  const label = buttonOf(operation, isThere);
  const buttons =
    pressedFor(operation, thing) ?? (atOnce ? [{ label, isGrave, name: null, value: null }] : null);
  if (buttons?.length === 0) return [];
  const press = buttons === null ? null : { token: visit.newToken(), buttons };
  return [{ label, href, press, isGrave, isMain: isMain && !isGrave }];
}

/** A button for each thing that an operation can do; null if its form asks which. */
function pressedFor(operation: Operation, thing: Facts): readonly Pressed[] | null {
  const { presses } = operation.portal ?? {};
  if (presses === undefined) return null;
  const { field } = presses;
  return presses.values
    .filter(({ fits }) => fits(thing))
    .map(({ value }) => ({
      label: say(`press.${operation.name}.${value}`),
      isGrave: endsBy(operation, { [field]: value }),
      name: field,
      value,
    }));
}

/** What the pressed button of an operation says, and what it asks; null if its form was filled in. */
export function pressOf(operation: Operation, said: Facts, name: string | null) {
  const { presses } = operation.portal ?? {};
  if (presses === undefined) return null;
  const which = `${operation.name}.${String(said[presses.field])}`;
  const label = say(`press.${which}`);
  const asks = name === null ? null : sayIfKnown(`ask.${which}`, { name });
  return { label, asks: asks ?? say('verb.ask', { act: label }) };
}
