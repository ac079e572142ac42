// Says why a request was refused: by which rule, how to mend it, and where that is written.
import type { AuditEventName, RefusalEvent } from '../operators/audit-event.ts';
import { codeReasons } from './of-codes.ts';
import { eventReasons } from './of-events.ts';
import { ruleReasons } from './of-rules.ts';
import type { RuleReason } from './reason.ts';
import { isErrorCode, type Rule } from './rule.ts';

/** What is known of why a request was refused. */
export interface Refused {
  /** null where it was written down before rules were, or none is more exact than the event. */
  readonly rule: Rule | null;
  /** null where the audit does not tell of it. */
  readonly event: AuditEventName | null;
}

/** The reason of a refusal, and the code that the client was told; null where nothing is known of it. */
export function reasonOf({ rule, event }: Refused): RuleReason | null {
  if (rule !== null && isErrorCode(rule)) return { ...codeReasons[rule], code: rule };
  // At the authorization endpoint nothing is sent where the client is not known: a person is told (decision 6).
  if (rule === 'client_unknown' && event === 'authorization_refused')
    return { ...ruleReasons[rule], code: null };
  if (rule !== null) return ruleReasons[rule];
  if (event === null || !isRefusalEvent(event)) return null;
  return { ...eventReasons[event], code: null };
}

const isRefusalEvent = (event: AuditEventName): event is RefusalEvent => Object.hasOwn(eventReasons, event);

/** What is said of a reason to those who build clients. */
export function documentOf({ code, document = 'a-page-instead-of-an-answer' }: RuleReason): string {
  return `docs/errors.md#${code ?? document}`;
}
