import type { Problem } from '../../../src/core/problem.ts';
import { problemText } from '../../../src/operations/problem-text.ts';

/** Problems in words, those of a file each with its place. */
export const told = (problems: readonly Problem[]): readonly string[] =>
  problems.map((one) => {
    const { position } = one;
    return `${position === undefined ? '' : `${position.line}:${position.column}: `}${problemText(one)}`;
  });
