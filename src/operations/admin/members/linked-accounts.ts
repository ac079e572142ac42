// The operations on the accounts of other providers that a member signs in with.
import { isoTime } from '../../../core/access/iso-time.ts';
import type { LinkedAccount } from '../../../core/providers/linked-account.ts';
import { listProviders } from '../../../storage/providers/identity-provider.ts';
import { findKeptTokens, listLinkedAccounts } from '../../../storage/providers/linked-account.ts';
import * as s from '../../json-schema.ts';
import { unlinkAccount } from '../../providers/linked-account.ts';
import { conflict, unknown } from '../../refusal.ts';
import { type OnTenant, onTenant } from '../define.ts';
import { keyedList } from '../list.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { providerKeyField } from '../providers/provider.ts';
import { concernedMember, manageableMember, memberField, memberFor } from './member.ts';

const linkedAccountIdField = s.text('The id of the link', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a05');

export const linkedAccountSchema = s.resource('LinkedAccount', 'An account of another provider', {
  id: linkedAccountIdField,
  provider: providerKeyField,
  providerName: s.text('What members read on its button', 'Google'),
  email: s.text('The address that the provider named when it was linked; empty if none', 'ada@example.com'),
  issuer: s.text('Who says so', 'https://accounts.google.com'),
  subject: s.text('What the account is called there', '110169484474386276334'),
  linkedAt: s.time('When it was linked'),
  lastUsedAt: s.time('When the member last signed in with it'),
});

/** Accounts as they are answered, each with what its provider is called. */
export async function linkedAccountAnswers(
  accounts: readonly LinkedAccount[],
  { tx, tenant }: OnTenant<OperationContext>,
) {
  const providers = accounts.length === 0 ? [] : await listProviders(tx, tenant.id);
  const names = new Map(providers.map(({ key, name }) => [key, name]));
  return accounts.map((account) =>
    s.pick(linkedAccountSchema, {
      ...account,
      providerName: names.get(account.provider) ?? account.provider,
      linkedAt: isoTime(account.linkedAt),
      lastUsedAt: isoTime(account.lastUsedAt),
    }),
  );
}

const fields = { memberId: memberField };
const ofAccount = { ...fields, linkedAccountId: linkedAccountIdField };

const listed = onTenant(
  keyedList({
    name: 'linkedAccounts.list',
    summary: 'List the accounts of other providers that a member signs in with',
    permission: 'members:read',
    route: 'GET /members/{memberId}/linked-accounts',
    title: 'Other accounts',
    lead: 'The accounts of other providers that a member signs in with.',
    columns: ['providerName', 'email', 'subject', 'linkedAt', 'lastUsedAt'],
    entry: { field: 'linkedAccountId', key: 'id' },
    of: 'linkedAccounts',
    page: 'A page of accounts, in the order in which they were linked',
    fields,
    schema: linkedAccountSchema,
    read: async (context, page, { memberId }) => {
      const { id } = await memberFor(context, memberId);
      return linkedAccountAnswers(await listLinkedAccounts(context.tx, id, page), context);
    },
  }),
);

const unlinked = onTenant({
  name: 'members.unlinkAccount',
  summary: 'Take an account of another provider from a member; the last way in stays',
  portal: { page: ['members.read', 'linkedAccounts.list'], reads: 'linkedAccounts.list', ends: 'forNow' },
  permission: 'members:write',
  route: 'DELETE /members/{memberId}/linked-accounts/{linkedAccountId}',
  fields: ofAccount,
  output: concernedMember,
  run: async (context, { memberId, linkedAccountId }) => {
    const member = await manageableMember(context, memberId);
    const { tx, tenant, mails, now } = context;
    const deps = { clock: () => now, mails };
    const outcome = await unlinkAccount(tx, tenant, member, linkedAccountId, deps);
    if (outcome === null) throw unknown('linked account');
    if (outcome === 'last') throw conflict('linkedAccountId', 'last_way_in');
    return { id: member.id };
  },
});

/** What providers gave for a member, for programs that call them. */
const tokensExported = onTenant({
  name: 'linkedAccounts.export',
  summary:
    'Write the tokens that providers gave when the member last signed in, where they are kept, to a file',
  portal: { page: 'linkedAccounts.list' },
  permission: 'members:write',
  route: 'GET /members/{memberId}/linked-account-tokens',
  fields,
  output: s.exactly('A file', { text: s.text('The token responses, as JSON', '[]\n') }),
  mediaType: 'application/json; charset=utf-8',
  audited: true,
  run: async (context, { memberId }) => {
    const { tx, tenant, vault } = context;
    const member = await manageableMember(context, memberId);
    const kept: object[] = [];
    for (const account of await listLinkedAccounts(tx, member.id)) {
      const sealed = await findKeptTokens(tx, account);
      if (sealed === null) continue;
      const { provider, issuer, subject } = account;
      const tokens: unknown = JSON.parse(vault.decrypt(sealed, tenant.id).toString());
      kept.push({ provider, issuer, subject, tokens });
    }
    return { text: `${JSON.stringify(kept, null, 2)}\n` };
  },
});

export const linkedAccountOperations: readonly Operation[] = [listed, unlinked, tokensExported];
