import { mayCall } from '../../call.ts';
import { addressOf, type Facts, operationNamed } from '../addresses.ts';
import type { Visit } from '../visit.ts';
import { codeOf, type Shown } from './values.ts';

/** The pages that values of these names lead to. */
const pages: Readonly<Record<string, { readonly page: string; readonly field: string }>> = {
  clientId: { page: 'clients.read', field: 'clientId' },
  host: { page: 'tenants.read', field: 'tenant' },
  memberId: { page: 'members.read', field: 'memberId' },
  stageTenant: { page: 'tenants.read', field: 'tenant' },
};

/** The same, with a link on each value that names something which has a page. */
export function withLinks(visit: Visit, shown: Shown, tenant: string): Shown {
  if (shown.kind === 'facts') {
    return {
      ...shown,
      facts: shown.facts.map((fact) => ({ ...fact, value: linked(visit, fact.name, fact.value, tenant) })),
    };
  }
  if (shown.kind !== 'table') return shown;
  return {
    ...shown,
    rows: shown.rows.map((row) => ({
      ...row,
      cells: row.cells.map((cell, index) => {
        const name = nameIn(row.item, shown.columns[index]?.name ?? '');
        return linked(visit, name, cell, String(row.item.tenantId ?? tenant));
      }),
    })),
  };
}

/** Who did something is a member, or has no page. */
function nameIn({ actorKind }: Facts, name: string): string {
  return name === 'actorId' && (actorKind === 'member' || actorKind === 'admin') ? 'memberId' : name;
}

function linked(visit: Visit, name: string, shown: Shown, tenant: string): Shown {
  if (shown.kind !== 'code' && shown.kind !== 'text') return withLinks(visit, shown, tenant);
  const target = pages[name];
  const page = target === undefined ? null : operationNamed(visit, target.page);
  if (target === undefined || page === null || !mayCall(visit, page)) return shown;
  const href = addressOf(page, { tenant, [target.field]: shown.text });
  return href === null || href === visit.request.url ? shown : codeOf(shown.text, href);
}
