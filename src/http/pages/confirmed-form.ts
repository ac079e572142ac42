/**
 * Forms that take the current password once more, so that a stolen cookie alone cannot take over an account. The
 * guess is counted in the transaction that lets the visit in, judged outside of any, and what the password was asked
 * for is done in a second one, which finds the session and the password as they were (F1, F3, F4).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  beginConfirmation,
  finishConfirmation,
  judgeAttempt,
  type TooManyGuesses,
} from '../../operations/sign-in/credentials.ts';
import { noteRefusal, storeOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { pageForm } from '../form.ts';
import { guesserOf } from '../session.ts';
import type { Act, Answer, Visit } from './guarded-page.ts';

/** Why something is not done that takes the current password. */
export type Unconfirmed = { readonly kind: 'missing' | 'wrong' } | TooManyGuesses;

/** Reads a form that has the current password in its field `currentPassword`, before any transaction. */
export type ConfirmedForm<V extends Visit> = (
  request: FastifyRequest,
) => Promise<ConfirmedAct<V>> | ConfirmedAct<V>;

/** What is done with a form that takes the current password. */
export interface ConfirmedAct<V extends Visit> {
  /** What is wrong with the rest of the form, for which the password is not looked at; null for nothing. */
  check?(visit: V): Answer | null;
  /** Prepares, once the password was right, what takes time, and says what is then done. */
  begin(visit: V): Promise<Act<V>> | Act<V>;
  refuse(visit: V, why: Unconfirmed): Promise<FastifyReply> | FastifyReply;
}

/** What the form does in the transaction that lets its visit in. */
export async function takeConfirmedForm<V extends Visit>(
  request: FastifyRequest,
  read: ConfirmedForm<V>,
  deps: Deps,
): Promise<Act<V>> {
  const { currentPassword: password = '' } = pageForm(request, ['currentPassword']);
  const form = await read(request);
  return async (tx, visit, next) => {
    const wrong = form.check?.(visit) ?? null;
    if (wrong !== null) return wrong;
    if (password === '') return () => form.refuse(visit, { kind: 'missing' });
    const { member } = visit;
    const attempt = await beginConfirmation(tx, request.tenant, member, guesserOf(request), deps);
    if (attempt.kind === 'too-many') return () => form.refuse(visit, attempt);
    return async () => {
      const judged = await judgeAttempt(attempt, password, { ...deps, store: storeOf(request, deps) });
      if (judged.kind === 'too-many') return form.refuse(visit, judged);
      if (judged.kind === 'wrong' || judged.verified.member.id !== member.id) {
        const by = { actorKind: 'member', actorId: member.id, target: member.id } as const;
        noteRefusal(request, { event: 'sign_in_refused', ...by, reason: 'the current password is wrong' });
        return form.refuse(visit, { kind: 'wrong' });
      }
      const act = await form.begin(visit);
      return next(async (again, now, further) => {
        const isRight = await finishConfirmation(again, now.member, judged.verified, deps.clock());
        return isRight ? act(again, now, further) : () => form.refuse(now, { kind: 'wrong' });
      });
    };
  };
}
