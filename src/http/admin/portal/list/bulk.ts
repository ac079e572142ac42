// One operation for several entries of a list: what is asked once more, and what came of each.

import type { FastifyReply } from 'fastify';
import { listPage, sessionLife } from '../../../../core/limits.ts';
import { actedAtOnce, portalListLength } from '../../../../core/operators/limits.ts';
import { nameOf, type Operation, pathFields } from '../../../../operations/admin/operation.ts';
import { problemText } from '../../../../operations/problem-text.ts';
import { OperationRefused } from '../../../../operations/refusal.ts';
import { say } from '../../../../text/portal.ts';
import { redirectAfter } from '../../../cookies.ts';
import type { Form } from '../../../form.ts';
import { type Ending, isTyped, wrongName } from '../form/ending.ts';
import { type FieldProblem, sendOperationPage, sendPortalProblem, sendRefused } from '../page.ts';
import { type Shown, tableOf, withLinks } from '../values.ts';
import { call, formOf } from '../visit.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { manyOf, manyTitle } from '../words/labels.ts';
import { bulkOperations, type Chosen, readChosen } from './chosen.ts';
import { showList } from './list.ts';

/** Takes the entries that were chosen. A list that cannot be read has none of them. */
export async function submitBulk(visit: OperationVisit): Promise<FastifyReply> {
  try {
    return await takeChosen(visit);
  } catch (error) {
    return sendRefused(visit, error);
  }
}

/** Asks once more before any of them ends, and before anything is done to all that match; then does the same to each. */
async function takeChosen(visit: OperationVisit): Promise<FastifyReply> {
  const { request, reply, deps } = visit;
  const form = request.body as Form;
  const operation = bulkOperations(visit).find(({ name }) => name === form.get('act')?.[0]);
  if (operation === undefined) return sendPortalProblem(reply, 'request', visit);
  // They are read before they change: a list of open things has none of them afterwards.
  const chosen = await readChosen(visit, form);
  const { ids, seen } = chosen;
  if (ids.length === 0) return showList(visit, [{ field: null, text: say('bulk.none') }]);
  const asked = problemsOf(operation, chosen, form);
  if (asked !== null) return sendAsking(visit, operation, chosen, asked);
  // The same form sent again does not do it all again (pages 7).
  const sent = await deps.rateLimiter.members.take(`form ${formOf(visit)}`, 1, sessionLife.admin.absolute);
  if (sent !== null) return sendPortalProblem(reply, 'again', visit);
  const outcomes: (string | null)[] = [];
  for (const entry of ids) outcomes.push(await outcomeOf(visit, operation, entry));
  const done = outcomes.filter((outcome) => outcome === null).length;
  if (done === ids.length) return redirectAfter(reply, request.url, `${operation.name}*${done}`);
  const told = outcomes.flatMap((outcome, at) =>
    seen === null || outcome !== null ? [{ item: chosen.items[at] ?? {}, outcome }] : [],
  );
  return sendOutcomes(visit, operation, chosen, { done, told: told.slice(0, listPage.default) });
}

/** Why the question is asked first, or again; null where it was answered, or nothing ends. */
function problemsOf(operation: Operation, chosen: Chosen, form: Form): readonly FieldProblem[] | null {
  const { ids, seen } = chosen;
  if (operation.portal?.ends === undefined && seen === null) return null;
  const ending = endingOfMany(operation, ids.length);
  const typed = isTyped(form, ending);
  const isConfirmed = form.get('confirmed')?.[0] === 'yes';
  if (isConfirmed && seen !== null && form.get('seen')?.[0] !== seen) {
    return [{ field: null, text: say('bulk.changed') }];
  }
  if (typed === true && isConfirmed) return null;
  return typed === false ? [wrongName(ending)] : [];
}

