import type { FastifyReply, FastifyRequest } from 'fastify';
import { refusal } from '../../core/decision.ts';
import { sendRefusal, sendTooMany } from '../answers.ts';
import { countedMember } from '../limits/limit-reached.ts';
import { type Bearer, sendBearerProblem } from '../oidc/bearer.ts';

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

/** Says what is wrong with a request, in words of our own: the validator's would repeat what was sent. */
export function descriptionOf({ validation, validationContext }: ValidationError): string {
  const [problem] = validation ?? [];
  const what = validationContext === 'body' ? 'body' : 'query';
  if (problem === undefined) return `the ${what} is not valid`;
  const { instancePath, keyword, params } = problem;
  const place = instancePath.slice(1).replaceAll('/', '.');
  const inPlace = place === '' ? '' : ` in ${place}`;
  switch (keyword) {
    case 'required':
      return `${String(params.missingProperty)} is missing${inPlace}`;
    case 'additionalProperties':
      return place === '' ? 'the body has an unknown property' : `${place} has an unknown property`;
    case 'enum':
      return `${place} must be ${(params.allowedValues as readonly string[]).join(' or ')}`;
    case 'minItems':
      return `${place} must not be empty`;
    case 'type':
      // Of a query every value is a string, unless there were several (decision 11).
      if (what === 'query')
        return place === '' ? 'the query is malformed' : `${place} was sent more than once`;
      return place === '' ? 'the body must be an object' : `${place} must be of type ${String(params.type)}`;
    case 'pattern':
      return `${place} is not written as it must be`;
    default:
      return `${place} is not valid`;
  }
}
