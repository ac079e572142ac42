/** What a function of the core decides: an answer, and what to write beside it. */
import type { ReuseClass } from './grants/reuse.ts';
import type { RefusalEvent } from './operators/audit-event.ts';
import type { ErrorCode, OwnRule, Rule } from './refusals/rule.ts';

/** An expected "no". It is a value, not an exception, because writes may have to commit beside it. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly error: ErrorCode;
  /** Names the problem in printable ASCII without `"` and `\` (RFC 6749 §5.2); never echoes the input. */
  readonly description: string;
  /** The rule that refused it, where that is more exact than the error: the audit has it, and the client does not get it. */
  readonly rule?: OwnRule;
}

export function refusal(error: ErrorCode, description: string, rule?: OwnRule): Refusal {
  return { kind: 'refusal', error, description, ...(rule === undefined ? {} : { rule }) };
}

/** The rule of a refusal. */
export const ruleOf = ({ error, rule }: Pick<Refusal, 'error' | 'rule'>): Rule => rule ?? error;

export function isRefusal(value: object): value is Refusal {
  return 'kind' in value && value.kind === 'refusal';
}

/**
 * Why nothing was given, in words for an operator: the audit has them. The client is told less (RFC 6749 §5.2),
 * since what it sent may have been stolen.
 */
export interface Because {
  readonly event: RefusalEvent;
  readonly rule: Rule;
  readonly reason: string;
  /** What it was about, such as a sign-in's id; null or left out where nothing is known. */
  readonly target?: string | null;
  /** Where a used refresh token came back: what that most likely was. */
  readonly reuse?: ReuseClass;
}

/** What the core decided: the answer to give, and what to write in the same transaction. */
export interface Decision<Answer, Write> {
  readonly answer: Answer;
  readonly writes: readonly Write[];
  /** Only where the answer is a "no" that is written down. */
  readonly because?: Because;
}
