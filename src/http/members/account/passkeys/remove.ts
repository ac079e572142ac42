// The account page where a member removes a passkey.
import { removePasskey } from '../../../../operations/passkey/passkeys.ts';
import { findPasskey } from '../../../../storage/members/passkey.ts';
import type { Tx } from '../../../../storage/store.ts';
import { pageForm, pageQuery } from '../../../form.ts';
import { type AccountPage, passwordedPage, redirectDone, type Visit } from '../page.ts';
import { passkeysUrl } from './list.ts';

const page = passwordedPage({
  url: `${passkeysUrl}/remove`,
  read: (request) => pageForm(request, ['passkeyId']).passkeyId ?? '',
  look: async (tx, visit, sent) => ({ found: await passkeyIn(tx, visit, sent) }),
  view: (_visit, _sent, { found }) => ({
    template: 'passkeys/remove',
    title: 'account.passkeys.remove.title',
    data: { id: found?.id ?? '', name: found?.name ?? '' },
  }),
  begin: (_visit, sent, sendForm) => async (tx, visit) => {
    const { request, member, language, deps } = visit;
    const passkey = await passkeyIn(tx, visit, sent);
    // It was removed on another page.
    if (passkey === null) return () => visit.reply.redirect(passkeysUrl, 303);
    const by = { ...deps, language: language.tag };
    const isRemoved = await removePasskey(tx, request.tenant, member, passkey, by);
    if (isRemoved) return () => redirectDone(visit, passkeysUrl, 'passkeyRemoved');
    return () => sendForm(visit, { field: 'top', text: language.t('account.passkeys.last') });
  },
});

const passkeyIn = (tx: Tx, { request, member }: Visit, sent: string | null) =>
  findPasskey(tx, member.id, sent ?? pageQuery(request, ['passkey']).passkey ?? '');

/** GET and POST /account/passkeys/remove: names what is removed, and asks once more who it is. */
export const removePasskeyPage: AccountPage = {
  ...page,
  async show(tx, visit, next) {
    const isThere = (await passkeyIn(tx, visit, null)) !== null;
    return isThere && page.show !== undefined
      ? page.show(tx, visit, next)
      : () => visit.reply.redirect(passkeysUrl, 303);
  },
};
