/** What is wrong with what was asked for, as values: each face words them, and no code reads the words back. */
import type { problemWords } from './problem-words.ts';

/** The names and places that lead to a value in what was sent; empty for the whole of it. */
export type Path = readonly (string | number)[];

/** A place in the text of a file, as editors count: both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** What kind of problem it is. A code stays what it is: programs tell problems apart by it. */
export type ProblemCode = keyof typeof problemWords;

/** One problem (architecture, rule 17). `problemText` of `operations/problem-text.ts` words it. */
export interface Problem {
  readonly path: Path;
  readonly code: ProblemCode;
  /** What its words name, such as the bound that was passed; never a secret. */
  readonly values: Readonly<Record<string, ProblemValue>>;
  /** Where the value stands, if it came in a file. */
  readonly position?: Position;
  /** What the value is called where it came from, if not by its path. */
  readonly called?: string;
}

export type ProblemValue = string | number | readonly (string | number)[];

/** The names of the values in a text of words. */
type Named<Words> = Words extends `${string}{${infer Name}}${infer Rest}`
  ? Exclude<Name, 'it'> | Named<Rest>
  : never;

/** A text of words without the parts that may be left out. */
type Fixed<Words> = Words extends `${infer Before}[${string}]${infer After}`
  ? `${Before}${Fixed<After>}`
  : Words;

type WordsOf<Code extends ProblemCode> = (typeof problemWords)[Code];

/** The values that a problem must have, and those that it may have. */
type ValuesOf<Code extends ProblemCode> = Readonly<
  Record<Named<Fixed<WordsOf<Code>>>, ProblemValue> & Partial<Record<Named<WordsOf<Code>>, ProblemValue>>
>;

type ValuesArgument<Code extends ProblemCode> =
  Named<WordsOf<Code>> extends never
    ? []
    : Named<Fixed<WordsOf<Code>>> extends never
      ? [values?: ValuesOf<Code>]
      : [values: ValuesOf<Code>];

/** What makes a problem: where it is – a text is the name of a field –, what it is, and what its words name. */
export type ProblemArguments<Code extends ProblemCode> = [
  path: Path | string,
  code: Code,
  ...values: ValuesArgument<Code>,
];

/** Makes a problem. */
export function problem<Code extends ProblemCode>(
  path: Path | string,
  code: Code,
  ...[values]: ValuesArgument<Code>
): Problem {
  return { path: typeof path === 'string' ? [path] : path, code, values: values ?? {} };
}

/** Problems of a value, told of the whole in which it stands. */
export function within(path: Path, problems: readonly Problem[]): readonly Problem[] {
  return problems.map((one) => ({ ...one, path: [...path, ...one.path] }));
}
