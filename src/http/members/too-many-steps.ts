// The page of a second factor that was given wrong too often: it says when it is taken again.
import type { FastifyReply } from 'fastify';
import type { TooManyGuesses } from '../../operations/sign-in/credentials.ts';
import type { Language } from '../../text/language.ts';
import { sendProblem, type Way } from '../pages/problem.ts';
import { soonOf } from './times.ts';

export function sendTooManySteps(
  reply: FastifyReply,
  { retryAfter, limitKey }: Omit<TooManyGuesses, 'kind'>,
  { language, ways }: { readonly language: Language; readonly ways: readonly Way[] },
): Promise<FastifyReply> {
  const values = { when: soonOf(retryAfter, language) };
  return sendProblem(reply.header('retry-after', retryAfter), 'tooManySteps', {
    language,
    limitKey,
    ways,
    values,
  });
}
