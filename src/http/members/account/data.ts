// The pages where a member fetches all data that are held about them, and has them deleted.
import { askForDeletion, keepAccount } from '../../../operations/account/account.ts';
import { wholeMemberData } from '../../../operations/member/member.ts';
import { listConsents } from '../../../storage/access/consent.ts';
import { sendJson } from '../../answers.ts';
import { day } from '../times.ts';
import { type AccountPage, passwordedPage, redirectDone, sendAccountPage } from './page.ts';

/** GET /account/privacy: what is held of a member, what they agreed to, and how they leave (pages 18). */
export const privacyPage: AccountPage = {
  url: '/account/privacy',
  async show(tx, visit) {
    const consents = await listConsents(tx, visit.member.tenantId, { limit: 1 });
    const data = { asksConsents: consents.length > 0 };
    return () => sendAccountPage(visit, { template: 'privacy', title: 'account.privacy.title', data });
  },
};

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
  view({ request, member, language: { t } }) {
    const { email, deletionDueAt } = member;
    const isPending = deletionDueAt !== null;
    const days = Math.round(request.tenant.limits.deletionCoolingOff / day);
    // Every page of the account says when it will be deleted, once that was asked for.
    const data = { email, lead: isPending ? null : t('account.delete.lead', { days }), isPending };
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
