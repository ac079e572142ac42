// The pages where a member fetches all data that are held about them, and has them deleted.
import { askForDeletion, keepAccount } from '../../../operations/account/account.ts';
import { wholeMemberData } from '../../../operations/member/member.ts';
import { sendJson } from '../../answers.ts';
import { day, dayOf } from '../times.ts';
import { type AccountPage, passwordedPage, redirectDone } from './page.ts';

/** GET and POST /account/data: everything that is held of a member, as JSON (GDPR art. 15 and 20; pages 18). */
export const dataPage: AccountPage = passwordedPage({
  url: '/account/data',
  read: () => null,
  view: ({ member: { email } }) => ({ template: 'data', title: 'account.data.title', data: { email } }),
  begin:
    () =>
    async (tx, { reply, member, deps }) => {
      const data = await wholeMemberData(tx, member, deps.clock());
      return () => sendJson(reply.header('content-disposition', 'attachment; filename="my-data.json"'), data);
    },
});

/** GET and POST /account/delete (pages 18). */
export const deletePage: AccountPage = passwordedPage({
  url: '/account/delete',
  read: () => null,
  view({ request, member, language: { t, tag } }) {
    const { deletionCoolingOff } = request.tenant.limits;
    const { email, deletionDueAt } = member;
    const lead =
      deletionDueAt === null
        ? t('account.delete.lead', { days: Math.round(deletionCoolingOff / day) })
        : t('account.delete.pending', { date: dayOf(deletionDueAt, tag) });
    const data = { email, lead, isPending: deletionDueAt !== null };
    return { template: 'delete', title: 'account.delete.title', data };
  },
  begin: (_visit, _sent, sendForm) => async (tx, visit) => {
    const { request, reply, member, language, deps } = visit;
    const isAsked = await askForDeletion(tx, request.tenant, member.id, language.tag, deps);
    const problem = { field: 'top', text: language.t('account.delete.lastAdmin') };
    // The page there says when, and has the button that takes it back.
    return () => (isAsked ? reply.redirect('/account', 303) : sendForm(visit, problem));
  },
});

/** POST /account/keep: takes it back. */
export const keepPage: AccountPage = {
  url: '/account/keep',
  async submit(tx, visit) {
    const { request, member, language, deps } = visit;
    await keepAccount(tx, request.tenant, member.id, language.tag, deps);
    return () => redirectDone(visit, '/account', 'kept');
  },
};
