import { signInLimit } from '../../../core/limits.ts';
import { hashAccountPages, hashEmail } from '../../../core/members/sign-in-limit.ts';
import { updatePasswordHash } from '../../../storage/members/member.ts';
import { clearSignInFailures } from '../../../storage/members/sign-in-failure.ts';
import { noteRefusal, transactionOf } from '../../audit.ts';
import type { Counted } from '../../limits/limit-reached.ts';
import { checkCredentials } from '../credentials.ts';
import type { FieldProblem, Visit } from './page.ts';

export type ConfirmedPassword =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong'; readonly problem: FieldProblem }
  /** Seconds until it may be tried again. */
  | { readonly kind: 'too-many'; readonly retryAfter: number; readonly limitKey: Counted };

/**
 * Asks once more for the password, so that a stolen cookie alone cannot take over the account. Failures count
 * against the sign-in limit, and against one of the account's own pages, which no known browser passes:
 * whoever has the session's cookie has the browser's too.
 */
export async function confirmPassword(
  { request, member, language, deps }: Visit,
  password: string,
): Promise<ConfirmedPassword> {
  const { tenant } = request;
  const problem = (kind: 'missing' | 'wrong') => ({
    field: 'currentPassword',
    text: language.t(`account.error.currentPassword.${kind}`),
  });
  if (password === '') return { kind: 'wrong', problem: problem('missing') };

  const own = { key: hashAccountPages(member.id), allowed: signInLimit.failures, passes: false };
  const checked = await checkCredentials(request, member.email, password, deps, { counter: own });
  if (checked.kind === 'too-many') return checked;
  if (checked.kind === 'wrong' || checked.verified.member.id !== member.id) {
    const reason = 'the current password is wrong';
    const by = { actorKind: 'member', actorId: member.id, target: member.id } as const;
    noteRefusal(request, { event: 'sign_in_refused', ...by, reason });
    return { kind: 'wrong', problem: problem('wrong') };
  }
  const { newHash } = checked.verified;
  await transactionOf(request, deps, async (tx) => {
    if (newHash !== null) await updatePasswordHash(tx, member.id, newHash);
    await clearSignInFailures(tx, tenant.id, own.key);
    await clearSignInFailures(tx, tenant.id, hashEmail(member.email));
  });
  return { kind: 'right' };
}
