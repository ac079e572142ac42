// The buttons that lead to other providers, on the pages that lead in.
import type { FastifyRequest } from 'fastify';
import { shownName } from '../../../core/members/details.ts';
import { isFresh, type PendingAccount } from '../../../core/providers/linked-account.ts';
import { findProviders } from '../../../storage/providers/identity-provider.ts';
import type { Language } from '../../../text/language.ts';
import { transactionOf } from '../../audit.ts';
import type { Deps } from '../../deps.ts';
import type { Flow } from '../../oidc/flow.ts';
import { emphasized, type Lead } from '../../pages/lead.ts';

/** A provider as a page shows it. */
export interface ProviderButton {
  readonly key: string;
  readonly name: string;
  readonly href: string;
}

export const providersUrl = '/sign-in/with';

/** The buttons of a page, the same for each visitor. @param sealed the flow that they lead on in */
export async function providerButtons(
  request: FastifyRequest,
  sealed: string,
  deps: Pick<Deps, 'clock' | 'store' | 'tenants'>,
): Promise<readonly ProviderButton[]> {
  const providers = await transactionOf(request, deps, (tx) => findProviders(tx, request.tenant.id));
  return providers.map(({ key, name }) => ({
    key,
    name: shownName(name),
    href: `${providersUrl}/${key}?flow=${sealed}`,
  }));
}

/** The account that waits in a flow to be linked, if it still counts. */
export function pendingAccount({ account }: Flow, now: number) {
  return account !== undefined && isFresh(account, now) ? account : null;
}

/** What a page says of the account that waits: which it is. @returns null where none does */
export function accountWords(
  account: PendingAccount | null,
  providers: readonly ProviderButton[],
  language: Language,
  key: string,
): Lead | null {
  const provider = providers.find((one) => one.key === account?.provider);
  if (account === null || provider === undefined) return null;
  const { email } = account;
  const named = email === null ? provider.name : `${provider.name} (${shownName(email)})`;
  return emphasized(language, key, { account: named });
}
