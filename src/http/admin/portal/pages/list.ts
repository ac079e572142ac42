// The pages of lists, and the files that lists are written as.

import type { FastifyReply } from 'fastify';
import { portalListLength } from '../../../../core/limits.ts';
import { isFile, nameOf, type Operation } from '../../../../operations/admin/operation.ts';
import { OperationRefused } from '../../../../operations/refusal.ts';
import { type Form, pick, queryOf } from '../../../form.ts';
import { sendFileAnswer } from '../../call.ts';
import { addressOf, kebab, operationNamed, queryText } from '../addresses.ts';
import { entryButtons, fileButtons, formButtons } from '../buttons.ts';
import { entriesOf, type Field, yesAndNo } from '../form/fields.ts';
import { placeProblems } from '../form/problems.ts';
import { asUtc } from '../form/read.ts';
import { sendOperationPage, sendPortalProblem } from '../page.ts';
import { listIn, tableOf, withLinks } from '../values.ts';
import { call, callOf } from '../visit.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { noticeOf } from './detail.ts';

/** What pages through a list, and is no search. */
const paging = new Set(['before', 'after', 'limit']);

/** GET of a list: its entries, what narrows it, and the next page (issue: list, search). */
export async function showList(visit: OperationVisit): Promise<FastifyReply> {
  const { operation, known } = visit;
  const query = queryIn(visit);
  const filters = filtersOf(visit, query);
  const { title = '', lead = operation.summary } = operation.portal?.list ?? {};
  const about = {
    lead,
    filters,
    actions: formButtons(visit),
    files: fileButtons(visit, query),
    notice: noticeOf(visit),
  };
  const limit = 'limit' in operation.input.properties ? { limit: portalListLength } : {};
  try {
    const answer = await call(visit, operation, { ...known, ...limit, ...saidBy(query, visit) });
    const next = nextOf(operation, query, answer);
    const isFirst = !query.has('before') && !query.has('after');
    const data = { ...about, problems: [], ...tableFor(visit, answer), next, isFirst };
    return sendOperationPage(visit, { template: 'list', title, data });
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error;
    if (error.kind !== 'invalid') return sendPortalProblem(visit.reply, 'notFound', visit, error.problems);
    const problems = placeProblems(error.problems, filters);
    const data = { ...about, problems, table: null, next: null };
    return sendOperationPage(visit, { template: 'list', title, status: 422, data });
  }
}

const queryIn = ({ request }: OperationVisit): Form => queryOf(request) ?? new Map();

/** The entries as a table, each with the page it has and the operations for it. */
function tableFor(visit: OperationVisit, answer: Facts) {
  const { operation, known } = visit;
  const { columns, entry, opens } = operation.portal?.list ?? {};
  const { items, schema } = listIn(answer, operation.output);
  const read = operationNamed(visit, opens);
  const pageOf = (item: Facts) =>
    entry === undefined || read === null
      ? null
      : addressOf(read, { ...known, [entry.field]: item[entry.key] });
  return {
    table: withLinks(visit, tableOf(items, schema, columns)),
    entries: items.map((item) => ({ href: pageOf(item), actions: entryButtons(visit, entry, item) })),
  };
}

/** The fields that narrow a list; a flag has three answers there, since "no" is not "either". */
function filtersOf(visit: OperationVisit, query: Form): readonly Field[] {
  return entriesOf(visit, query, {})
    .filter((entry): entry is Field => 'kind' in entry && !paging.has(entry.name))
    .map((field) => (field.kind === 'flag' ? { ...field, kind: 'choice', choices: yesAndNo } : field));
}

/** What the query says; an empty field narrows nothing, and the browser's times are in UTC. */
function saidBy(query: Form, { operation, known }: OperationVisit): Facts {
  const properties = operation.input.properties;
  const names = Object.keys(properties).filter((name) => known[name] === undefined);
  const isTime = (name: string) => properties[name]?.format === 'date-time';
  return Object.fromEntries(
    Object.entries(pick(query, names).values).map(([name, value = '']) => [
      name,
      isTime(name) ? asUtc(value) : value,
    ]),
  );
}

/** The address of the next page; null on the last one. */
function nextOf(operation: Operation, query: Form, { next }: Facts): string | null {
  if (next === null || next === undefined) return null;
  const name = 'after' in operation.input.properties ? 'after' : 'before';
  const kept = [...query].flatMap(([key, [value = '']]) =>
    key === name || value === '' ? [] : [[key, value]],
  );
  return queryText({ ...Object.fromEntries(kept), [name]: next });
}

/** GET of a file, such as an export of the audit. */
export async function sendFile(visit: OperationVisit): Promise<FastifyReply> {
  const { operation, known, reply } = visit;
  try {
    const input = { ...known, ...saidBy(queryIn(visit), visit) };
    const answer = await call(visit, operation, input);
    if (!isFile(operation, answer)) throw new Error(`${operation.name} answers no file`);
    const { noun, verb } = nameOf(operation);
    const name = `${kebab(noun)}-${kebab(verb)}.${endingOf(operation, input)}`;
    reply.headers({
      'cache-control': 'no-store',
      'content-disposition': `attachment; filename="${name}"`,
    });
    return sendFileAnswer(reply, answer, callOf(visit, operation, input), visit.deps);
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error;
    const kind = error.kind === 'invalid' ? 'request' : 'notFound';
    return sendPortalProblem(reply, kind, visit, error.problems);
  }
}

/** How the name of a file ends: with its format, where there are several to choose from. */
function endingOf({ mediaType = '', input }: Operation, { format }: Facts): string {
  const chosen = format ?? input.properties.format?.default;
  if (typeof chosen === 'string') return chosen;
  return mediaType.startsWith('application/x-ndjson') ? 'jsonl' : 'json';
}
