// How the APIs refuse a call.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refusal } from '../../core/decision.ts';
import type { Path } from '../../core/problem.ts';
import { dotted, problemText } from '../../operations/problem-text.ts';
import { schemaProblem } from '../../operations/schema-problems.ts';
import { sendRefusal, sendTooMany } from '../answers.ts';
import { countedMember } from '../limits/limit-reached.ts';
import type { Bearer } from '../memory.ts';
import { sendBearerProblem } from '../oidc/bearer.ts';

/** Why a call is answered by no: no well-formed wish, not for this token, about nothing, or once too often. */
export type Refused =
  | {
      readonly status: 400 | 403 | 404;
      /** ASCII without `"` and `\`; it never echoes the input (H17). */
      readonly description: string;
    }
  /** Seconds until it may be tried again. */
  | { readonly status: 429; readonly retryAfter: number; readonly memberId: string };

/** Sends a refusal; one that another token might not meet in the form of RFC 6750 §3.1. */
export function sendRefused(reply: FastifyReply, refused: Refused, bearer?: Bearer): FastifyReply {
  if (refused.status === 429)
    return sendTooMany(reply, refused.retryAfter, 'consent_answers', countedMember(refused.memberId));
  const { status, description } = refused;
  if (status === 403) {
    const denial = bearer === undefined ? {} : { bearer };
    return sendBearerProblem(reply, 'insufficient_scope', description, denial);
  }
  return sendRefusal(reply, refusal('invalid_request', description), status);
}

type ValidationError = NonNullable<FastifyRequest['validationError']>;

/** Says what is wrong with a request, without what was sent: the name of an unknown property is a stranger's, too. */
export function descriptionOf({ validation, validationContext }: ValidationError): string {
  const [error] = validation ?? [];
  const what = validationContext === 'body' ? 'body' : 'query';
  if (error === undefined) return `the ${what} is not valid`;
  const found = schemaProblem(error);
  const nameOf = (path: Path) => (path.length === 0 ? `the ${what}` : dotted(path));
  if (found.code === 'unknown_field') return `${nameOf(found.path.slice(0, -1))} has an unknown property`;
  // Of a query every value is a string, unless there were several (decision 11).
  if (what === 'query' && found.code === 'wrong_type') {
    return found.path.length === 0
      ? 'the query is malformed'
      : `${dotted(found.path)} was sent more than once`;
  }
  return problemText(found, nameOf);
}
