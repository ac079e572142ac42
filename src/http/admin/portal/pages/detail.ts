import type { FastifyReply } from 'fastify';
import { isLocked } from '../../../../operations/admin/members/member-limits.ts';
import type { Operation } from '../../../../operations/admin/operation.ts';
import { OperationRefused } from '../../../../operations/refusal.ts';
import { takeDone } from '../../../cookies.ts';
import { mayCall } from '../../call.ts';
import { addressOf, type Facts, nameOf, operationNamed, pathOf } from '../addresses.ts';
import { type Button, buttonsOf, entryButtons, fileButtons, formButtons } from '../buttons.ts';
import { doneText, singular } from '../labels.ts';
import { crumbsOf, shownTenant } from '../menu.ts';
import { sendPortalPage, sendPortalProblem } from '../page.ts';
import { withLinks } from '../show/links.ts';
import { type Fact, factsOf, itemSchema, listName, type Shown, tableOf } from '../show/values.ts';
import { call, type Visit } from '../visit.ts';

/** A part of a page under its own heading. */
export interface Section {
  readonly name: string;
  readonly title: string;
  /** The page that has this list alone, if there is one. */
  readonly href: string | null;
  readonly table: Shown;
  /** The operations for each of its rows. */
  readonly entries: readonly { readonly href: null; readonly actions: readonly Button[] }[];
}

/** What a page of one thing shows: its facts, and a section for each list. */
export interface Detail {
  readonly answer: Facts;
  readonly facts: readonly Fact[];
  readonly sections: readonly Section[];
  readonly actions: readonly Button[];
  readonly notice: string | null;
}

/** Reads one thing for its page. @throws OperationRefused */
async function readDetail(
  visit: Visit,
  operation: Operation,
  hidden: readonly string[] = [],
): Promise<Detail> {
  const { request } = visit;
  const known = pathOf(operation, request.params as Facts);
  const answer = await call(visit, operation, known);
  return {
    answer,
    ...partsOf(visit, operation, known, answer, hidden),
    actions: buttonsOf(formButtons(visit, operation, known, answer), fileButtons(visit, operation, known)),
    notice: noticeOf(visit),
  };
}

/** An answer as facts, and a section for each list of things in it. */
export function partsOf(
  visit: Visit,
  operation: Operation,
  known: Facts,
  answer: Facts,
  hidden: readonly string[] = [],
): Pick<Detail, 'facts' | 'sections'> {
  const { host } = shownTenant(visit);
  const all = factsOf(answer, operation.output, hidden).map((fact) => ({
    ...fact,
    value: withLinks(visit, fact.value, host),
  }));
  const isList = ({ name }: Fact) => Array.isArray(answer[name]) && isOfObjects(operation, name);
  return {
    facts: all.filter((fact) => !isList(fact)),
    sections: all.filter(isList).map(({ name, label }) => {
      const items = answer[name] as readonly Facts[];
      const part = operation.portal?.parts?.[name] ?? {};
      const list = operationNamed(visit, part.list);
      const { columns, entry } = { ...list?.portal?.list, ...part };
      const table = tableOf(items, itemsOf(operation, name), columns);
      return {
        name,
        title: label,
        href: list === null || !mayCall(visit, list) ? null : addressOf(list, known),
        table: withLinks(visit, table, host),
        entries: items.map((item) => ({
          href: null,
          actions: entryButtons(visit, operation, entry, item, known),
        })),
      };
    }),
  };
}

/** What the page says of the form that led to it. */
export function noticeOf(visit: Visit): string | null {
  const operation = operationNamed(visit, takeDone(visit.reply) ?? undefined);
  return operation?.acts === true ? doneText(operation) : null;
}

/** The property of an answer alone, as if it were all of it. */
function onlyProperty({ output }: Operation, name: string): object {
  const { properties = {} } = output as { readonly properties?: Facts };
  return { properties: { [name]: properties[name] } };
}

/** Whether a property is a list of things, rather than of words. */
const isOfObjects = (operation: Operation, name: string) => listName(onlyProperty(operation, name)) !== null;

const itemsOf = (operation: Operation, name: string) => itemSchema(onlyProperty(operation, name));

/** Shows a page that reads one thing; what this administrator may not see is not there (A17). */
export async function detailPage(
  visit: Visit,
  operation: Operation,
  show: (detail: Detail, known: Facts) => Promise<FastifyReply>,
  hidden: readonly string[] = [],
): Promise<FastifyReply> {
  try {
    const detail = await readDetail(visit, operation, hidden);
    return show(detail, pathOf(operation, visit.request.params as Facts));
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error;
    return sendPortalProblem(visit.reply, 'notFound', visit);
  }
}

/** GET of one thing: the lists of what it has, then all that is known of it. */
export function showDetail(visit: Visit, operation: Operation): Promise<FastifyReply> {
  return detailPage(visit, operation, ({ answer, ...detail }, known) =>
    sendPortalPage(visit.reply, {
      template: 'detail',
      title: headingOf(operation, answer, known),
      visit,
      crumbs: crumbsOf(visit, operation, known),
      data: { ...detail, badges: badgesOf(answer) },
    }),
  );
}

/** A word or two that everybody who opens the page should see first. */
export interface Badge {
  readonly text: string;
  readonly isBad: boolean;
}

export function badgesOf(shown: Facts): readonly Badge[] {
  const { type, userType, status, disabledAt, deletionDueAt, thirdParty } = shown;
  const isOff = status === 'disabled' || typeof disabledAt === 'string';
  return [
    ...(typeof type === 'string' ? [{ text: type, isBad: false }] : []),
    ...(typeof userType === 'string' && userType !== 'member'
      ? [{ text: userType.replaceAll('_', ' '), isBad: false }]
      : []),
    ...(thirdParty === true ? [{ text: 'third party', isBad: false }] : []),
    ...(isOff ? [{ text: 'disabled', isBad: true }] : []),
    ...(isLocked(shown) ? [{ text: 'locked', isBad: true }] : []),
    ...(typeof deletionDueAt === 'string' ? [{ text: 'to be deleted', isBad: true }] : []),
  ];
}

/** What a page of one thing is called: by its name, else by what its address calls it. */
function headingOf(operation: Operation, answer: Facts, known: Facts): string {
  const named = [answer.name, answer.fullName, Object.values(known).at(-1)].find(
    (value) => typeof value === 'string' && value !== '',
  );
  return typeof named === 'string' ? named : singular(nameOf(operation).noun);
}
