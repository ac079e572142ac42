/** What a form is about, as it is before the form changes it. */
import type { Operation } from '../../../../operations/admin/operation.ts';
import { type Facts, operationNamed, pathFields, pathOf } from '../addresses.ts';
import { listIn } from '../show/values.ts';
import { callIfMay, callOrNull, type Visit } from '../visit.ts';

/** The thing; null for something new; `unknown` where there is none for this administrator. */
export type Present = Facts | null | 'unknown';

/** What is there before it is changed, on a tenant that this administrator has. */
export async function presentIn(visit: Visit, operation: Operation, known: Facts): Promise<Present> {
  if (known.tenant === undefined) return presentOf(visit, operation, known);
  const read = operationNamed(visit, 'tenants.read');
  const tenant = read === null ? null : await callOrNull(visit, read, { tenant: known.tenant });
  return tenant === null ? 'unknown' : presentOf(visit, operation, known);
}

/** What is there before it is changed: what the operation that the form reads answers, or the entry of that list. */
export async function presentOf(visit: Visit, operation: Operation, known: Facts): Promise<Present> {
  const { reads } = operation.portal ?? {};
  const page = operationNamed(visit, reads);
  const isNamed = (one: Operation) => pathFields(one).every((field) => known[field] !== undefined);
  if (page === null || !isNamed(operation) || !isNamed(page)) return null;
  const entry = page.portal?.list?.entry;
  const isAsked = entry !== undefined && entry.field in page.input.properties;
  // A list of pages is asked for the one entry.
  const only = isAsked ? { [entry.field]: known[entry.field] } : {};
  const answer = await callIfMay(visit, page.name, { ...pathOf(page, known), ...only });
  if (answer === null) return 'unknown';
  if (operation.made !== undefined) return null;
  if (entry === undefined) return answer;
  const { items } = listIn(answer, page.output) ?? { items: [] };
  const found = items.find((item) => String(item[entry.key]) === String(known[entry.field]));
  // A list of pages need not have it on the first; a whole one has.
  const isWhole = isAsked || answer.next === undefined;
  return found ?? (isWhole ? 'unknown' : null);
}
