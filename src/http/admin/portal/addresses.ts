import type { Operation } from '../../../operations/admin/operation.ts';
import { kebab, nameOf } from './words.ts';

/** Where the portal is, on each tenant's domain (decision 4). */
export const portalUrl = '/admin';
export const signInUrl = `${portalUrl}/sign-in`;

/** The fields of an operation's path. */
export function pathFields({ path }: Pick<Operation, 'path'>): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
}

/** Whether an operation takes a form: it acts, or needs more than an address can hold. */
export const takesForm = ({ acts, method }: Operation) => acts || method !== 'GET';

/**
 * The address of an operation's page, below {@link portalUrl}: what reads is where its path says, what takes
 * a form has its verb behind it, with a sign that no id begins with.
 */
function addressPattern(operation: Operation): string {
  const { path } = operation;
  const verb = kebab(nameOf(operation).verb);
  // A path that ends with its verb need not say it twice.
  return takesForm(operation)
    ? `${portalUrl}${path.replace(new RegExp(`/${verb}$`), '')}/+${verb}`
    : `${portalUrl}${path}`;
}

/**
 * Where something is defined for the first time: an operation that puts it at an address of one's own
 * choice has a page one step above, on which the last field of its path is a field of the form.
 */
export function newRouteOf(operation: Operation): string | null {
  const above = definedAbove(operation);
  return above === null ? null : asRoute(above);
}

/** That page's address; null where the operation has none, or a field is missing. */
export function newAddressOf(operation: Operation, input: Readonly<Record<string, unknown>>): string | null {
  const above = definedAbove(operation);
  return above === null ? null : filled(above, input);
}

function definedAbove(operation: Operation): string | null {
  const { path, method } = operation;
  const { verb } = nameOf(operation);
  if (method !== 'PUT' || !/\{\w+\}$/.test(path)) return null;
  return `${portalUrl}${path.replace(/\/\{\w+\}$/, '')}/+${kebab(verb)}`;
}

/** The address of an operation's page as the router writes it. */
export function routeOf(operation: Operation): string {
  return asRoute(addressPattern(operation));
}

const asRoute = (pattern: string) => pattern.replaceAll(/\{(\w+)\}/g, ':$1');

/** The address of an operation's page with these fields in its path; null if one of them is missing. */
export function addressOf(operation: Operation, input: Readonly<Record<string, unknown>>): string | null {
  return filled(addressPattern(operation), input);
}

function filled(pattern: string, input: Readonly<Record<string, unknown>>): string | null {
  const names = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
  if (names.some((name) => !isName(input[name]))) return null;
  return pattern.replaceAll(/\{(\w+)\}/g, (_, name) => segment(String(input[name])));
}

const isName = (value: unknown) =>
  typeof value === 'number' || (typeof value === 'string' && value !== '' && !/^\.{1,2}$/.test(value));

/** A value as one segment of a path, where hosts with their ports stay readable. */
const segment = (value: string) => encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%40', '@');

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
