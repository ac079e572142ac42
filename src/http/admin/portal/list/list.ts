// The pages of lists.

import type { FastifyReply } from 'fastify';
import { portalListLength } from '../../../../core/operators/limits.ts';
import { nameOf, type Operation, pathFields } from '../../../../operations/admin/operation.ts';
import { OperationRefused } from '../../../../operations/refusal.ts';
import { say, sayIfKnown } from '../../../../text/portal.ts';
import { entryButtons, fileButtons, formButtons } from '../buttons.ts';
import { noticeOf } from '../done.ts';
import { placeProblems } from '../form/problems.ts';
import { type FieldProblem, sendOperationPage, sendPortalProblem } from '../page.ts';
import { entryHref } from '../pages/detail.ts';
import { tableOf, withLinks } from '../values.ts';
import type { OperationVisit } from '../visitor.ts';
import { manyOf, thingsOf } from '../words/labels.ts';
import { bulkOf } from './chosen.ts';
import { eventTable } from './events.ts';
import { chipsOf, filterFields, type ListQuery, listQuery, pageLinks, sortLinks } from './query.ts';
import { readList } from './read.ts';

/** GET of a list: its entries, what narrows it, how it is sorted, and the pages around this one (pages 21). */
export async function showList(
  visit: OperationVisit,
  problems: readonly FieldProblem[] = [],
): Promise<FastifyReply> {
  const { operation } = visit;
  const query = listQuery(visit);
  const filters = filterFields(visit, query);
  const { title, lead, more } = headOf(operation, query);
  const actions = formButtons(visit).map((one) =>
    more !== null && one.isMain ? { ...one, label: more } : one,
  );
  const about = {
    lead,
    filters,
    chips: chipsOf(visit, query, filters),
    sorts: sortLinks(operation, query),
    actions,
    files: fileButtons(visit, { query: query.form }),
    notice: noticeOf(visit),
  };
  try {
    const found = await readList(visit, query);
    const total = await totalOf(visit, query, found);
    const nothing = found.items.length === 0 ? nothingOf(visit, query, found) : null;
    const data = {
      ...about,
      problems,
      ...tableFor(visit, found),
      ...found.links,
      isShort: found.items.length < portalListLength && found.links.next !== null && !query.isBack,
      total,
      nothing,
      // An empty list has its way on in the middle of the page.
      leads: nothing === null || nothing.clear ? [] : actions.filter(({ isMain }) => isMain),
      bulk: bulkOf(visit, !isWhole(found)),
    };
    const status = problems.length === 0 ? 200 : 422;
    return sendOperationPage(visit, { template: 'list', title, status, data });
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error;
    if (error.kind !== 'invalid') return sendPortalProblem(visit.reply, 'notFound', visit, error.problems);
    const none = {
      problems: placeProblems(error.problems, filters),
      bulk: null,
      total: null,
      table: null,
      previous: null,
      next: null,
      first: pageLinks(operation, query, [], null).first,
      isShort: false,
      nothing: null,
      leads: [],
    };
    return sendOperationPage(visit, {
      template: 'list',
      title,
      status: 422,
      data: { ...about, ...none },
    });
  }
}

/** The title of a list and its purpose; the list of administrators also has a link to one more of them. */
function headOf({ name, summary, portal }: Operation, { narrowing }: ListQuery) {
  if (name === 'members.list' && narrowing.userType === 'any_admin') {
    return { title: say('menu.administrators'), lead: say('admins.lead'), more: say('newAdmin.title') };
  }
  return { title: portal?.list?.title ?? '', lead: portal?.list?.lead ?? summary, more: null };
}

/** The words of an empty list, and the link that leads on from there. */
function nothingOf({ operation }: OperationVisit, { narrowing }: ListQuery, { links }: Read) {
  if (links.next !== null) return { title: say('empty.short'), text: say('list.short'), clear: false };
  if (Object.keys(narrowing).length > 0) {
    return { title: say('empty.narrowed'), text: say('empty.widen'), clear: true };
  }
  if (links.first !== null) return { title: say('list.end'), text: '', clear: false };
  const title = say('empty.none', { things: thingsOf(nameOf(operation).noun) });
  return { title, text: sayIfKnown(`empty.${operation.name}`) ?? '', clear: false };
}

type Read = Awaited<ReturnType<typeof readList>>;

/** Whether a page shows all of its list. */
const isWhole = ({ links }: Pick<Read, 'links'>) =>
  links.previous === null && links.next === null && links.first === null;

/** How many entries the list has, if that is known; for a narrowed list, if the page shows all of it. */
async function totalOf(
  visit: OperationVisit,
  query: ListQuery,
  { items, links }: Read,
): Promise<string | null> {
  const { noun } = nameOf(visit.operation);
  const isNarrowed = Object.keys(query.narrowing).length > 0;
  if (isWhole({ links }))
    return say(isNarrowed ? 'list.found' : 'list.total', { many: manyOf(noun, items.length) });
  if (isNarrowed || pathFields(visit.operation).length > 1) return null;
  const count = (await visit.counts(true))?.[noun];
  return count === undefined ? null : say('list.total', { many: manyOf(noun, count) });
}

/** The entries as a table, each with the page it has and the operations for it. */
function tableFor(visit: OperationVisit, { items, schema }: Read) {
  const { operation } = visit;
  const { columns, entry } = operation.portal?.list ?? {};
  return {
    table:
      schema.title === 'AuditEvent'
        ? eventTable(visit, items, schema)
        : withLinks(visit, tableOf(items, schema, columns)),
    entries: items.map((item) => ({
      href: entryHref(visit, operation, item),
      actions: entryButtons(visit, entry, item),
    })),
  };
}
