/** The rail beside every page, which leads on from it. */

import { nameOf, type Operation, pathFields } from '../../../operations/admin/operation.ts';
import type { OpenTenant } from '../../../operations/tenant/open-tenants.ts';
import { say, sayIfKnown } from '../../../text/portal.ts';
import { mayCall } from '../call.ts';
import { addressOf, partAddress, portalUrl } from './addresses.ts';
import { type Counts, countText } from './counts.ts';
import { partsOfForm } from './form/groups.ts';
import type { Visit } from './visitor.ts';
import { partTitle } from './words/labels.ts';

interface MenuItem {
  readonly label: string;
  readonly href: string;
  readonly isCurrent: boolean;
  /** How many there are; null where nothing is said of it. */
  readonly count: { readonly text: string; readonly said: string | null; readonly isBad: boolean } | null;
}

interface MenuGroup {
  readonly name: string;
  /** null for the pages on top, which have no heading. */
  readonly title: string | null;
  readonly items: readonly MenuItem[];
}

/** What stands beside every page: the tenant that is looked at, the others, the search, and the pages. */
export interface Rail {
  readonly tenant: Shown;
  /** The first of the administrator's other tenants; none for those who have one. */
  readonly others: readonly (Pick<OpenTenant, 'name' | 'host'> & { readonly href: string })[];
  /** How many tenants the administrator has. */
  readonly count: number;
  /** Where the search box leads; null where nothing is searched. */
  readonly search: string | null;
  readonly groups: readonly MenuGroup[];
}

type Shown = Pick<OpenTenant, 'id' | 'host' | 'name' | 'brandColor' | 'logo' | 'passwordLength'>;

/** How many other tenants the switcher names; the rest are in their list, which can be searched. */
const mostOthers = 8;

/** A part of a list that is an item of its own, the last one of its group. */
const administrators = { group: 'setUp', list: 'members.list', query: 'userType=any_admin' };

/**
 * The groups in their order, each with its pages: the list of a noun, or an operation by its name. A noun that none of
 * them names comes last.
 */
const groups: readonly { readonly name: string; readonly pages: readonly string[] }[] = [
  {
    name: 'people',
    pages: ['members', 'groups', 'subscriptions', 'checkouts', 'invoices', 'consentAnswers'],
  },
  { name: 'apps', pages: ['clients', 'unverifiedClients', 'clientBans', 'registrationTokens', 'apis'] },
  { name: 'access', pages: ['packages', 'products', 'channels', 'properties', 'consents'] },
  { name: 'setUp', pages: ['tenants.change', 'identityProviders', 'keys', 'audit'] },
  { name: 'integrations', pages: ['tokens', 'webhooks', 'imports'] },
];

/** The rail of a page: only what this administrator may open. */
export async function railOf(visit: Visit): Promise<Rail> {
  const tenant = shownTenant(visit);
  const { host } = tenant;
  const own = tenantsOf(visit);
  const search = visit.operations.find(
    (one) => one.path === '/tenants/{tenant}/search' && mayCall(visit, one),
  );
  return {
    tenant,
    others: own
      .filter((one) => one.host !== host)
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .slice(0, mostOthers)
      .map(({ name, host: other }) => ({ name, host: other, href: overviewOf(other) })),
    count: own.length,
    search: search === undefined ? null : addressOf(search, { tenant: host }),
    groups: groupsOf(visit, host, await visit.counts()),
  };
}

/** The tenants that an administrator may look at. */
function tenantsOf({ deps, actor }: Visit): readonly OpenTenant[] {
  return deps.tenants.all().filter(({ id }) => actor.isSystem || id === actor.tenantId);
}

