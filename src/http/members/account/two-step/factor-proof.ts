// Forms that take a code of the second factor beside what proves once more who it is.
import type { FastifyRequest } from 'fastify';
import { readUserCode } from '../../../../core/grants/user-code.ts';
import { judgeFactor } from '../../../../operations/second-factor/second-factor.ts';
import { loadTotp, type Totp } from '../../../../secrets/totp.ts';
import { pageForm } from '../../../form.ts';
import type { Act } from '../../../pages/guarded-page.ts';
import { noteWrongStep } from '../../../pages/second-step.ts';
import { sendTooManySteps } from '../../too-many-steps.ts';
import type { SendForm, Visit } from '../page.ts';

/** What such a form gives, and what judges it. */
export interface SentCode {
  readonly typed: string;
  readonly totp: Totp;
}

export const sentCode = async (request: FastifyRequest): Promise<SentCode> => ({
  typed: pageForm(request, ['code']).code ?? '',
  totp: await loadTotp(),
});

/**
 * Does something once the code is right, in the transaction that uses it up: digits of the app, or a recovery code.
 *
 * @param without what is done where the member has no second factor
 */
export function withFactor(
  { typed, totp }: SentCode,
  sendForm: SendForm,
  act: Act<Visit>,
  without: Act<Visit>,
): Act<Visit> {
  const given = { by: readUserCode(typed) === null ? 'recovery' : 'app', typed } as const;
  return async (tx, visit, next) => {
    const { request, reply, member, language, deps } = visit;
    const judged = await judgeFactor(tx, request.tenant, member, given, { ...deps, totp });
    if (judged.kind === 'right') return act(tx, visit, next);
    if (judged.kind === 'none') return without(tx, visit, next);
    return () => {
      noteWrongStep(request, member.id, 'member');
      if (judged.kind === 'too-many') {
        const ways = [{ href: '/account', text: 'account.title' }];
        return sendTooManySteps(reply, judged, { language, ways });
      }
      return sendForm(visit, { field: 'code', text: language.t('secondFactor.error.code') });
    };
  };
}
