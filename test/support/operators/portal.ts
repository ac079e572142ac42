import { expect } from 'vitest';
import { noneName } from '../../../src/http/admin/portal/form/read.ts';
import { inMoney, unitName } from '../../../src/http/admin/portal/form/units.ts';
import type { Operation } from '../../../src/operations/admin/operation.ts';
import type { Answer, Ask } from '../http.ts';
import type { TestService } from '../service.ts';
import { field, type Visitor, visitor } from '../visitor.ts';
import { run } from './desk.ts';

/** The password of the administrators that tests make. */
export const adminPassword = 'kvist og eld i skogen';

/** A browser that is signed in to the portal of one tenant. */
export interface PortalVisitor extends Visitor {
  /** Fills in the form of a page by the names of its fields, and sends it; null leaves a field out. */
  submit(path: string, values?: FormValues, ask?: Ask): Promise<Answer>;
}

export type FormValues = Readonly<Record<string, string | readonly string[] | null>>;

/** Makes an administrator. @returns the member's id */
export async function makeAdmin(
  service: TestService,
  host: string,
  email: string,
  userType: 'member' | 'tenant_admin' | 'system_admin' = 'tenant_admin',
): Promise<string> {
  const input = { tenant: host, email, fullName: 'An administrator', userType, password: adminPassword };
  return (await run<{ id: string }>(service, 'members.create', input)).id;
}

/** Makes an administrator. @returns a browser in which they are signed in to the portal */
export async function newAdmin(
  service: TestService,
  host: string,
  email: string,
  userType?: 'tenant_admin' | 'system_admin',
): Promise<PortalVisitor> {
  await makeAdmin(service, host, email, userType);
  return portalOf(service, host, email);
}

/** Sends the sign-in of the portal. */
export async function signInToPortal(
  browser: Visitor,
  email: string,
  password = adminPassword,
  path = '/admin/sign-in',
): Promise<Answer> {
  const page = await browser.send(path);
  const body = { token: field(page, 'token'), next: field(page, 'next'), email, password };
  return browser.send('/admin/sign-in', { body });
}

/** A browser in which an administrator is signed in to the portal. */
export async function portalOf(
  service: TestService,
  host: string,
  email: string,
  password = adminPassword,
): Promise<PortalVisitor> {
  const browser = visitor(service, host);
  const answer = await signInToPortal(browser, email, password);
  expect(answer.headers.location, answer.text).toBe('/admin');
  return {
    ...browser,
    submit: async (path, values = {}, ask = {}) => {
      const page = await browser.send(path);
      if (page.status !== 200) throw new Error(`${path} answers ${page.status}`);
      return browser.send(path, { body: filledIn(page, values), ...ask });
    },
  };
}

/** The form in the middle of a page, with these values in the place of its own. */
export function filledIn(page: Answer, values: FormValues = {}): URLSearchParams {
  const main = page.text.slice(page.text.indexOf('<main'));
  const form = /<form[^>]*method="post"[\s\S]*?<\/form>/.exec(main)?.[0];
  if (form === undefined) throw new Error(`the page has no form: ${main}`);
  const filled = new URLSearchParams();
  for (const [name, value] of fieldsOf(form)) if (!(name in values)) filled.append(name, value);
  for (const [name, value] of Object.entries(values)) {
    if (!form.includes(`name="${name}"`)) throw new Error(`the form has no field ${name}`);
    for (const one of value === null ? [] : [value].flat()) filled.append(name, one);
  }
  return filled;
}

/** What a browser would send of a form as it is. */
function fieldsOf(form: string): readonly (readonly [string, string])[] {
  const controls = form.match(/<input\b[^>]*>|<select\b[\s\S]*?<\/select>|<textarea\b[\s\S]*?<\/textarea>/g);
  return (controls ?? []).flatMap((control) => {
    const name = / name="([^"]*)"/.exec(control)?.[1];
    const value = sentOf(control);
    return name === undefined || value === null ? [] : [[name, plain(value)] as const];
  });
}

/** The value of a control; null where nothing is sent of it. */
function sentOf(control: string): string | null {
  if (control.startsWith('<select')) return /<option value="([^"]*)" selected/.exec(control)?.[1] ?? '';
  // A browser leaves the first line break of a text area out.
  if (control.startsWith('<textarea')) return />\n?([\s\S]*)<\/textarea>/.exec(control)?.[1] ?? '';
  if (/type="(?:checkbox|radio)"/.test(control) && !/ checked/.test(control)) return null;
  return / value="([^"]*)"/.exec(control)?.[1] ?? '';
}

/** The middle of a page, as it is written. */
export const mainOf = ({ text }: Answer) => plain(text.slice(text.indexOf('<main'), text.indexOf('</main>')));

/** A text of a page as a person reads it. */
export function plain(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/** The input of an operation as an administrator fills it into its form. */
export function asForm({ input: schema }: Operation, page: Answer, input: object): FormValues {
  const values: Record<string, string | readonly string[] | null> = {};
  const fill = (name: string, value: unknown, isMap: boolean) => {
    if (Array.isArray(value)) values[name] = isTextArea(page, name) ? value.join('\n') : value.map(String);
    else if (value === null && page.text.includes(`name="${noneName(name)}"`))
      values[noneName(name)] = 'true';
    else if (value === null) values[name] = isCount(name) ? 'none' : '';
    else if (typeof value === 'boolean') values[name] = value ? 'true' : null;
    else if (page.text.includes(`name="${unitName(name)}"`)) {
      [values[name], values[unitName(name)]] = [String(value), 'second'];
    } else if (isPrice(value)) {
      values[`${name}.amount`] = inMoney(value.amount, value.currency);
      values[`${name}.currency`] = value.currency;
    } else if (typeof value !== 'object') values[name] = String(value).replace(/(T.*)Z$/, '$1');
    else if (isMap) values[name] = Object.entries(value).map(([key, one]) => `${key} = ${one}`);
    else for (const [part, one] of Object.entries(value)) fill(`${name}.${part}`, one, false);
  };
  for (const [name, value] of Object.entries(input)) {
    if (!page.text.includes(`name="${name}`)) continue;
    const property = schema.properties[name] as { readonly type?: string; readonly properties?: object };
    fill(name, value, property.type === 'object' && property.properties === undefined);
  }
  return values;
}

const isPrice = (value: unknown): value is { amount: number; currency: string } =>
  typeof value === 'object' && value !== null && 'amount' in value;

/** Of a count, "none" says that there is no limit. */
const isCount = (name: string) => name.startsWith('limits.');

const isTextArea = ({ text }: Answer, name: string) =>
  text.includes(`<textarea id="f-${name.replaceAll('.', '-')}"`);
