// What a form ends: the page says how much, and asks for the name of what cannot be undone (pages 22).
import type { Operation } from '../../../../operations/admin/operation.ts';
import { say, sayIfKnown } from '../../../../text/portal.ts';
import type { Form } from '../../../form.ts';
import type { FieldProblem } from '../page.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { calledOf } from '../words/labels.ts';

/** The field in which the name is typed. */
export const typedField = 'typed';

/** What a form says of what it ends. */
export interface Ending {
  /** What ends, and with how much. */
  readonly text: string;
  /** Whether that is in words of its own, so that nothing else need say what the form does. */
  readonly saysAll: boolean;
  /** What is to be typed; null where nothing is asked for. */
  readonly name: string | null;
}

/** Whether an operation ends something for good with these values of its fields. */
export function endsForGood({ portal = {} }: Operation, said: Facts): boolean {
  return portal.ends === 'forGood' || endsBy({ portal }, said);
}

/** Whether only the values of its fields make it do so: then a second page asks again. */
export function endsBy({ portal = {} }: Pick<Operation, 'portal'>, said: Facts): boolean {
  return Object.entries(portal.endsIf ?? {}).some(([name, values]) => values.includes(said[name]));
}

/** The things that a form ends for good, from the thing as it was before. */
export function endingOf({ operation, known }: OperationVisit, present: Facts | null): Ending {
  const { email } = present ?? {};
  const values = {
    name: calledOf(present) ?? 'none',
    email: typeof email === 'string' ? email : '',
    ...operation.portal?.endsWith?.(present ?? {}),
  };
  const told = sayIfKnown(`ending.${operation.name}`, values);
  return {
    text: told ?? say('ending.other'),
    saysAll: told !== null,
    name: calledOf(present) ?? nameInAddress(operation, known),
  };
}

/** A thing without a name goes by the id in its address, and without that by the tenant. */
function nameInAddress({ path }: Operation, known: Facts): string | null {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => known[name]);
  const last = named.findLast((value) => typeof value === 'string' || typeof value === 'number');
  return last === undefined ? null : String(last);
}

/** Whether a form says the name of what it ends: null where it was not asked for it yet. */
export function isTyped(form: Form, { name }: Ending): boolean | null {
  if (name === null) return true;
  const typed = form.get(typedField)?.[0];
  return typed === undefined ? null : bare(typed) === bare(name);
}

/** A name as it can be typed: without invisible characters, and with one space in a row. */
const bare = (text: string) =>
  text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();

/** What is wrong with a name that was typed. */
export const wrongName = ({ name }: Ending): FieldProblem => ({
  field: typedField,
  text: say('ending.wrong', { name: name ?? '' }),
});
