/** What a form is about, as it is before it is changed. */

import type { FastifyReply } from 'fastify';
import { type Operation, pathFields } from '../../../../operations/admin/operation.ts';
import { mayCall } from '../../call.ts';
import { operationNamed, pathOf } from '../addresses.ts';
import { sendPortalProblem } from '../page.ts';
import { listIn } from '../values.ts';
import { callIfMay, callOrNull } from '../visit.ts';
import type { Facts, OperationVisit } from '../visitor.ts';

/** Shows what a form is about, as it is before; what is not there cannot be changed either (A17). */
export async function withPresent(
  visit: OperationVisit,
  show: (present: Facts | null) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const present = mayCall(visit, visit.operation) ? await presentIn(visit) : 'unknown';
  return present === 'unknown' ? sendPortalProblem(visit.reply, 'notFound', visit) : show(present);
}

/** The thing; null for something new; `unknown` where there is none for this administrator. */
type Present = Facts | null | 'unknown';

/** What is there before it is changed, on a tenant that this administrator has. */
async function presentIn(visit: OperationVisit): Promise<Present> {
  const { tenant } = visit.known;
  if (tenant === undefined) return presentOf(visit);
  const read = operationNamed(visit, 'tenants.read');
  const isThereFor = read !== null && (await callOrNull(visit, read, { tenant })) !== null;
  return isThereFor ? presentOf(visit) : 'unknown';
}

/** What is there before it is changed: the answer of the operation that the form reads, or the entry of that list. */
export async function presentOf(visit: OperationVisit): Promise<Present> {
  const { operation, known } = visit;
  const page = operationNamed(visit, operation.portal?.reads);
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
  const { items } = listIn(answer, page.output);
  const found = items.find((item) => String(item[entry.key]) === String(known[entry.field]));
  // A list of pages need not have it on the first; a whole one has.
  const isWhole = isAsked || answer.next === undefined;
  return found ?? (isWhole ? 'unknown' : null);
}

/** The thing below which something new is made; null where there is none to be read. */
export async function ownerOf(visit: OperationVisit): Promise<Facts | null> {
  const { made, portal } = visit.operation;
  const page = operationNamed(visit, portal?.reads);
  if (made === undefined || page === null || page.portal?.list !== undefined) return null;
  return visit.read(page.name, pathOf(page, visit.known));
}
