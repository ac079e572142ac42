/** The way that leads to a page: those above it, and what they are called. */

import { nameOf, type Operation, pathFields } from '../../../operations/admin/operation.ts';
import { say } from '../../../text/portal.ts';
import { addressOf, isPage, takesForm } from './addresses.ts';
import { listIn } from './values.ts';
import type { OperationVisit } from './visitor.ts';
import { buttonOf, calledOf } from './words/labels.ts';

/** A step of the way that leads to a page; the last is the page itself, and leads nowhere. */
export interface Crumb {
  readonly label: string;
  readonly href: string | null;
}

/**
 * The pages above an operation's own, outermost first, and then itself; the tenant's overview stands in the rail. None
 * where there is none above it.
 *
 * @param title what the page is called
 * @param named what the thing that its form acts on is called; null where that is not known yet
 */
export async function crumbsOf(
  visit: OperationVisit,
  title: string,
  named: string | null,
): Promise<readonly Crumb[]> {
  const { operations, operation, known } = visit;
  const above = operations
    .filter((page) => isPage(page) && page.name !== 'tenants.list' && page.name !== 'tenants.read')
    .filter(
      ({ path }) => operation.path.startsWith(`${path}/`) || (operation.acts && path === operation.path),
    )
    .toSorted((a, b) => a.path.length - b.path.length);
  const crumbs: Crumb[] = [];
  for (const page of above) {
    const href = addressOf(page, known);
    if (href === null) continue;
    const isActedOn = named !== null && operation.portal?.reads === page.name;
    const label = page.portal?.list?.title ?? (isActedOn ? named : await nameIn(visit, page));
    crumbs.push({ label, href });
  }
  return crumbs.length === 0 ? [] : [...crumbs, { label: hereOf(visit, title), href: null }];
}

/** The name of a thing on a page above, as its list has it; its address where the name is not to be known. */
async function nameIn({ operations, read, known }: OperationVisit, page: Operation): Promise<string> {
  const field = pathFields(page).at(-1) ?? '';
  const list = operations.find(
    ({ portal, input }) => portal?.list?.opens === page.name && field in input.properties,
  );
  const input = Object.fromEntries(pathFields(page).map((name) => [name, known[name]]));
  const answer = list === undefined ? null : await read(list.name, { ...input, limit: 1 });
  const [entry = null] = list === undefined || answer === null ? [] : listIn(answer, list.output).items;
  return calledOf(entry) ?? String(known[field]);
}

/** What the last step says: of a form what it does, as the way says to what. */
function hereOf({ operation, known }: OperationVisit, title: string): string {
  if (!takesForm(operation)) return title;
  const isThere = pathFields(operation).every((name) => known[name] !== undefined);
  const { verb } = nameOf(operation);
  return verb === 'create' || !isThere ? say('crumb.new') : buttonOf(operation, isThere);
}
