import type { Operation } from '../../../operations/admin/operation.ts';
import { addressOf, newAddressOf, pathFields, takesForm } from './addresses.ts';
import { type Facts, mayCall, operationNamed } from './call.ts';
import { companions, isEnding, isFitting, landings } from './nouns.ts';
import type { Visit } from './visit.ts';
import { buttonOf, nameOf, singular } from './words.ts';

/** A button that leads to the form of an operation. */
export interface Action {
  readonly label: string;
  readonly href: string;
  readonly isGrave: boolean;
  /** Whether it is what most come to the page for. */
  readonly isMain: boolean;
}

/** The operations that a page offers for what it shows as a whole. */
export function actionsOf(visit: Visit, page: Operation, known: Facts, shown: Facts = {}): readonly Action[] {
  const { noun } = nameOf(page);
  // Everything is below a tenant; what is of it alone bears its noun.
  const isOwn = (operation: Operation) =>
    (isBelow(operation, page) || operation.path === page.path) &&
    (nameOf(operation).noun === noun || isOfOne(page));
  return forms(visit)
    .filter((operation) => isOwn(operation) || nameOf(operation).noun === companions[page.name])
    .filter((operation) => nameOf(operation).noun !== noun || isFitting(nameOf(operation).verb, shown))
    .flatMap((operation) => {
      const own = addressOf(operation, known);
      const href = own ?? newAddressOf(operation, known);
      const isMain = own === null || operation.path === page.path;
      return href === null ? [] : [actionAt(operation, href, isMain, own !== null)];
    })
    .toSorted((a, b) => Number(b.isMain) - Number(a.isMain) || Number(a.isGrave) - Number(b.isGrave));
}

/** The files that a page offers: those of its own noun below it, and those of the noun that goes along. */
export function filesOf(visit: Visit, page: Operation, known: Facts, query = ''): readonly Action[] {
  return visit.operations
    .filter((one) => one.mediaType !== undefined && !takesForm(one) && mayCall(visit, one))
    .filter((one) =>
      nameOf(one).noun === nameOf(page).noun
        ? isBelow(one, page)
        : nameOf(one).noun === companions[page.name],
    )
    .flatMap((one) => {
      const href = addressOf(one, known);
      const isOwn = nameOf(one).noun === nameOf(page).noun;
      return href === null ? [] : [actionAt(one, `${href}${isOwn ? query : ''}`, false)];
    });
}

/** Every button of a page: what ends things comes last. */
export function buttonsOf(actions: readonly Action[], files: readonly Action[]): readonly Action[] {
  return [...actions, ...files].toSorted((a, b) => Number(a.isGrave) - Number(b.isGrave));
}

/** The operations for an entry of a list: those of which the entry gives the one field that is missing. */
export function entryActions(visit: Visit, list: string, entry: Facts, known: Facts): readonly Action[] {
  return forms(visit).flatMap((operation) => {
    const missing = pathFields(operation).filter((name) => known[name] === undefined);
    const [name] = missing;
    if (missing.length !== 1 || name === undefined) return [];
    const isOfList = nameOf(operation).noun === list || name === `${singularField(list)}Id`;
    const value =
      isOfList && isFitting(nameOf(operation).verb, entry) ? fieldOf(entry, name, list) : undefined;
    const href = value === undefined ? null : addressOf(operation, { ...known, [name]: value });
    return href === null ? [] : [actionAt(operation, `${href}${contextOf(operation, known)}`, false, true)];
  });
}

/** The page of an entry of a list, if it has one. */
export function entryPage(visit: Visit, page: Operation, entry: Facts, known: Facts): string | null {
  const read = visit.operations.find(
    (operation) => isPage(operation) && new RegExp(`^${escaped(page.path)}/\\{\\w+\\}$`).test(operation.path),
  );
  const name = read === undefined ? undefined : pathFields(read).at(-1);
  if (read === undefined || name === undefined) return null;
  const value = fieldOf(entry, name, nameOf(page).noun);
  return value === undefined ? null : addressOf(read, { ...known, [name]: value });
}

