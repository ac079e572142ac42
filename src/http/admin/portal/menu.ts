/** What leads on from every page: the menu beside it, and the pages above it. */
import type { Operation } from '../../../operations/admin/operation.ts';
import { mayCall } from '../call.ts';
import { addressOf, type Facts, isPage, nameOf, pathFields, portalUrl } from './addresses.ts';
import type { Crumb } from './page.ts';
import type { Visit } from './visit.ts';

interface MenuItem {
  readonly label: string;
  readonly href: string;
  readonly isCurrent: boolean;
}

/** What stands beside every page: the lists of the tenant that is looked at, and those of the service. */
export interface Menu {
  readonly groups: readonly { readonly title: string; readonly items: readonly MenuItem[] }[];
  /** Its name and host; null where a page is about no tenant. */
  readonly tenant: { readonly name: string; readonly host: string; readonly href: string } | null;
}

/** The groups in their order; a noun that none of them names comes last. */
const groups: readonly { readonly title: string; readonly nouns: readonly string[] }[] = [
  { title: 'Sign-in', nouns: ['clients', 'keys'] },
  { title: 'People', nouns: ['members', 'subscriptions', 'checkouts', 'invoices', 'consentAnswers'] },
  { title: 'Access', nouns: ['packages', 'products', 'channels', 'properties', 'consents'] },
  { title: 'Operation', nouns: ['audit', 'tokens'] },
];

/** The menu of a page: only what this administrator may open. */
export function menuOf(visit: Visit): Menu {
  const { actor, operations } = visit;
  const tenant = shownTenant(visit);
  const lists = operations
    .filter(({ portal }) => portal?.list !== undefined)
    .filter((one) => mayCall(visit, one));
  const ofTenant = lists.filter((operation) => pathFields(operation).join() === 'tenant');
  const ofService = lists.filter((operation) => pathFields(operation).length === 0);
  const host = { tenant: tenant.host };
  const grouped = groups.map(({ title, nouns: names }) => ({
    title,
    items: names.flatMap((noun) => ofTenant.filter((one) => nameOf(one).noun === noun)),
  }));
  const rest = ofTenant.filter((one) => !grouped.some(({ items }) => items.includes(one)));
  const all = [
    ...grouped,
    { title: 'More', items: rest },
    ...(actor.isSystem ? [{ title: 'Whole service', items: ofService }] : []),
  ];
  const overview = { label: 'Overview', ...itemAt(visit, overviewOf(tenant.host), true) };
  return {
    tenant: { name: tenant.name, host: tenant.host, href: overviewOf(tenant.host) },
    groups: [
      { title: tenant.name, items: [overview] },
      ...all.map(({ title, items }) => ({ title, items: items.map((one) => itemOf(visit, one, host)) })),
    ].filter(({ items }) => items.length > 0),
  };
}

/**
 * The tenant that the address of a page names, or the administrator's own: one that is out of reach is not
 * named by its address either (A17).
 */
export function shownTenant({ request, deps, actor }: Visit): {
  readonly name: string;
  readonly host: string;
} {
  const { tenant: named } = request.params as { readonly tenant?: string };
  const found = deps.tenants.all().find(({ host, id }) => host === named || id === named);
  return found !== undefined && (actor.isSystem || found.id === actor.tenantId) ? found : request.tenant;
}

/** The address of a tenant's first page. */
export const overviewOf = (host: string) => `${portalUrl}/tenants/${host}`;

function itemOf(visit: Visit, operation: Operation, host: { readonly tenant: string }): MenuItem {
  const label = operation.portal?.list?.title ?? operation.summary;
  // Every page of a tenant is below the list of tenants.
  return {
    label,
    ...itemAt(visit, addressOf(operation, host) ?? portalUrl, operation.name === 'tenants.list'),
  };
}

/** Whether a page belongs to an item: it is there, or below it. */
function itemAt({ request }: Visit, href: string, isWhole = false): Omit<MenuItem, 'label'> {
  const path = decodeURIComponent(String(request.url.split('?')[0]));
  return { href, isCurrent: path === href || (!isWhole && path.startsWith(`${href}/`)) };
}

/** The pages above an operation's own, outermost first; the tenant's overview stands in the menu. */
export function crumbsOf(visit: Visit, operation: Operation, known: Facts): readonly Crumb[] {
  return visit.operations
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
