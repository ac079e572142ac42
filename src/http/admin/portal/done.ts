// What was just done, on the page that follows: in words, with what changed, and with a button that takes it back.

import type { FieldChange } from '../../../core/operators/audit-event.ts';
import { nameOf, type Operation } from '../../../operations/admin/operation.ts';
import { say, sayIfKnown } from '../../../text/portal.ts';
import { takeDone } from '../../cookies.ts';
import { mayCall } from '../call.ts';
import { addressOf, operationNamed, pathOf } from './addresses.ts';
import type { Facts, OperationVisit, Visit } from './visitor.ts';
import { doneText, labelOf, manyDone } from './words/labels.ts';

/** What a page says of what led to it. */
export interface Notice {
  readonly text: string;
  /** The form that takes it back; null where nothing does. */
  readonly undo: {
    readonly action: string;
    readonly token: string;
    readonly fields: readonly { readonly name: string; readonly value: string }[];
  } | null;
}

/** A notice that offers nothing. */
export const plainNotice = (text: string): Notice => ({ text, undo: null });

/** How much of a name, and how many changed fields, go along to the next page. */
const most = { name: 80, fields: 5 } as const;

/**
 * What goes along to the page that follows: the operation, the name of what it was done to, the fields that changed, and
 * the fields of the operation that takes it back.
 */
export function doneFacts(
  visit: OperationVisit,
  answer: Facts,
  said: Facts,
  changes: readonly FieldChange[] | null,
): string {
  const { operation, known } = visit;
  const { presses } = operation.portal ?? {};
  const pressed = presses === undefined ? [] : [answer.packageName];
  const name = [answer.fullName, answer.name, ...pressed].find(
    (one) => typeof one === 'string' && one !== '',
  );
  const fields = [...new Set((changes ?? []).map(({ field }) => field.split('.')[0] ?? field))];
  const facts = new URLSearchParams();
  if (typeof name === 'string') facts.set('name', [...name].slice(0, most.name).join(''));
  if (presses !== undefined) facts.set('pressed', String(said[presses.field]));
  if (changes !== null) facts.set('changed', String(fields.length));
  for (const field of fields.slice(0, most.fields)) facts.append('field', field);
  const undo = operation.portal?.undo;
  const by = operationNamed(visit, undo?.by);
  const fieldsOfUndo = undoing(operation, said);
  if (by !== null && fieldsOfUndo !== null) {
    for (const [key, value] of Object.entries(pathOf(by, { ...answer, ...known }))) {
      facts.set(`in.${key}`, String(value));
    }
    for (const [key, value] of Object.entries(fieldsOfUndo)) facts.set(`say.${key}`, value);
  }
  return `${operation.name}?${facts}`;
}

/** What takes it back: an operation alone, or one with these fields; null if it cannot be taken back. */
function undoing({ portal = {} }: Operation, said: Facts): Readonly<Record<string, string>> | null {
  const { undo } = portal;
  if (undo === undefined) return null;
  const fields: Record<string, string> = {};
  for (const [field, values] of Object.entries(undo.says ?? {})) {
    const back = values[String(said[field])];
    if (back === undefined) return null;
    fields[field] = back;
  }
  return fields;
}

/** What the page says of the form that led to it; null where none did. @param part of a form that has several pages */
export function noticeOf(visit: Visit, part?: string): Notice | null {
  const [what = '', query] = takeDone(visit.reply)?.split('?') ?? [];
  const [name, count] = what.split('*');
  const operation = operationNamed(visit, name);
  if (operation?.acts !== true) return null;
  if (count !== undefined) return plainNotice(manyDone(operation, Number(count)));
  const facts = new URLSearchParams(query);
  const text = part === undefined ? textOf(operation, facts) : doneText(operation, part);
  return { text, undo: undoIn(visit, operation, facts) };
}

/** Such as "Acme Web: redirect URIs changed." */
function textOf(operation: Operation, facts: URLSearchParams): string {
  const { verb } = nameOf(operation);
  const name = facts.get('name');
  const { properties } = operation.input;
  // The page shows only what the operation knows: a cookie may say anything.
  const fields = facts
    .getAll('field')
    .filter((field) => field in properties || field in (operation.output.properties ?? {}));
  if (name === null || operation.portal?.done !== undefined) return doneText(operation);
  const pressed = sayIfKnown(`pressed.${operation.name}.${facts.get('pressed')}`, { name });
  if (pressed !== null) return pressed;
  const isChange = (verb === 'change' || verb === 'define') && facts.has('changed');
  if (!isChange) {
    const done = sayIfKnown(`done.${verb}`);
    return done === null ? doneText(operation) : say('done.named', { name, done });
  }
  if (fields.length === 0) return say('done.same', { name });
  const labels = fields.map((field) => lower(labelOf(field).replace(' (seconds)', '')));
  return say('done.fields', { name, fields: new Intl.ListFormat('en').format(labels), count: labels.length });
}

/** "Redirect URIs" within a sentence; "API" stays as it is. */
const lower = (label: string) =>
  /^[A-Z]{2}/.test(label) ? label : `${label.charAt(0).toLowerCase()}${label.slice(1)}`;

function undoIn(visit: Visit, operation: Operation, facts: URLSearchParams): Notice['undo'] {
  const by = operationNamed(visit, operation.portal?.undo?.by);
  if (by === null || !mayCall(visit, by)) return null;
  const named = (prefix: string) =>
    [...facts].flatMap(([key, value]) =>
      key.startsWith(prefix) ? [{ name: key.slice(prefix.length), value }] : [],
    );
  const known = Object.fromEntries(named('in.').map(({ name, value }) => [name, value]));
  const action = addressOf(by, known);
  const fields = named('say.').filter(({ name }) => name in by.input.properties);
  return action === null ? null : { action, token: visit.newToken(), fields };
}