/** The value of an entry that a field of a path stands for: its own, its id, or a tenant's host. */
function fieldOf(entry: Facts, name: string, list: string): unknown {
  if (entry[name] !== undefined) return entry[name];
  if (name === singularField(list)) return entry.host;
  return name === `${singularField(list)}Id` || name.endsWith('Id') ? entry.id : undefined;
}

/** `signIns` have a `signInId`. */
const singularField = (list: string) => list.replace(/ies$/, 'y').replace(/s$/, '');

/** What a page knows beyond an operation's address goes along, so that the way back is known. */
function contextOf(operation: Operation, known: Facts): string {
  const extra = Object.entries(known).filter(([name]) => !pathFields(operation).includes(name));
  const query = new URLSearchParams(Object.fromEntries(extra.map(([name, value]) => [name, String(value)])));
  return extra.length === 0 ? '' : `?${query}`;
}

/** The page that shows what came of an operation: what was made, what was changed, or the list of it. */
export function landingOf(visit: Visit, operation: Operation, known: Facts, answer: Facts): string {
  const facts = { ...scalarsOf(answer), ...known };
  const { noun } = nameOf(operation);
  const candidates = visit.operations.filter((page) => isPage(page) && mayCall(visit, page));
  const own = operationNamed(visit, landings[noun] ?? `${noun}.read`);
  const made = madeBy(operation, answer, own, facts);
  const isGone = operation.method === 'DELETE';
  const ordered = [
    ...(own === null || (isGone && own.path === operation.path) ? [] : [own]),
    ...candidates.filter((page) => nameOf(page).noun === noun),
    ...candidates
      .filter((page) => isBelow(operation, page))
      .toSorted((a, b) => b.path.length - a.path.length),
  ].filter((page) => !(isGone && page.path === operation.path));
  for (const page of ordered) {
    const href = addressOf(page, { ...facts, ...made });
    if (href !== null) return href;
  }
  return '/admin';
}

/** The field of a path that names what an operation made. */
function madeBy(operation: Operation, answer: Facts, own: Operation | null, known: Facts): Facts {
  const name = own === null ? undefined : pathFields(own).find((field) => known[field] === undefined);
  if (operation.made === undefined || name === undefined) return {};
  const value = fieldOf({ ...answer, id: answer[operation.made] }, name, nameOf(operation).noun);
  return value === undefined ? {} : { [name]: value };
}

const scalarsOf = (facts: Facts) =>
  Object.fromEntries(
    Object.entries(facts).filter(([, value]) => ['string', 'number'].includes(typeof value)),
  );

/** A page that can be looked at: neither a form nor a file. */
export const isPage = (operation: Operation) => !takesForm(operation) && operation.mediaType === undefined;

const forms = (visit: Visit) =>
  visit.operations.filter((operation) => takesForm(operation) && mayCall(visit, operation));

export const isBelow = ({ path }: Operation, page: Operation) => path.startsWith(`${page.path}/`);

/** Whether a page is about one thing below a tenant. */
const isOfOne = (page: Operation) => pathFields(page).some((name) => name !== 'tenant');

function actionAt(operation: Operation, href: string, isMain: boolean, isThere = false): Action {
  const isGrave = isEnding(nameOf(operation).verb);
  return { label: buttonOf(operation, isThere), href, isGrave, isMain: isMain && !isGrave };
}

const escaped = (text: string) => text.replaceAll(/[{}]/g, '\\$&');

/** What a page says after an operation, such as "Client created." */
export function doneText(visit: Visit, name: string | null): string | null {
  const operation = visit.operations.find((one) => one.acts && one.name === name);
  if (operation === undefined) return null;
  const { noun, verb } = nameOf(operation);
  const what = singular(noun);
  const done = participles[verb];
  if (verb.startsWith('send')) return 'The mail is on its way.';
  const text = done === undefined ? `${buttonOf(operation)}: done.` : `${what} ${done}.`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const participles: Readonly<Record<string, string>> = {
  change: 'changed',
  create: 'created',
  define: 'saved',
  delete: 'deleted',
  disable: 'disabled',
  enable: 'enabled',
  markPaid: 'marked as paid',
  retire: 'retired',
  revoke: 'revoked',
  rotate: 'rotated',
  unlock: 'unlocked',
};
