/** The fields of a form under headings, as the operation's face groups them. */

import type { Operation } from '../../../../operations/admin/operation.ts';
import type { FieldGroup } from '../../../../operations/admin/portal-face.ts';
import type { OperationVisit } from '../visitor.ts';

/** What a face calls the fields that it puts into no group. */
const others = 'more';

/**
 * The groups of a form, or the one that the page is for; none where its fields stand in one row. Of what changes
 * something, the fields that no group names come last; of what makes something they are left for later.
 */
export function groupsOf({
  operation,
  part,
}: Pick<OperationVisit, 'operation' | 'part'>): readonly FieldGroup[] {
  const { groups = [] } = operation.portal ?? {};
  if (part !== undefined) return groups.filter(({ name }) => name === part);
  if (groups.length === 0 || operation.made !== undefined) return groups;
  const named = groups.flatMap(({ fields }) => fields);
  const rest = Object.keys(operation.input.properties).filter((name) => !named.includes(name));
  return [...groups, { name: others, fields: rest, isFolded: true }];
}

/** The fields that a form has; null for all of them. */
export function groupedFields(visit: Pick<OperationVisit, 'operation' | 'part'>): readonly string[] | null {
  const groups = groupsOf(visit);
  return groups.length === 0 ? null : groups.flatMap(({ fields }) => fields);
}

/** The groups of an operation that have pages of their own. */
export const partsOfForm = ({ portal }: Operation): readonly FieldGroup[] =>
  (portal?.groups ?? []).filter(({ isPage }) => isPage === true);
