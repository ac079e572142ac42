// One operation for several entries of a list: what is asked once more, and what came of each.

import type { FastifyReply } from 'fastify';
import { listPage, sessionLife } from '../../../../core/limits.ts';
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
import { bulkOperations } from './chosen.ts';
import { readList, showList } from './list.ts';
import { listQuery } from './query.ts';

/** Takes the entries that were chosen. A list that cannot be read has none of them. */
export async function submitBulk(visit: OperationVisit): Promise<FastifyReply> {
  try {
    return await takeChosen(visit);
  } catch (error) {
    return sendRefused(visit, error);
  }
}

/** Asks once more before any of them ends, then does the same to each. */
async function takeChosen(visit: OperationVisit): Promise<FastifyReply> {
  const { request, reply, deps } = visit;
  const form = request.body as Form;
  const operation = bulkOperations(visit).find(({ name }) => name === form.get('act')?.[0]);
  const chosen = [...new Set(form.get('entry') ?? [])].slice(0, listPage.most);
  if (operation === undefined) return sendPortalProblem(reply, 'request', visit);
  if (chosen.length === 0) return showList(visit, [{ field: null, text: say('bulk.none') }]);
  const ending = endingOfMany(operation, chosen.length);
  const typed = isTyped(form, ending);
  const isAsked = operation.portal?.ends !== undefined;
  if (isAsked && (typed !== true || form.get('confirmed')?.[0] !== 'yes')) {
    return sendAsking(visit, operation, chosen, ending, typed === false ? [wrongName(ending)] : []);
  }
  // The same form sent again does not do it all again (pages 7).
  const sent = await deps.rateLimiter.members.take(`form ${formOf(visit)}`, 1, sessionLife.admin.absolute);
  if (sent !== null) return sendPortalProblem(reply, 'again', visit);
  // They are read before they change: a list of open things has none of them afterwards.
  const table = await tableOfChosen(visit, chosen);
  const outcomes: (string | null)[] = [];
  for (const entry of chosen) outcomes.push(await outcomeOf(visit, operation, entry));
  if (outcomes.every((outcome) => outcome === null)) {
    return redirectAfter(reply, request.url, `${operation.name}*${chosen.length}`);
  }
  return sendOutcomes(visit, operation, withOutcomes(table, outcomes));
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

/** The entries that were chosen, as the list shows them; of one that is not on its page any more, what names it. */
async function tableOfChosen(visit: OperationVisit, chosen: readonly string[]): Promise<Table> {
  const { columns = [], entry } = visit.operation.portal?.list ?? {};
  const { items, schema } = await readList(visit, listQuery(visit));
  const key = entry?.key ?? '';
  const found = chosen.map((id) => items.find((item) => String(item[key]) === id) ?? { [key]: id });
  const table = tableOf(found, schema, columns.slice(0, 3));
  return withLinks(visit, table) as Table;
}

/** There is no Undo for several at once. What ends for good asks for their number, in words (pages 22). */
function endingOfMany(operation: Operation, count: number): Ending {
  const isForGood = operation.portal?.ends === 'forGood';
  return {
    text: say(isForGood ? 'ending.other' : 'bulk.asks'),
    name: isForGood ? manyOf(nameOf(operation).noun, count) : null,
  };
}

function sendAsking(
  visit: OperationVisit,
  operation: Operation,
  chosen: readonly string[],
  ending: Ending,
  problems: readonly FieldProblem[],
) {
  return tableOfChosen(visit, chosen).then((table) =>
    sendOperationPage(visit, {
      template: 'bulk',
      title: say('verb.ask', { act: manyTitle(operation, chosen.length) }),
      status: problems.length > 0 ? 422 : 200,
      data: {
        table,
        ending,
        problems,
        lead: operation.summary,
        asks: {
          action: visit.request.url,
          act: operation.name,
          chosen,
          submit: manyTitle(operation, chosen.length),
        },
        back: visit.request.url,
      },
    }),
  );
}

function withOutcomes(table: Table, outcomes: readonly (string | null)[]): Table {
  return {
    ...table,
    columns: [...table.columns, { name: 'outcome', label: say('bulk.outcome') }],
    rows: table.rows.map((row, index) => {
      const outcome = outcomes[index] ?? null;
      const cell: Shown =
        outcome === null
          ? { kind: 'word', text: say('bulk.done'), tone: 'good' }
          : { kind: 'text', text: outcome };
      return { ...row, cells: [...row.cells, cell] };
    }),
  };
}

/** Some were not done: what came of each. */
function sendOutcomes(visit: OperationVisit, operation: Operation, table: Table): Promise<FastifyReply> {
  const done = table.rows.filter(({ cells }) => cells.at(-1)?.kind === 'word').length;
  const counted = {
    done,
    count: table.rows.length,
    things: manyOf(nameOf(visit.operation).noun, table.rows.length),
  };
  return sendOperationPage(visit, {
    template: 'bulk',
    title: manyTitle(operation, table.rows.length),
    data: { table, problems: [], lead: say('bulk.some', counted), asks: null, back: visit.request.url },
  });
}
