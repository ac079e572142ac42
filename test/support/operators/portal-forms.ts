import { addressOf, newAddressOf } from '../../../src/http/admin/portal/addresses.ts';
import { type Operation, pathFields } from '../../../src/operations/admin/operation.ts';
import type { Answer } from '../http.ts';
import type { Visitor } from '../visitor.ts';
import { examples } from './examples.ts';
import { asForm, filledIn, plain } from './portal.ts';
import type { World } from './world.ts';

type Input = Readonly<Record<string, unknown>>;

/** An example of what an operation takes in a world, which may make what it needs there. */
export async function inputFor(world: World, { name, input }: Operation): Promise<Input> {
  const own = input.required?.includes('tenant') === true ? { tenant: world.host } : {};
  return { ...own, ...(await examples[name]?.(world)) };
}

/** Opens the form of an operation; something new has its own, with the id as a field. */
export async function openForm(
  { send }: Pick<Visitor, 'send'>,
  operation: Operation,
  input: Input,
): Promise<{ path: string; page: Answer }> {
  for (const path of [addressOf(operation, input), newAddressOf(operation, input)]) {
    const page = path === null ? null : await send(path);
    if (path !== null && page?.status === 200) return { path, page };
  }
  throw new Error(`${operation.name} has no form`);
}

/** Fills in the form of an operation and sends it; what is asked twice is said twice. */
export async function act(
  browser: Pick<Visitor, 'send'>,
  operation: Operation,
  input: Input,
): Promise<Answer> {
  const { path, page } = await openForm(browser, operation, input);
  const said = { ...asForm(operation, page, input), ...nameTyped(page) };
  const answer = await browser.send(path, { body: filledIn(page, said) });
  if (!answer.text.includes('name="confirmed"')) return answer;
  return browser.send(path, { body: filledIn(answer, nameTyped(answer)) });
}

/** The name that a form of something that ends asks for, typed as it stands there. */
export function nameTyped({ text }: Pick<Answer, 'text'>): { readonly typed?: string } {
  const name = /<bdi class="typed">([^<]*)<\/bdi>/.exec(text)?.[1];
  return name === undefined ? {} : { typed: plain(name) };
}

/** The address of an operation that reads, with what narrows its list. */
export function readAddress(operation: Operation, input: Input): string {
  const query = Object.entries(input).filter(([field]) => !pathFields(operation).includes(field));
  const search = new URLSearchParams(Object.fromEntries(query.map(([key, value]) => [key, String(value)])));
  return `${addressOf(operation, input)}?${search}`;
}