/** Does it to one of them. @returns why it was not done; null where it was */
async function outcomeOf(visit: OperationVisit, operation: Operation, entry: string): Promise<string | null> {
  try {
    await call(visit, operation, inputFor(visit, operation, entry));
    return null;
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error;
    return error.problems.map((one) => problemText(one)).join(' ');
  }
}

/** The fields of its path: those of the list, and the entry. */
function inputFor({ operation: list, known }: OperationVisit, operation: Operation, entry: string): Facts {
  const field = list.portal?.list?.entry?.field ?? '';
  return Object.fromEntries(
    pathFields(operation).map((name) => [name, name === field ? entry : known[name]]),
  );
}

type Table = Extract<Shown, { kind: 'table' }>;

/** Entries that were chosen, as the list shows them. */
function tableWith(visit: OperationVisit, { schema }: Chosen, items: readonly Facts[]): Table {
  const { columns = [] } = visit.operation.portal?.list ?? {};
  return withLinks(visit, tableOf(items, schema, columns.slice(0, 3))) as Table;
}

/** There is no Undo for several at once. What ends for good asks for their number, in words (pages 22). */
function endingOfMany(operation: Operation, count: number): Ending {
  const isForGood = operation.portal?.ends === 'forGood';
  return {
    text: say(isForGood ? 'ending.other' : 'bulk.asks'),
    saysAll: false,
    name: isForGood ? manyOf(nameOf(operation).noun, count) : null,
  };
}

function sendAsking(
  visit: OperationVisit,
  operation: Operation,
  { items, ids, seen, isCut, ...chosen }: Chosen,
  problems: readonly FieldProblem[],
) {
  // Of all that match, a page has room for the first.
  const shown = seen === null ? items : items.slice(0, portalListLength);
  const act = manyTitle(operation, ids.length);
  return sendOperationPage(visit, {
    template: 'bulk',
    title: say('verb.ask', { act }),
    status: problems.length > 0 ? 422 : 200,
    data: {
      table: tableWith(visit, { items, ids, seen, isCut, ...chosen }, shown),
      more: [
        ...(ids.length > shown.length ? [say('bulk.andMore', { count: ids.length - shown.length })] : []),
        ...(isCut ? [say('bulk.cut', { most: actedAtOnce })] : []),
      ],
      ending: endingOfMany(operation, ids.length),
      problems,
      lead: operation.summary,
      asks: {
        action: visit.request.url,
        act: operation.name,
        fields:
          seen === null
            ? ids.map((value) => ({ name: 'entry', value }))
            : [
                { name: 'all', value: 'yes' },
                { name: 'seen', value: seen },
              ],
        submit: act,
      },
      back: visit.request.url,
    },
  });
}

interface Outcomes {
  /** How many were done. */
  readonly done: number;
  /** The entries that are told of, with why each was not done; null where it was. */
  readonly told: readonly { readonly item: Facts; readonly outcome: string | null }[];
}

/** Some were not done: what came of each, or of the first that were not, where all that match were chosen. */
function sendOutcomes(
  visit: OperationVisit,
  operation: Operation,
  chosen: Chosen,
  { done, told }: Outcomes,
): Promise<FastifyReply> {
  const count = chosen.ids.length;
  const table = tableWith(
    visit,
    chosen,
    told.map(({ item }) => item),
  );
  const cells = told.map(
    ({ outcome }): Shown =>
      outcome === null
        ? { kind: 'word', text: say('bulk.done'), tone: 'good' }
        : { kind: 'text', text: outcome },
  );
  return sendOperationPage(visit, {
    template: 'bulk',
    title: manyTitle(operation, count),
    data: {
      table: {
        ...table,
        columns: [...table.columns, { name: 'outcome', label: say('bulk.outcome') }],
        rows: table.rows.map((row, at) => ({ ...row, cells: [...row.cells, ...cells.slice(at, at + 1)] })),
      },
      more: [],
      problems: [],
      lead: say('bulk.some', { done, count, things: manyOf(nameOf(visit.operation).noun, count) }),
      asks: null,
      back: visit.request.url,
    },
  });
}
