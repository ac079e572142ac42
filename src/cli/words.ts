// The words of the command: what things are called there, and what was most likely meant.
import { nameOf, type Operation } from '../operations/admin/operation.ts';
import { closestWord } from '../text/spelling.ts';
import { WrongUsage } from './terminal.ts';

/** A name as a word of the command: `redirectUris` is `redirect-uris`. */
export function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** How an operand is written in the help text. */
export const operandShape = (operand: string) => kebab(operand).toUpperCase();

/** The two words that call an operation. */
export function wordsOf(operation: Operation): readonly [noun: string, verb: string] {
  const { noun, verb } = nameOf(operation);
  return [kebab(noun), kebab(verb)];
}

/** The nouns of the table, in its order. */
export function nounsOf(operations: readonly Operation[]): readonly string[] {
  return [...new Set(operations.map((operation) => wordsOf(operation)[0]))];
}

/** The operations of a noun. */
export function operationsOf(operations: readonly Operation[], noun: string): readonly Operation[] {
  return operations.filter((operation) => wordsOf(operation)[0] === noun);
}

/**
 * The operation that two words call.
 *
 * @throws WrongUsage
 */
export function findOperation(operations: readonly Operation[], noun: string, verb: string): Operation {
  const ofNoun = operationsOf(operations, noun);
  const found = ofNoun.find((operation) => wordsOf(operation)[1] === verb);
  if (found !== undefined) return found;
  const verbs = ofNoun.map((operation) => wordsOf(operation)[1]);
  throw new WrongUsage([
    `There is no "${noun} ${withoutValue(verb)}".${guess(verb, verbs)}`,
    `memberdoor ${noun} help lists what there is.`,
  ]);
}

/** What was taken for an option may hold a secret behind its name: it is not repeated. */
export function withoutValue(word: string): string {
  return word.startsWith('-') ? word.replace(/=.*/s, '') : word;
}

/** Proposes the word that was most likely meant. */
export function guess(misspelt: string, known: readonly string[], before = ''): string {
  const near = closestWord(misspelt, known);
  return near === null ? '' : ` Did you mean "${before}${near}"?`;
}
