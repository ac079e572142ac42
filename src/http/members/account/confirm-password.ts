import {
  blockedUntil,
  failedAgain,
  hashAccountPages,
  hashEmail,
  type SignInFailures,
} from '../../../core/members/sign-in-limit.ts';
import { updatePasswordHash } from '../../../storage/members/member.ts';
import {
  clearSignInFailures,
  findSignInFailures,
  saveSignInFailures,
} from '../../../storage/members/sign-in-failure.ts';
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
  const { clock } = deps;
  const problem = (kind: 'missing' | 'wrong') => ({
    field: 'currentPassword',
    text: language.t(`account.error.currentPassword.${kind}`),
  });
  if (password === '') return { kind: 'wrong', problem: problem('missing') };

  const own = hashAccountPages(member.id);
  const limitKey = { key: own, memberId: member.id };
  const waitOf = (failed: SignInFailures | null) => {
    const now = clock();
    const left = blockedUntil(failed, now) - now;
    return left > 0 ? Math.ceil(left / 1_000) : null;
  };
  const wait = waitOf(await transactionOf(request, deps, (tx) => findSignInFailures(tx, tenant.id, own)));
  if (wait !== null) return { kind: 'too-many', retryAfter: wait, limitKey };

  // Each answer below asks again: whoever sends a hundred guesses at once hears of no more of them than one who
  // sends them in turn, and learns nothing from who is told to wait.
  const checked = await checkCredentials(request, member.email, password, deps);
  if (checked.kind === 'too-many') return checked;
  if (checked.kind === 'wrong' || checked.verified.member.id !== member.id) {
    const late = await transactionOf(request, deps, async (tx) => {
      const failed = await findSignInFailures(tx, tenant.id, own);
      const wait = waitOf(failed);
      if (wait === null) await saveSignInFailures(tx, tenant.id, own, failedAgain(failed, clock()));
      return wait;
    });
    if (late !== null) return { kind: 'too-many', retryAfter: late, limitKey };
    const reason = 'the current password is wrong';
    const by = { actorKind: 'member', actorId: member.id, target: member.id } as const;
    noteRefusal(request, { event: 'sign_in_refused', ...by, reason });
    return { kind: 'wrong', problem: problem('wrong') };
  }
  const { newHash } = checked.verified;
  const turnedAway = await transactionOf(request, deps, async (tx) => {
    const late = waitOf(await findSignInFailures(tx, tenant.id, own));
    if (late !== null) return late;
    if (newHash !== null) await updatePasswordHash(tx, member.id, newHash);
    await clearSignInFailures(tx, tenant.id, own);
    await clearSignInFailures(tx, tenant.id, hashEmail(member.email));
    return null;
  });
  if (turnedAway !== null) return { kind: 'too-many', retryAfter: turnedAway, limitKey };
  return { kind: 'right' };
}
