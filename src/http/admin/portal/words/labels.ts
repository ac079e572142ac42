/** What operations and their fields are called on the pages of the portal. */
import { countedUpTo } from '../../../../core/operators/limits.ts';
import { nameOf, type Operation } from '../../../../operations/admin/operation.ts';
import { browserWords, nameBrowser } from '../../../../operations/session/notice.ts';
import { say, sayIfKnown } from '../../../../text/portal.ts';
import type { Facts } from '../visitor.ts';

/** The name of a field or a verb as people read it: `redirectUris` are "Redirect URIs". */
export function labelOf(name: string): string {
  const known = sayIfKnown(`label.${name}`);
  if (known !== null) return known;
  const words = name
    .replace(/At$/, '')
    .replace(/Seconds$/, '')
    .split(/(?=[A-Z])|[._\s]+/)
    .map((word) => sayIfKnown(`word.${word.toLowerCase()}`) ?? word.toLowerCase())
    .join(' ')
    .trim();
  return capital(words);
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** One of many: `properties` are each a `property`. */
export function singular(noun: string): string {
  const bare = bareOf(noun);
  const known = sayIfKnown(`noun.${bare}`);
  if (known !== null) return known;
  const words = labelOf(bare).toLowerCase();
  return words.endsWith('ies') ? `${words.slice(0, -3)}y` : words.replace(/s$/, '');
}

/**
 * What a button that leads to an operation says; beside a list its noun need not be repeated.
 *
 * @param isThere whether it leads to something that is there already
 */
export function buttonOf(operation: Operation, isThere = false): string {
  const { noun, verb } = nameOf(operation);
  if (operation.portal?.label !== undefined) return operation.portal.label;
  if (isNew(verb, isThere)) return say('verb.new', { noun: singular(noun) });
  return sayIfKnown(`verb.${verb}`) ?? labelOf(verb);
}

/** Whether a verb makes something: what is defined once more is changed. */
const isNew = (verb: string, isThere: boolean) => verb === 'create' || (verb === 'define' && !isThere);

/** What the button that sends an operation's form says. @param isThere whether what it is about is there already */
export function submitOf(operation: Operation, isThere = false): string {
  const { noun, verb } = nameOf(operation);
  const own = sayIfKnown(`submit.${operation.name}`);
  if (own !== null) return own;
  if (isNew(verb, isThere)) return say('verb.create', { noun: singular(noun) });
  return verb === 'define' || verb === 'change' ? say('verb.save') : titleOf(operation);
}

/** What an operation's form is for. */
export const leadOf = ({ name, summary }: Operation): string =>
  sayIfKnown(`lead.${name}`) ?? say('form.lead', { summary });

/** The heading of an operation's form. @param isThere whether what it is about is there already */
export function titleOf(operation: Operation, isThere = false): string {
  const { noun, verb } = nameOf(operation);
  const words = buttonOf(operation, isThere);
  if (operation.portal?.label !== undefined || isNew(verb, isThere)) return words;
  // "Edit client", but "Sign out everywhere".
  return /[A-Z]/.test(verb) ? words : say('verb.of', { verb: words, noun: singular(noun) });
}

/** What the page of a group of fields is called. */
export const partTitle = ({ name }: Operation, part: string): string => say(`group.${name}.${part}`);

/** What the page of a group of fields is for. */
export const partLead = ({ name }: Operation, part: string): string => say(`group.${name}.${part}.lead`);

/** A count with its noun, such as "3 members"; null beyond what is counted. */
export function manyOf(noun: string, count: number | null): string {
  const things = thingsOf(noun);
  if (count === null) return say('many.more', { counted: countedUpTo, things });
  return say('many.of', { count, thing: singular(noun), things });
}

/** Many of a noun. */
export function thingsOf(noun: string): string {
  const bare = bareOf(noun);
  return sayIfKnown(`things.${bare}`) ?? labelOf(bare).toLowerCase();
}

/** A noun of the whole service is called as that of a tenant is. */
const bareOf = (noun: string) =>
  noun.replace(/^service(?=[A-Z])/, '').replace(/^./, (letter) => letter.toLowerCase());

/** The name of an act on several things at once, such as "Disable 3 members". */
export function manyTitle(operation: Operation, count: number): string {
  const { noun, verb } = nameOf(operation);
  const words = buttonOf(operation, true);
  return /[A-Z]/.test(verb)
    ? say('many.other', { verb: words, count })
    : say('verb.of', { verb: words, noun: manyOf(noun, count) });
}

/** The words of a page after it was done to several things. */
export function manyDone(operation: Operation, count: number): string {
  const { noun, verb } = nameOf(operation);
  const done = sayIfKnown(`done.${verb}`);
  return done === null
    ? say('done.other', { act: manyTitle(operation, count) })
    : say('done.said', { noun: manyOf(noun, count), done });
}

/** What a page says after an operation, such as "Client created." @param part the group of fields that it was sent from */
export function doneText(operation: Operation, part?: string): string {
  const { noun, verb } = nameOf(operation);
  if (part !== undefined)
    return say('done.said', { noun: partTitle(operation, part), done: say('done.define') });
  const done = sayIfKnown(`done.${verb}`);
  const text =
    done === null
      ? say('done.other', { act: buttonOf(operation) })
      : say('done.said', { noun: singular(noun), done });
  return operation.portal?.done ?? capital(text);
}

/** The names that people have for a thing, in the order in which they are looked for. */
const names = ['fullName', 'name', 'label', 'deviceName', 'packageName', 'claimedName'];

/** What people call the thing that a form acts on, such as "Chrome on Linux"; null for what has no name. */
export function calledOf(present: Facts | null): string | null {
  const found = names.map((name) => present?.[name]).find((one) => typeof one === 'string' && one !== '');
  if (typeof found === 'string') return found;
  const browser = nameBrowser(String(present?.userAgent ?? ''));
  return browser === null ? null : browserWords(browser);
}
