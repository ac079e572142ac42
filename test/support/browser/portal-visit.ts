// What a visit of the portal does on its pages, by what is read there.
import type { View, ViewOptions } from './browser.ts';
import { password, type Site } from './site.ts';

/** Opens the portal by its address alone. */
export async function enter(site: Site, email: string, more: ViewOptions = {}): Promise<View> {
  const view = await site.browser.open({ size: 'desk', javaScript: false, ...more });
  const { page } = view;
  await page.goto(`${site.issuer}/admin`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await heading(view, 'Overview');
  return view;
}

/** Waits for the page of this heading. */
export const heading = ({ page }: View, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();

export async function openList(view: View, name: string): Promise<void> {
  await view.page.locator('.rail').getByRole('link', { name, exact: true }).click();
  await heading(view, name);
}

export const press = ({ page }: View, name: string) =>
  page.locator('main').getByRole('link', { name, exact: true }).click();
export const send = ({ page }: View, name: string) =>
  page.locator('main').getByRole('button', { name, exact: true }).click();
export const notice = ({ page }: View) => page.getByRole('status').getByRole('paragraph').textContent();
/** Types the name that is asked for before something ends. */
export const typeName = ({ page }: View, name: string) =>
  page.getByLabel(`To confirm, type ${name}`, { exact: true }).fill(name);
export const openMore = ({ page }: View) => page.locator('main').getByText('More', { exact: true }).click();
