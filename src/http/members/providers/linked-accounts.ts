// The account pages of linked accounts: which there are, and how one more comes to them or one goes.
import { shownName } from '../../../core/members/details.ts';
import type { LinkedAccount } from '../../../core/providers/linked-account.ts';
import { unlinkAccount } from '../../../operations/providers/linked-account.ts';
import { findProviders, listProviders } from '../../../storage/providers/identity-provider.ts';
import { listLinkedAccounts } from '../../../storage/providers/linked-account.ts';
import type { Tx } from '../../../storage/store.ts';
import { pathOf } from '../../address.ts';
import { pageForm } from '../../form.ts';
import { ownFlow } from '../../oidc/flow.ts';
import type { Answer } from '../../pages/guarded-page.ts';
import { sendProblem } from '../../pages/problem.ts';
import {
  type AccountPage,
  passwordedPage,
  redirectDone,
  sendAccountPage,
  type Visit,
} from '../account/page.ts';
import { agoOf, dayOf } from '../times.ts';
import { sendFailed, wayTo } from './providers.ts';

const url = '/account/accounts';
const connectUrl = '/account/accounts/connect';

/** GET and POST /account/accounts: the accounts of other providers that the member signs in with (decision 46). */
const listPage: AccountPage = {
  url,
  async show(tx, visit) {
    return sendList(visit, await accountsOf(tx, visit), null);
  },
  async submit(tx, visit) {
    const { request, reply, member, language, deps } = visit;
    const { account: id = '' } = pageForm(request, ['account']);
    const before = await accountsOf(tx, visit);
    const outcome = await unlinkAccount(tx, request.tenant, member, id, deps);
    if (outcome === null) return () => sendProblem(reply, 'notFound', { language });
    if (outcome === 'last') return sendList(visit, before, language.t('account.accounts.last'));
    const name = before.rows.find((row) => row.id === id)?.name ?? '';
    return () => redirectDone(visit, url, 'unlinked', { name });
  },
};

interface Accounts {
  readonly rows: readonly ReturnType<typeof rowOf>[];
  /** The providers that one more account can come from. */
  readonly offered: readonly { readonly name: string; readonly href: string }[];
}

async function accountsOf(tx: Tx, visit: Visit): Promise<Accounts> {
  const { member } = visit;
  const names = new Map((await listProviders(tx, member.tenantId)).map(({ key, name }) => [key, name]));
  const linked = await listLinkedAccounts(tx, member.id);
  return {
    rows: linked.map((account) => rowOf(visit, account, shownName(names.get(account.provider) ?? ''))),
    offered: (await findProviders(tx, member.tenantId))
      .filter(({ key }) => linked.every(({ provider }) => provider !== key))
      .map(({ key, name }) => ({ name: shownName(name), href: `${connectUrl}/${key}` })),
  };
}

function rowOf({ language, deps }: Visit, { id, email, linkedAt, lastUsedAt }: LinkedAccount, name: string) {
  const since = language.t('account.accounts.since', { date: dayOf(linkedAt, language) });
  const used = agoOf(lastUsedAt, deps.clock(), language);
  return { id, name, about: [email, used, since].filter((part) => part !== '') };
}

function sendList(visit: Visit, { rows, offered }: Accounts, problem: string | null): Answer {
  return () =>
    sendAccountPage(visit, {
      template: 'accounts/list',
      title: 'account.accounts.title',
      problems: problem === null ? [] : [{ field: 'top', text: problem }],
      data: { rows, offered, lead: visit.language.t('account.accounts.lead'), links: { here: url } },
    });
}

/**
 * GET and POST /account/accounts/connect/:provider: leaves to the provider once the member proved that the account here is
 * hers, so that a stolen cookie links nothing. A form may not lead away from us (W1): the page that follows does.
 */
const connectPage: AccountPage = passwordedPage({
  url: `${connectUrl}/:provider`,
  read: () => null,
  view: ({ request, language }) => ({
    template: 'confirm',
    title: 'account.accounts.add',
    data: { action: pathOf(request), lead: language.t('account.accounts.confirm') },
  }),
  begin: () => async (tx, visit) => {
    const { request, reply, member, session, language, deps } = visit;
    const { provider: key } = request.params as { readonly provider: string };
    const provider = (await findProviders(tx, member.tenantId)).find((one) => one.key === key);
    if (provider === undefined) return () => sendProblem(reply, 'providerGone', { language });
    const flow = ownFlow(url, deps);
    return async () => {
      const asked = await wayTo(reply, provider, { flow, linkTo: session.id }, deps);
      if (asked.kind === 'failed') return sendFailed(reply, provider, flow, asked.reason, deps);
      const { href } = asked.value;
      return sendAccountPage(
        { ...visit, reply: reply.header('refresh', `0;url=${href}`) },
        {
          template: 'accounts/leaving',
          title: 'account.accounts.leaving',
          titleValues: { provider: shownName(provider.name) },
          data: { href, lead: language.t('account.accounts.leaving.lead') },
        },
      );
    };
  },
});

/** How many accounts a member has linked, in words; null where there is nothing to link. */
export async function accountsWords(tx: Tx, { member, language }: Visit): Promise<string | null> {
  const { length: count } = await listLinkedAccounts(tx, member.id);
  if (count > 0) return language.t('account.accounts.count', { count });
  const offered = await findProviders(tx, member.tenantId);
  return offered.length === 0 ? null : language.t('account.accounts.none');
}

export const linkedAccountPages: readonly AccountPage[] = [listPage, connectPage];
