/** What leads on from every page: the menu beside it, and the pages above it. */

import { nameOf, type Operation, pathFields } from '../../../operations/admin/operation.ts';
import type { OpenTenant } from '../../../operations/tenant/open-tenants.ts';
import { mayCall } from '../call.ts';
import { addressOf, isPage, portalUrl } from './addresses.ts';
import type { OperationVisit, Visit } from './visitor.ts';

interface MenuItem {
  readonly label: string;
  readonly href: string;
  readonly isCurrent: boolean;
}

/** What stands beside every page: the lists of the tenant that is looked at, and those of the service. */
export interface Menu {
  readonly groups: readonly { readonly title: string; readonly items: readonly MenuItem[] }[];
  /** The tenant's; null before the sign-in. */
  readonly host: string | null;
}

/** The groups in their order; a noun that none of them names comes last. */
const groups: readonly { readonly title: string; readonly nouns: readonly string[] }[] = [
  {
    title: 'Sign-in',
    nouns: ['clients', 'unverifiedClients', 'clientBans', 'registrationTokens', 'apis', 'keys'],
  },
  { title: 'People', nouns: ['members', 'subscriptions', 'checkouts', 'invoices', 'consentAnswers'] },
  { title: 'Access', nouns: ['packages', 'products', 'channels', 'properties', 'consents'] },
  { title: 'Operation', nouns: ['audit', 'tokens'] },
];

/** The menu of a page: only what this administrator may open. */
export function menuOf(visit: Visit): Menu {
  const { name, host } = shownTenant(visit);
  const lists = visit.operations.filter((one) => one.portal?.list !== undefined && mayCall(visit, one));
  const ofTenant = lists.filter((one) => pathFields(one).join() === 'tenant');
  const ofService = visit.actor.isSystem ? lists.filter((one) => pathFields(one).length === 0) : [];
  const grouped = groups.map(({ title, nouns }) => ({
    title,
    found: nouns.flatMap((noun) => ofTenant.filter((one) => nameOf(one).noun === noun)),
  }));
  const rest = ofTenant.filter((one) => !grouped.some(({ found }) => found.includes(one)));
  const all = [...grouped, { title: 'More', found: rest }, { title: 'Whole service', found: ofService }];
  const overview = { label: 'Overview', ...itemAt(visit, overviewOf(host), true) };
  return {
    host,
    groups: [
      { title: name, items: [overview] },
      ...all.map(({ title, found }) => ({ title, items: found.map((one) => itemOf(visit, one, host)) })),
    ].filter(({ items }) => items.length > 0),
  };
}

/**
 * The tenant that the address of a page names, or the administrator's own: one that is out of reach is not
 * named by its address either (A17).
 */
export function shownTenant({ request, deps, actor }: Visit): Pick<OpenTenant, 'host' | 'name'> {
  const { tenant: named } = request.params as { readonly tenant?: string };
  const found = deps.tenants.all().find(({ host, id }) => host === named || id === named);
  return found !== undefined && (actor.isSystem || found.id === actor.tenantId) ? found : request.tenant;
}

/** The address of a tenant's first page. */
export const overviewOf = (host: string) => `${portalUrl}/tenants/${host}`;

function itemOf(visit: Visit, operation: Operation, host: string): MenuItem {
  const { portal, summary, name } = operation;
  const href = addressOf(operation, { tenant: host }) ?? portalUrl;
  // Every page of a tenant is below the list of tenants.
  return { label: portal?.list?.title ?? summary, ...itemAt(visit, href, name === 'tenants.list') };
}

/** Whether a page belongs to an item: it is there, or below it. */
function itemAt({ request }: Visit, href: string, isWhole = false): Omit<MenuItem, 'label'> {
  const path = decodeURIComponent(String(request.url.split('?')[0]));
  return { href, isCurrent: path === href || (!isWhole && path.startsWith(`${href}/`)) };
}

/** A link of the way that leads to a page. */
export type Crumb = Omit<MenuItem, 'isCurrent'>;

/** The pages above an operation's own, outermost first; the tenant's overview stands in the menu. */
export function crumbsOf({ operations, operation, known }: OperationVisit): readonly Crumb[] {
  return operations
    .filter((page) => isPage(page) && page.name !== 'tenants.list' && page.name !== 'tenants.read')
    .filter(
      ({ path }) => operation.path.startsWith(`${path}/`) || (operation.acts && path === operation.path),
    )
    .toSorted((a, b) => a.path.length - b.path.length)
    .flatMap((page) => {
      const href = addressOf(page, known);
      const label = page.portal?.list?.title ?? String(known[pathFields(page).at(-1) ?? '']);
      return href === null ? [] : [{ label, href }];
    });
}
