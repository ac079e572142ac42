import type { FastifyReply } from 'fastify';
import { signInLimit } from '../../../core/limits.ts';
import { hashAccountPages, hashEmail } from '../../../core/members/sign-in-limit.ts';
import { findMemberByEmail, updatePasswordHash } from '../../../storage/members/member.ts';
import { clearSignInFailures } from '../../../storage/members/sign-in-failure.ts';
import type { Tx } from '../../../storage/store.ts';
import { noteRefusal } from '../../audit.ts';
import type { Counted } from '../../limits/limit-reached.ts';
import { sendProblem } from '../../pages/problem.ts';
import { actIn, type CurrentSession } from '../../session.ts';
import { checkCredentials, type VerifiedMember } from '../credentials.ts';
import type { FieldProblem, Visit } from './page.ts';

/** Why something is not done that takes the current password. */
export type Unconfirmed =
  | { readonly kind: 'wrong'; readonly problem: FieldProblem }
  /** Seconds until it may be tried again. */
  | { readonly kind: 'too-many'; readonly retryAfter: number; readonly limitKey: Counted };

/** A password that was right a moment ago. */
export interface ConfirmedPassword {
  readonly kind: 'right';
  readonly verified: VerifiedMember;
}

/**
 * Asks once more for the password, so that a stolen cookie alone cannot take over the account. Failures count
 * against the sign-in limit, and against one of the account's own pages, which no known browser passes:
 * whoever has the session's cookie has the browser's too.
 */
export async function confirmPassword(
  visit: Visit,
  password: string,
): Promise<ConfirmedPassword | Unconfirmed> {
  const { request, member, deps } = visit;
  if (password === '') return unconfirmed(visit, 'missing');
  const own = { key: hashAccountPages(member.id), allowed: signInLimit.failures, passes: false };
  const checked = await checkCredentials(request, member.email, password, deps, { counter: own });
  if (checked.kind === 'too-many') return checked;
  if (checked.kind === 'right' && checked.verified.member.id === member.id) return checked;
  const reason = 'the current password is wrong';
  const by = { actorKind: 'member', actorId: member.id, target: member.id } as const;
  noteRefusal(request, { event: 'sign_in_refused', ...by, reason });
  return unconfirmed(visit, 'wrong');
}

/**
 * Does what the password was asked for, if the session lives and the password is still the one that was right:
 * whoever changes it ends with it whatever another browser is about to do with the old one (F3).
 */
export async function actConfirmed<T>(
  visit: Visit,
  { verified }: ConfirmedPassword,
  work: (tx: Tx, current: CurrentSession) => Promise<T>,
): Promise<{ readonly kind: 'done'; readonly value: T } | Unconfirmed> {
  const { id: tenantId } = visit.request.tenant;
  return actIn(visit, async (tx, current) => {
    const { id, email } = current.member;
    const found = await findMemberByEmail(tx, tenantId, email);
    if (found?.member.id !== id || found.passwordHash !== verified.passwordHash) {
      return unconfirmed(visit, 'wrong');
    }
    if (verified.newHash !== null) await updatePasswordHash(tx, id, verified.newHash);
    await clearSignInFailures(tx, tenantId, hashAccountPages(id));
    await clearSignInFailures(tx, tenantId, hashEmail(email));
    return { kind: 'done', value: await work(tx, current) };
  });
}

function unconfirmed({ language }: Visit, kind: 'missing' | 'wrong'): Unconfirmed {
  const text = language.t(`account.error.currentPassword.${kind}`);
  return { kind: 'wrong', problem: { field: 'currentPassword', text } };
}

/** Says why it was not done. @param sendForm sends the form again, with what was wrong */
export function sendUnconfirmed(
  { reply, language }: Visit,
  why: Unconfirmed,
  sendForm: (problem: FieldProblem) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  if (why.kind === 'wrong') return sendForm(why.problem);
  const { retryAfter, limitKey } = why;
  // Whoever has forgotten it chooses another by mail.
  const ways = [
    { href: '/account', text: 'account.title' },
    { href: '/recover', text: 'recover.title' },
  ];
  return sendProblem(reply.header('retry-after', retryAfter), 'tooManySignIns', { language, limitKey, ways });
}
