import type { Operation } from '../../../operations/admin/operation.ts';
import { addressOf } from './addresses.ts';
import type { Facts } from './call.ts';
import { nouns } from './nouns.ts';
import type { Crumb } from './page.ts';
import { isBelow, isPage } from './related.ts';
import type { Visit } from './visit.ts';
import { labelOf, nameOf } from './words.ts';

/** The pages above an operation's own, outermost first; the tenant's overview stands in the menu. */
export function crumbsOf(visit: Visit, operation: Operation, known: Facts): readonly Crumb[] {
  return visit.operations
    .filter((page) => isPage(page) && page.name !== 'tenants.list' && page.name !== 'tenants.read')
    .filter((page) => isBelow(operation, page) || (operation.acts && page.path === operation.path))
    .toSorted((a, b) => a.path.length - b.path.length)
    .flatMap((page) => {
      const href = addressOf(page, known);
      const { noun, verb } = nameOf(page);
      const last = /\{(\w+)\}$/.exec(page.path)?.[1] ?? '';
      const label = verb === 'list' ? (nouns[noun]?.title ?? labelOf(noun)) : String(known[last]);
      return href === null ? [] : [{ label, href }];
    });
}