function groupsOf(visit: Visit, host: string, counts: Counts | null): readonly MenuGroup[] {
  const may = visit.operations.filter((one) => mayCall(visit, one));
  const lists = may.filter((one) => one.portal?.list !== undefined);
  const ofTenant = lists.filter((one) => pathFields(one).join() === 'tenant');
  const ofService = visit.actor.isSystem ? lists.filter((one) => pathFields(one).length === 0) : [];
  const grouped = groups.map(({ name, pages }) => ({
    name,
    found: pages.flatMap((page) =>
      page.includes('.')
        ? may.filter((one) => one.name === page)
        : ofTenant.filter((one) => nameOf(one).noun === page),
    ),
  }));
  const rest = ofTenant.filter((one) => !grouped.some(({ found }) => found.includes(one)));
  const all = [...grouped, { name: 'more', found: rest }, { name: 'service', found: ofService }];
  const overview = { label: say('menu.overview'), ...itemAt(visit, overviewOf(host), true), count: null };
  return [
    { name: 'overview', title: null, items: [overview] },
    ...all.map(({ name, found }) => ({
      name,
      title: say(`menu.${name}`),
      items: found
        .flatMap((one) => itemsOf(visit, one, host))
        .concat(name === administrators.group ? administratorsOf(visit, host) : [])
        .map((item) => ({ ...item, count: countIn(item, host, counts) })),
    })),
  ].filter(({ items }) => items.length > 0);
}

/**
 * The tenant that the address of a page names, or the administrator's own: one that is out of reach is not
 * named by its address either (A17).
 */
export function shownTenant({ request, deps, actor }: Visit): Shown {
  const { tenant: named } = request.params as { readonly tenant?: string };
  const found = deps.tenants.all().find(({ host, id }) => host === named || id === named);
  return found !== undefined && (actor.isSystem || found.id === actor.tenantId) ? found : request.tenant;
}

/** The address of a tenant's first page. */
export const overviewOf = (host: string) => `${portalUrl}/tenants/${host}`;

/** The items of an operation: one for each group of its fields that has a page, or one for all. */
function itemsOf(visit: Visit, operation: Operation, host: string): readonly MenuItem[] {
  const parts = partsOfForm(operation);
  if (parts.length === 0) return [itemOf(visit, operation, host)];
  return parts.map(({ name }) => ({
    label: partTitle(operation, name),
    ...itemAt(visit, partAddress(operation, name, { tenant: host }) ?? portalUrl),
    count: null,
  }));
}

/** The item of those who administer. */
function administratorsOf(visit: Visit, host: string): readonly MenuItem[] {
  const list = visit.operations.find(({ name }) => name === administrators.list);
  const href = list === undefined || !mayCall(visit, list) ? null : addressOf(list, { tenant: host });
  if (href === null) return [];
  return [
    { label: say('menu.administrators'), ...itemAt(visit, `${href}?${administrators.query}`), count: null },
  ];
}

function itemOf(visit: Visit, operation: Operation, host: string): MenuItem {
  const { portal, summary, name } = operation;
  const href = addressOf(operation, { tenant: host }) ?? portalUrl;
  const label = sayIfKnown(`menu.${name}`) ?? portal?.list?.title ?? summary;
  // Every page of a tenant is below the list of tenants.
  return { label, ...itemAt(visit, href, name === 'tenants.list'), count: null };
}

/** What the rail counts, by the list that it leads to; only overdue invoices, which wait for an operator. */
const counted: Readonly<Record<string, { readonly name: string; readonly isBad: boolean }>> = {
  members: { name: 'members', isBad: false },
  clients: { name: 'clients', isBad: false },
  invoices: { name: 'overdueInvoices', isBad: true },
};

function countIn({ href }: MenuItem, host: string, counts: Counts | null): MenuItem['count'] {
  const found = counted[href.slice(overviewOf(host).length + 1)];
  const text = found === undefined ? null : countText(counts, found.name);
  if (found === undefined || text === null || (found.isBad && counts?.[found.name] === 0)) return null;
  return { text, said: found.isBad ? say(`rail.${found.name}`) : null, isBad: found.isBad };
}

/** Whether a page belongs to an item: it is there, or below it. */
function itemAt({ request }: Visit, href: string, isWhole = false): Pick<MenuItem, 'href' | 'isCurrent'> {
  const [path = '', query] = request.url.split('?');
  const here = decodeURIComponent(path) + (query === administrators.query ? `?${query}` : '');
  return { href, isCurrent: here === href || (!isWhole && here.startsWith(`${href}/`)) };
}
