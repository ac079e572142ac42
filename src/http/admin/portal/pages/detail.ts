// The page of one thing: the lists of what it has, then all that is known of it.

import type { FastifyReply } from 'fastify';
import { isLocked } from '../../../../operations/admin/members/member-limits.ts';
import { nameOf, type Operation } from '../../../../operations/admin/operation.ts';
import { OperationRefused } from '../../../../operations/refusal.ts';
import { say } from '../../../../text/portal.ts';
import { mayCall } from '../../call.ts';
import { addressOf, operationNamed } from '../addresses.ts';
import { entryButtons, fileButtons, formButtons } from '../buttons.ts';
import { noticeOf } from '../done.ts';
import { sendOperationPage, sendPortalProblem } from '../page.ts';
import { type Fact, factsOf, isOfThings, linked, shownOf, tableOf, withLinks } from '../values.ts';
import { call } from '../visit.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { singular } from '../words/labels.ts';

/** GET of one thing. */
export function showDetail(visit: OperationVisit): Promise<FastifyReply> {
  return detailPage(visit, async (answer) => ({
    template: 'detail',
    title: headingOf(visit, answer),
    data: { badges: badgesOf(answer) },
  }));
}

/**
 * Shows a page that reads one thing; what this administrator may not see is not there (A17).
 *
 * @param about what the page shows beside the facts, the lists and the buttons
 * @param hidden properties that it shows in a way of its own
 */
export async function detailPage(
  visit: OperationVisit,
  about: (answer: Facts) => Promise<Parameters<typeof sendOperationPage>[1]>,
  hidden: readonly string[] = [],
): Promise<FastifyReply> {
  try {
    const answer = await call(visit, visit.operation, visit.known);
    const buttons = [...formButtons(visit, answer), ...fileButtons(visit, { thing: answer })];
    const shown = {
      ...partsOf(visit, answer, hidden),
      // What ends things comes last.
      actions: buttons.toSorted((a, b) => Number(a.isGrave) - Number(b.isGrave)),
      notice: noticeOf(visit),
    };
    const { data, ...page } = await about(answer);
    return sendOperationPage(visit, { ...page, data: { ...shown, ...data } });
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error;
    return sendPortalProblem(visit.reply, 'notFound', visit);
  }
}

/** An answer as facts, and a section for each list of things in it. */
export function partsOf(visit: OperationVisit, answer: Facts, hidden: readonly string[] = []) {
  const { operation, known } = visit;
  const { properties = {} } = operation.output;
  const unfit = operation.portal?.without?.(answer) ?? [];
  const all = factsOf(answer, operation.output, [...hidden, ...unfit]).map((fact) => ({
    ...fact,
    // An id is there to be copied; a name leads on.
    value: fact.value.kind === 'named' ? linked(visit, fact.name, fact.value) : withLinks(visit, fact.value),
  }));
  const isList = ({ name }: Fact) => Array.isArray(answer[name]) && isOfThings(properties[name] ?? {});
  // An id that tells people nothing stands behind what does.
  const isOwnId = ({ value }: Fact) =>
    value.kind === 'code' && value.short !== value.text && value.text === Object.values(known).at(-1);
  return {
    facts: all
      .filter((fact) => !isList(fact))
      .toSorted((one, other) => Number(isOwnId(one)) - Number(isOwnId(other))),
    sections: all.filter(isList).map(({ name, label }) => {
      const all = answer[name] as readonly Facts[];
      const part = operation.portal?.parts?.[name] ?? {};
      const list = operationNamed(visit, part.list);
      const { columns, entry } = { ...list?.portal?.list, ...part };
      const href = list === null || !mayCall(visit, list) ? null : addressOf(list, known);
      // What has a page of its own does not push the rest off this one.
      const items = href === null ? all : all.slice(0, partLength);
      return {
        name,
        title: label,
        /** The page that has this list alone, if there is one. */
        href,
        isShort: items.length < all.length,
        table: withLinks(visit, tableOf(items, properties[name]?.items ?? {}, columns)),
        entries: items.map((item) => ({
          href: entryHref(visit, list, item),
          actions: entryButtons(visit, entry, item),
        })),
      };
    }),
  };
}

/** So many entries of a list that has a page of its own stand on the page of the thing that has them. */
const partLength = 10;

/** The page of an entry of a list; null where it has none. */
export function entryHref(visit: OperationVisit, list: Operation | null, item: Facts): string | null {
  const { entry, opens } = list?.portal?.list ?? {};
  const read = operationNamed(visit, opens);
  if (entry === undefined || read === null || !mayCall(visit, read)) return null;
  return addressOf(read, { ...visit.known, [entry.field]: item[entry.key] });
}

/** A word or two that everybody who opens the page should see first. */
export function badgesOf(shown: Facts): readonly { readonly text: string; readonly isBad: boolean }[] {
  const { type, userType, status, disabledAt, deletionDueAt, thirdParty } = shown;
  const role =
    typeof userType === 'string' && userType !== 'member' ? say(`choice.userType.${userType}`) : null;
  const badges: readonly (readonly [text: unknown, isBad: boolean])[] = [
    [type, false],
    [role, false],
    [thirdParty === true && say('badge.thirdParty'), false],
    [(status === 'disabled' || typeof disabledAt === 'string') && say('badge.disabled'), true],
    [isLocked(shown) && say('badge.locked'), true],
    [typeof deletionDueAt === 'string' && say('badge.deleting'), true],
  ];
  return badges.flatMap(([text, isBad]) => (typeof text === 'string' ? [{ text, isBad }] : []));
}

/** What a page of one thing is called: by its name, else by what its address calls it. */
function headingOf({ operation, known }: OperationVisit, facts: Facts): string {
  const { name, fullName, packageName } = facts;
  const { headed } = operation.portal ?? {};
  const shown =
    headed === undefined ? null : shownOf(facts[headed], operation.output.properties?.[headed], headed);
  if (shown !== null && 'text' in shown) return shown.text;
  const named = [name, fullName, packageName, Object.values(known).at(-1)].find(
    (value) => typeof value === 'string' && value !== '',
  );
  return typeof named === 'string' ? named : singular(nameOf(operation).noun);
}
