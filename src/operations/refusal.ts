/** Why an operation did nothing: its problems, as values. */
import { type Problem, type ProblemArguments, type ProblemCode, problem } from '../core/problem.ts';
import { problemLine } from './problem-text.ts';

/** Nothing was done, and everything that is wrong is told at once. */
export class OperationRefused extends Error {
  override readonly name = 'OperationRefused';
  readonly kind: 'conflict' | 'denied' | 'invalid' | 'limited' | 'unknown';
  readonly problems: readonly Problem[];
  /** After how many seconds it may be done again, where it was done too often; null otherwise. */
  readonly retryAfter: number | null;
  /** Whether the audit tells of it. */
  isWritten = false;

  constructor(
    kind: OperationRefused['kind'],
    problems: readonly Problem[],
    retryAfter: OperationRefused['retryAfter'] = null,
  ) {
    super(problemLine(problems));
    this.kind = kind;
    this.problems = problems;
    this.retryAfter = retryAfter;
  }
}

/** @throws OperationRefused of facts that cannot stand, with every problem at once, if there is one */
export function refuseIfAny(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new OperationRefused('invalid', problems);
}

/** What was asked for is not there, or not for this actor: the two look the same (A17). */
export const unknown = (what: string) =>
  new OperationRefused('unknown', [problem([], 'not_found', { what })]);

const refusing =
  (kind: OperationRefused['kind']) =>
  <Code extends ProblemCode>(...said: ProblemArguments<Code>) =>
    new OperationRefused(kind, [problem(...said)]);

/** What is asked for cannot stand. */
export const invalid = refusing('invalid');
/** What is asked for does not go with what is there. */
export const conflict = refusing('conflict');
/** What is asked for is not for this actor. */
export const denied = refusing('denied');
/** An address got as many mails as it may get now. @param retryAfter in seconds */
export const tooManyMails = (
  retryAfter: number,
  ...said: ProblemArguments<'mailed_often' | 'seat_mailed'>
): OperationRefused => new OperationRefused('limited', [problem(...said)], retryAfter);
