// The account page of two-step sign-in: turned on, off, and given new recovery codes.
import { sha256 } from '../../../../core/hash.ts';
import { secondFactorPolicy } from '../../../../core/members/second-factor.ts';
import { strengthenSession } from '../../../../core/session.ts';
import { factorsOf } from '../../../../core/strength.ts';
import { renewRecoveryCodes, turnOffFactor } from '../../../../operations/second-factor/second-factor.ts';
import { apply } from '../../../../storage/apply.ts';
import { findSecondFactor } from '../../../../storage/members/second-factor.ts';
import type { Tx } from '../../../../storage/store.ts';
import { setSessionCookie } from '../../../cookies.ts';
import { type ConfirmedForm, takeConfirmedForm } from '../../../pages/confirmed-form.ts';
import type { Act } from '../../../pages/guarded-page.ts';
import type { FieldProblem } from '../../../pages/pages.ts';
import { sendProblem } from '../../../pages/problem.ts';
import {
  problemsOf,
  sendRecoveryCodes,
  sentStep,
  setUpFacts,
  takeSetUp,
} from '../../../pages/second-step.ts';
import { dayOf } from '../../times.ts';
import {
  type AccountPage,
  passwordedPage,
  redirectDone,
  sendAccountPage,
  sendUnconfirmed,
  type Visit,
} from '../page.ts';
import { noProofs, type Proofs, proofsOf, proofsShown, signInAnew, signsInFirst } from '../proofs.ts';
import { type SentCode, sentCode, withFactor } from './factor-proof.ts';

const url = '/account/two-step';

/** GET and POST /account/two-step: whether it is on; where it is off, its form turns it on. */
const ownPage: AccountPage = {
  url,
  async show(tx, visit) {
    const factor = await findSecondFactor(tx, visit.member.id);
    if (factor === null) {
      const proofs = await proofsOf(tx, visit);
      if (!isOffered(visit)) return () => notFound(visit);
      return () => (signsInFirst(visit, proofs) ? signInAnew(visit) : sendSetUp(visit, proofs));
    }
    const { language } = visit;
    const data = {
      since: language.t('account.twoStep.on', { date: dayOf(factor.createdAt, language) }),
      left: language.t('account.twoStep.left', { count: factor.recoveryHashes.length }),
    };
    return () => sendAccountPage(visit, { template: 'two-step/page', title: 'account.twoStep.title', data });
  },
  prepared: (request, deps) => takeConfirmedForm(request, turnOn, deps),
};

/** What the form that turns it on does. */
const turnOn: ConfirmedForm<Visit> = async (request) => {
  const sent = await sentStep(request);
  let proofs = noProofs;
  return {
    async look(tx, visit) {
      proofs = await proofsOf(tx, visit);
    },
    begin: (_visit, by) => async (tx, visit) => {
      const { reply, session, member, language, deps } = visit;
      if (!isOffered(visit)) return () => notFound(visit);
      // The secret of one that is on is not put in the place of another by the password alone.
      if ((await findSecondFactor(tx, member.id)) !== null) return () => reply.redirect(url, 303);
      const codes = await takeSetUp(tx, request, member, sent, deps);
      if (codes === null) return () => sendSetUp(visit, proofs, problemsOf(language, 'app'));
      const secret = deps.random.secret();
      const first = by === 'password' ? (['pwd'] as const) : factorsOf(session);
      const factors = [...first, 'otp', 'mfa'] as const;
      await apply(tx, strengthenSession(session, factors, sha256(secret), deps.clock()));
      return () => {
        setSessionCookie(reply, secret);
        return sendRecoveryCodes(reply, { language, codes, next: url });
      };
    },
    refuse: (visit, why) => sendUnconfirmed(visit, why, (one, problem) => sendSetUp(one, proofs, [problem])),
  };
};

/** Whether the tenant offers a second factor to the member. */
const isOffered = ({ member, request }: Visit): boolean =>
  secondFactorPolicy(member, request.tenant) !== 'off';

const notFound = ({ reply, language }: Visit) => sendProblem(reply, 'notFound', { language });

async function sendSetUp(visit: Visit, proofs: Proofs, problems: readonly FieldProblem[] = []) {
  const { reply, member, deps, language } = visit;
  const facts = await setUpFacts(reply, member, deps);
  return sendAccountPage(visit, {
    template: proofs.hasPassword ? 'two-step/on' : 'passkeys/two-step',
    title: 'secondFactor.setUp.title',
    problems,
    data: { ...facts, ...proofsShown(visit, proofs), lead: language.t('secondFactor.setUp.lead') },
  });
}

/** A page whose form takes the password and a code, and does something with the second factor. */
const provenPage = (name: 'codes' | 'off', act: Act<Visit>): AccountPage =>
  passwordedPage<SentCode>({
    url: `${url}/${name}`,
    read: sentCode,
    view: ({ member, language }) => ({
      template: 'two-step/proof',
      title: `account.twoStep.${name}.title`,
      data: {
        email: member.email,
        lead: language.t(`account.twoStep.${name}.lead`),
        action: `${url}/${name}`,
        isGrave: name === 'off',
        submit: language.t(`account.twoStep.${name}.title`),
      },
    }),
    begin: (_visit, sent, sendForm) =>
      withFactor(
        sent,
        sendForm,
        act,
        (_tx, { reply }) =>
          () =>
            reply.redirect(url, 303),
      ),
  });

const codesPage = provenPage('codes', async (tx, visit) => {
  const { request, reply, member, language, deps } = visit;
  const codes = await renewRecoveryCodes(tx, request.tenant, member, deps);
  return () =>
    codes === null ? reply.redirect(url, 303) : sendRecoveryCodes(reply, { language, codes, next: url });
});

const offPage = provenPage('off', async (tx, visit) => {
  const { request, member, deps } = visit;
  await turnOffFactor(tx, request.tenant, member, 'member', deps);
  return () => redirectDone(visit, '/account/sessions', 'twoStepOff');
});

export const twoStepPages: readonly AccountPage[] = [ownPage, codesPage, offPage];

/** Whether it is on, for a row that leads there; null where there is nothing to lead to. */
export async function twoStepRow(tx: Tx, visit: Visit) {
  const { member, language } = visit;
  const factor = await findSecondFactor(tx, member.id);
  if (factor === null) {
    return isOffered(visit)
      ? { about: language.t('account.twoStep.off'), text: 'account.twoStep.turnOn' }
      : null;
  }
  const date = dayOf(factor.createdAt, language);
  return { about: language.t('account.twoStep.on', { date }), text: 'account.manage' };
}
