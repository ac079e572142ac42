import type { FastifyReply } from 'fastify';
import { portalListLength } from '../../../../core/limits.ts';
import { isFile, type Operation } from '../../../../operations/admin/operation.ts';
import { OperationRefused } from '../../../../operations/refusal.ts';
import { type Form, pick, queryOf } from '../../../form.ts';
import { sendFileAnswer } from '../../file-answer.ts';
import { type Facts, kebab, nameOf, pathOf } from '../addresses.ts';
import { entryButtons, entryPage, fileButtons, formButtons } from '../buttons.ts';
import { entriesOf, type Field, yesAndNo } from '../form/fields.ts';
import { placeProblems } from '../form/problems.ts';
import { crumbsOf, shownTenant } from '../menu.ts';
import { sendPortalPage, sendPortalProblem } from '../page.ts';
import { withLinks } from '../show/links.ts';
import { listIn, tableOf } from '../show/values.ts';
import { call, callOf, type Visit } from '../visit.ts';
import { noticeOf } from './detail.ts';

/** What pages through a list, and is no search. */
const paging = new Set(['before', 'after', 'limit']);

/** GET of a list: its entries, what narrows it, and the next page (issue: list, search). */
export async function showList(visit: Visit, operation: Operation): Promise<FastifyReply> {
  const { request, reply } = visit;
  const query = queryOf(request) ?? new Map<string, readonly string[]>();
  const known = pathOf(operation, request.params as Facts);
  const filters = filtersOf(operation, known, query);
  const { title = '', lead = operation.summary } = operation.portal?.list ?? {};
  const about = {
    lead,
    filters,
    actions: formButtons(visit, operation, known),
    files: fileButtons(visit, operation, known, query),
    notice: noticeOf(visit),
  };
  const page = {
    template: 'list',
    title,
    visit,
    crumbs: crumbsOf(visit, operation, known),
  };
  try {
    const answer = await call(visit, operation, {
      ...known,
      ...('limit' in operation.input.properties ? { limit: portalListLength } : {}),
      ...said(operation, known, query),
    });
    const { table, entries } = tableFor(visit, operation, known, answer);
    const next = nextOf(operation, query, answer);
    return sendPortalPage(reply, {
      ...page,
      data: {
        ...about,
        problems: [],
        table,
        entries,
        next,
        isFirst: !query.has('before') && !query.has('after'),
      },
    });
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error;
    if (error.kind !== 'invalid') return sendPortalProblem(reply, 'notFound', visit, error.problems);
    return sendPortalPage(reply, {
      ...page,
      status: 422,
      isError: true,
      data: {
        ...about,
        problems: placeProblems(error.problems, filters),
        table: null,
        entries: [],
        next: null,
        isFirst: true,
      },
    });
  }
}

/** The entries as a table, each with the page it has and the operations for it. */
function tableFor(visit: Visit, operation: Operation, known: Facts, answer: Facts) {
  const { columns, entry } = operation.portal?.list ?? {};
  const list = listIn(answer, operation.output);
  if (list === null) throw new Error(`${operation.name} answers no list`);
  const table = tableOf(list.items, list.schema, columns);
  const entries = list.items.map((item) => {
    const href = entryPage(visit, operation, item, known);
    return { href, actions: entryButtons(visit, operation, entry, item, known) };
  });
  return { table: withLinks(visit, table, shownTenant(visit).host), entries };
}

/** The fields that narrow a list; a flag has three answers there, since "no" is not "either". */
function filtersOf(operation: Operation, known: Facts, query: Form): readonly Field[] {
  return entriesOf(operation, known, query, {})
    .filter((entry): entry is Field => 'kind' in entry && !paging.has(entry.name))
    .map((field) => (field.kind === 'flag' ? { ...field, kind: 'choice', choices: yesAndNo } : field));
}

/** What the query says; an empty field narrows nothing, and the browser's times are in UTC. */
function said(operation: Operation, known: Facts, query: Form): Facts {
  const names = Object.keys(operation.input.properties).filter((name) => known[name] === undefined);
  const { values } = pick(query, names);
  const isTime = (name: string) =>
    (operation.input.properties[name] as { readonly format?: string }).format === 'date-time';
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isTime(name) ? asUtc(value ?? '') : value]),
  );
}

const asUtc = (text: string) => (/T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/.test(text) ? `${text}Z` : text);

/** The address of the next page; null on the last one. */
function nextOf(operation: Operation, query: Form, { next }: Facts): string | null {
  if (next === null || next === undefined) return null;
  const name = 'after' in operation.input.properties ? 'after' : 'before';
  const kept = [...query].flatMap(([key, [value = '']]) =>
    key === name || value === '' ? [] : [[key, value]],
  );
  return `?${new URLSearchParams([...kept, [name, String(next)]] as [string, string][])}`;
}

/** GET of a file, such as an export of the audit. */
export async function sendFile(visit: Visit, operation: Operation): Promise<FastifyReply> {
  const { request, reply } = visit;
  const query = queryOf(request) ?? new Map<string, readonly string[]>();
  const known = pathOf(operation, request.params as Facts);
  try {
    const input = { ...known, ...said(operation, known, query) };
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

const endings: readonly (readonly [string, string])[] = [
  ['application/x-ndjson', 'jsonl'],
  ['application/json', 'json'],
  ['application/yaml', 'yaml'],
  ['text/csv', 'csv'],
];

function endingOf({ mediaType = '', input }: Operation, { format }: Facts): string {
  const { default: usual } = (input.properties.format ?? {}) as { readonly default?: unknown };
  const chosen = format ?? usual;
  if (typeof chosen === 'string') return chosen;
  return endings.find(([type]) => mediaType.startsWith(type))?.[1] ?? 'txt';
}
