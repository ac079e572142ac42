/**
 * Forms that ask a member who is signed in once more who it is, so that a stolen cookie alone cannot take over an account:
 * by the password, or by a passkey. A member who has neither, and signs in with codes by mail or an account of another provider, signs
 * in anew.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { provenFor } from '../../core/members/limits.ts';
import { usesPassword, type WayIn } from '../../core/members/ways-in.ts';
import { wrongPassword } from '../../core/operators/audit-event.ts';
import { isProvenWithin } from '../../core/session.ts';
import type { SignInWay } from '../../core/strength.ts';
import { checkPasskey, takePasskey } from '../../operations/passkey/assertion.ts';
import type { ChallengeFor } from '../../operations/passkey/challenge.ts';
import {
  beginConfirmation,
  finishConfirmation,
  judgeAttempt,
  type TooManyGuesses,
} from '../../operations/sign-in/credentials.ts';
import { listWaysIn } from '../../operations/sign-in/ways-in.ts';
import type { Tx } from '../../storage/store.ts';
import { noteRefusal, storeOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { pageForm } from '../form.ts';
import { guesserOf } from '../session.ts';
import type { Act, Answer, Visit } from './guarded-page.ts';
import { presentedIn, useHere } from './passkey.ts';

/** Why something is not done that asks once more who it is. */
export type Unconfirmed =
  | { readonly kind: 'missing' | 'wrong' }
  /** A passkey that did not prove it, or a page that was open for too long. */
  | { readonly kind: 'passkey' | 'stale' }
  /** The member has to sign in anew first. */
  | { readonly kind: 'anew' }
  | TooManyGuesses;

/**
 * Reads a form that takes the current password in its field `currentPassword`, or what a passkey signed in its field
 * `passkey`. The guess is counted in the transaction that lets the visit in, judged outside of any, and what it was asked
 * for is done in a second one, which finds the session and what was proven as they were (F1, F3, F4).
 */
export type ConfirmedForm<V extends Visit> = (
  request: FastifyRequest,
) => Promise<ConfirmedAct<V>> | ConfirmedAct<V>;

/** How a member proved it: a sign-in of a moment ago does, where there is nothing else. */
export type ConfirmedBy = 'password' | 'passkey' | 'sign-in';

/** What is done with such a form. */
export interface ConfirmedAct<V extends Visit> {
  /** What the page needs to know when it is shown again, read in the transaction that lets the visit in. */
  look?(tx: Tx, visit: V): Promise<void>;
  /** What is wrong with the rest of the form, for which no proof is looked at; null for nothing. */
  check?(visit: V): Answer | null;
  /** Prepares, once it was proven, what takes time, and says what is then done. */
  begin(visit: V, by: ConfirmedBy): Promise<Act<V>> | Act<V>;
  refuse(visit: V, why: Unconfirmed): Promise<FastifyReply> | FastifyReply;
}

/** What passkeys sign on a page of a session. */
export const toConfirm = ({ session }: Pick<Visit, 'session'>): ChallengeFor => ({
  purpose: 'confirm',
  sessionId: session.id,
});

/** What such a form does in the transaction that lets its visit in. */
export async function takeConfirmedForm<V extends Visit>(
  request: FastifyRequest,
  read: ConfirmedForm<V>,
  deps: Deps,
): Promise<Act<V>> {
  const { currentPassword = '', passkey = '' } = pageForm(request, ['currentPassword', 'passkey']);
  const form = await read(request);
  return async (tx, visit, next) => {
    await form.look?.(tx, visit);
    const wrong = form.check?.(visit) ?? null;
    if (wrong !== null) return wrong;
    if (passkey !== '') return confirmByPasskey(passkey, form, deps)(tx, visit, next);
    if (currentPassword === '' || !usesPassword(visit.request.tenant, visit.member)) {
      const ways = await listWaysIn(tx, visit.request.tenant, visit.member);
      const standing = standingOfSignIn(ways, visit);
      if (standing === 'fresh') return confirmedAnew(form)(tx, visit, next);
      const kind = ways.some(({ way }) => way === 'password') ? 'missing' : 'passkey';
      return () => form.refuse(visit, { kind: standing === 'stale' ? 'anew' : kind });
    }
    return confirmByPassword(currentPassword, form, deps)(tx, visit, next);
  };
}

/**
 * Whether a member proves who it is by signing in, with a code of a mail or an account of another provider: `fresh` if the
 * session was begun, or anything was proven in it, a moment ago; `none` where there is a password, or neither of these.
 */
export function standingOfSignIn(ways: readonly WayIn[], { session, deps }: Pick<Visit, 'session' | 'deps'>) {
  const has = (name: SignInWay) => ways.some(({ way }) => way === name);
  if (has('password') || !(has('email_code') || has('account'))) return 'none';
  return isProvenWithin(session, provenFor, deps.clock()) ? 'fresh' : 'stale';
}

const confirmedAnew =
  <V extends Visit>(form: ConfirmedAct<V>): Act<V> =>
  (_tx, visit, next) =>
  async () =>
    next(await form.begin(visit, 'sign-in'));

const confirmByPassword =
  <V extends Visit>(password: string, form: ConfirmedAct<V>, deps: Deps): Act<V> =>
  async (tx, visit, next) => {
    const { request, member } = visit;
    const attempt = await beginConfirmation(tx, request.tenant, member, guesserOf(request), deps);
    if (attempt.kind === 'too-many') return () => form.refuse(visit, attempt);
    return async () => {
      const judged = await judgeAttempt(attempt, password, { ...deps, store: storeOf(request, deps) });
      if (judged.kind === 'too-many') return form.refuse(visit, judged);
      if (judged.kind === 'wrong' || judged.verified.member.id !== member.id) {
        noteUnconfirmed(visit, wrongPassword.asCurrent);
        return form.refuse(visit, { kind: 'wrong' });
      }
      const act = await form.begin(visit, 'password');
      return next(async (again, now, further) => {
        const isRight = await finishConfirmation(again, now.member, judged.verified, deps.clock());
        return isRight ? act(again, now, further) : () => form.refuse(now, { kind: 'wrong' });
      });
    };
  };

const confirmByPasskey =
  <V extends Visit>(text: string, form: ConfirmedAct<V>, deps: Deps): Act<V> =>
  (_tx, visit, next) =>
  async () => {
    const { request, member } = visit;
    const presented = presentedIn(request, text, toConfirm(visit), member.id);
    const store = storeOf(request, deps);
    const checked = await checkPasskey(request.tenant, presented, { ...deps, store });
    if (checked.kind === 'too-many') return form.refuse(visit, checked);
    if (checked.kind === 'stale') return form.refuse(visit, { kind: 'stale' });
    if (checked.kind === 'wrong') {
      noteUnconfirmed(visit, checked.reason);
      return form.refuse(visit, { kind: 'passkey' });
    }
    const act = await form.begin(visit, 'passkey');
    return next(async (again, now, further) => {
      const taken = await takePasskey(again, request.tenant, checked, useHere(request, deps));
      if (typeof taken !== 'string') return act(again, now, further);
      return () => {
        noteUnconfirmed(now, taken);
        return form.refuse(now, { kind: 'passkey' });
      };
    });
  };

function noteUnconfirmed({ request, member }: Visit, reason: string): void {
  const by = { actorKind: 'member', actorId: member.id, target: member.id } as const;
  noteRefusal(request, { event: 'sign_in_refused', ...by, reason });
}
