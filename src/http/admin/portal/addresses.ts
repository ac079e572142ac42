// Where the pages of operations are, and what their addresses say.

import { nameOf, type Operation, pathFields } from '../../../operations/admin/operation.ts';
import { pagesOf } from '../../../operations/admin/portal-face.ts';
import { queryOf } from '../../form.ts';
import type { Facts, OperationVisit, Visit } from './visitor.ts';

/** Where the portal is, on each tenant's domain (decision 4). */
export const portalUrl = '/admin';
export const signInUrl = `${portalUrl}/sign-in`;
/** The page that asks for the second factor before a grave act. */
export const proofUrl = `${portalUrl}/proof`;

/** `addSecret` as it stands in an address. */
export const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Whether an operation takes a form: it acts, or needs more than an address can hold. */
export const takesForm = ({ acts, method }: Operation) => acts || method !== 'GET';

/** A page that can be looked at: neither a form nor a file. */
export const isPage = (operation: Operation) => !takesForm(operation) && operation.mediaType === undefined;

/**
 * The address of an operation's page, below {@link portalUrl}: what reads is where its path says, what takes
 * a form has its verb behind it, with a sign that no id begins with.
 */
function addressPattern(operation: Operation): string {
  const { path } = operation;
  if (!takesForm(operation)) return `${portalUrl}${path}`;
  const verb = kebab(nameOf(operation).verb);
  // A path that ends with its verb need not say it twice.
  return `${portalUrl}${path.replace(new RegExp(`/${verb}$`), '')}/+${verb}`;
}

/**
 * Where something is defined for the first time: an operation that puts it at an address of one's own
 * choice has a page one step above, on which the last field of its path is a field of the form.
 */
function newAddressPattern(operation: Operation): string | null {
  const { path, method } = operation;
  if (method !== 'PUT' || !/\{\w+\}$/.test(path)) return null;
  return `${portalUrl}${path.replace(/\/\{\w+\}$/, '')}/+${kebab(nameOf(operation).verb)}`;
}

const asRoute = (pattern: string) => pattern.replaceAll(/\{(\w+)\}/g, ':$1');

/** The addresses of an operation's pages as the router writes them. */
export function routesOf(operation: Operation): readonly string[] {
  return [addressPattern(operation), newAddressPattern(operation) ?? []].flat().map(asRoute);
}

/** The page of a group of its fields, as the router writes it. */
export const partRoute = (operation: Operation, part: string) =>
  asRoute(`${addressPattern(operation)}/${kebab(part)}`);

/** The address of the page of a group of its fields; null if a field of its path is missing. */
export const partAddress = (operation: Operation, part: string, input: Facts) =>
  filled(`${addressPattern(operation)}/${kebab(part)}`, input);

/** The address of an operation's page with these fields in its path; null if one of them is missing. */
export function addressOf(operation: Operation, input: Facts): string | null {
  return filled(addressPattern(operation), input);
}

/** The address on which something is defined for the first time; null where there is none, or a field is missing. */
export function newAddressOf(operation: Operation, input: Facts): string | null {
  const pattern = newAddressPattern(operation);
  return pattern === null ? null : filled(pattern, input);
}

function filled(pattern: string, input: Facts): string | null {
  if (pathFields({ path: pattern }).some((name) => !isName(input[name]))) return null;
  return pattern.replaceAll(/\{(\w+)\}/g, (_, name) => segment(String(input[name])));
}

const isName = (value: unknown) =>
  typeof value === 'number' || (typeof value === 'string' && value !== '' && !/^\.{1,2}$/.test(value));

/** A value as one segment of a path, where hosts with their ports stay readable. */
const segment = (value: string) => encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%40', '@');

/** The operation of this name; null where the service has none. */
export function operationNamed(
  { operations }: Pick<Visit, 'operations'>,
  name: string | undefined,
): Operation | null {
  return operations.find((operation) => operation.name === name) ?? null;
}

/** The fields of an operation's path alone. */
export function pathOf(operation: Operation, known: Facts): Facts {
  return picked(known, pathFields(operation));
}

function picked(known: Facts, names: readonly string[]): Facts {
  return Object.fromEntries(
    names.flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]]])),
  );
}

/** The fields of the pages that lead to a form, beyond those of its own path. */
function contextFields(visit: Pick<Visit, 'operations'>, operation: Operation): readonly string[] {
  const own = pathFields(operation);
  const pages = pagesOf(operation).flatMap((name) => operationNamed(visit, name) ?? []);
  return pages.flatMap(pathFields).filter((name) => !own.includes(name));
}

/** What a page knows of them goes along as the query of the form's address, so that the way back is known. */
export function contextOf(visit: OperationVisit, operation: Operation): string {
  return queryText(picked(visit.known, contextFields(visit, operation)));
}

/** Values as the query of an address; empty where there are none. */
export function queryText(values: Facts): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query}`;
}

/**
 * What the address of a page says: the fields of its path, of a form those of the page that led to it, and of a page
 * that reads something the fields without which it cannot.
 */
export function addressFacts(visit: Visit, operation: Operation): Facts {
  const query = [...(queryOf(visit.request) ?? [])].map(([name, [value]]) => [name, value || undefined]);
  const said = Object.fromEntries(query);
  const { required = [] } = operation.input;
  const wanted = [...contextFields(visit, operation), ...(takesForm(operation) ? [] : required)];
  return { ...picked(said, wanted), ...(visit.request.params as Facts) };
}

/** The page that led to a form: its way back. */
export function backOf(visit: OperationVisit): string {
  return firstAddress(visit, pagesOf(visit.operation), visit.known);
}

/** The page that shows what came of an operation: the one that it names, else the one that led to it. */
export function landingOf(visit: OperationVisit, answer: Facts): string {
  const { operation, known } = visit;
  const { made, portal } = operation;
  const pages = pagesOf(operation);
  const entry = made === undefined ? undefined : operationNamed(visit, pages[0])?.portal?.list?.entry;
  const named = entry === undefined ? {} : { [entry.field]: answer[entry.key] };
  return firstAddress(visit, [portal?.lands ?? [], pages].flat(), { ...answer, ...known, ...named });
}

/** The address of the first page whose fields are known. */
function firstAddress(visit: Visit, names: readonly string[], known: Facts): string {
  for (const name of [...names, 'tenants.read']) {
    const page = operationNamed(visit, name);
    const href = page === null ? null : addressOf(page, known);
    if (href !== null) return href;
  }
  return portalUrl;
}

/** The address of the sign-in, which leads back to a page of the portal. */
export function signInAddress(returnTo: string): string {
  const next = readReturn(returnTo);
  return next === portalUrl ? signInUrl : `${signInUrl}?next=${encodeURIComponent(next)}`;
}

/** Where a sign-in leads: a page of the portal, whatever the address says. */
export function readReturn(text: string | undefined): string {
  const isOurs = text !== undefined && /^\/admin(?:\/[\w.~%:@+-]+)*(?:\?[\w.~%:@+&=-]*)?$/.test(text);
  if (!isOurs || text.length > 1_000 || text.startsWith(signInUrl)) return portalUrl;
  // Browsers resolve `..` before they ask.
  const { pathname } = new URL(text, 'http://portal');
  return pathname === portalUrl || pathname.startsWith(`${portalUrl}/`) ? text : portalUrl;
}
