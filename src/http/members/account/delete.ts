// The page where a member deletes the account.
import type { FastifyReply } from 'fastify';
import { askForDeletion, keepAccount } from '../../../operations/account/account.ts';
import type { FieldProblem } from '../../pages/pages.ts';
import { type AccountPage, redirectDone, sendAccountPage, sendUnconfirmed, type Visit } from './page.ts';
import { dayOf } from './times.ts';

const day = 24 * 60 * 60 * 1_000;

/** GET and POST /account/delete (pages 18). */
export const deletePage: AccountPage = {
  url: '/account/delete',
  show: (_tx, visit) => () => sendForm(visit, []),
  confirmed: () => ({
    refuse: (visit, why) => sendUnconfirmed(visit, why, (wrong) => sendForm(visit, [wrong])),
    begin: () => async (tx, visit) => {
      const { request, reply, member, language, deps } = visit;
      const isAsked = await askForDeletion(tx, request.tenant, member.id, language.tag, deps);
      const problem = { field: 'top', text: language.t('account.delete.lastAdmin') };
      // The page there says when, and has the button that takes it back.
      return () => (isAsked ? reply.redirect('/account', 303) : sendForm(visit, [problem]));
    },
  }),
};

/** POST /account/keep: takes it back. */
export const keepPage: AccountPage = {
  url: '/account/keep',
  async submit(tx, visit) {
    const { request, member, language, deps } = visit;
    await keepAccount(tx, request.tenant, member.id, language.tag, deps);
    return () => redirectDone(visit, '/account', 'kept');
  },
};

function sendForm(visit: Visit, problems: readonly FieldProblem[]): Promise<FastifyReply> {
  const { request, member, language } = visit;
  const { deletionCoolingOff } = request.tenant.limits;
  return sendAccountPage(visit, {
    template: 'delete',
    title: 'account.delete.title',
    problems,
    data: {
      email: member.email,
      lead:
        member.deletionDueAt === null
          ? language.t('account.delete.lead', { days: Math.round(deletionCoolingOff / day) })
          : language.t('account.delete.pending', { date: dayOf(member.deletionDueAt, language.tag) }),
      isPending: member.deletionDueAt !== null,
    },
  });
}
