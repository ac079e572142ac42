// The pages of accounts at other providers, and how a browser comes to see each.
import type { PendingAccount } from '../../../../src/core/providers/linked-account.ts';
import { registerProvider } from '../../../../src/operations/providers/identity-provider.ts';
import { seal, unseal } from '../../../../src/secrets/seal.ts';
import { findMemberByEmail } from '../../../../src/storage/members/member.ts';
import { findProviders } from '../../../../src/storage/providers/identity-provider.ts';
import { insertLinkedAccount, listLinkedAccounts } from '../../../../src/storage/providers/linked-account.ts';
import { run } from '../../operators/desk.ts';
import type { View } from '../browser.ts';
import type { Site } from '../site.ts';

/** Nothing listens there. */
const nowhere = 'http://127.0.0.1:9';

/** Gives Acme two providers, once: a known one, and one of a long name that does not answer. */
export async function giveProviders({ service, issuer }: Site): Promise<void> {
  const { vault, clock } = service;
  const tenantId = String(service.tenants.byHost(new URL(issuer).host)?.id);
  const common = { clientId: 'us', secret: 'secret-at-the-provider' };
  await service.store.transaction(async (tx) => {
    if ((await findProviders(tx, tenantId)).length > 0) return;
    for (const provider of [
      { ...common, preset: 'google', key: 'google' },
      { ...common, preset: 'oidc', key: 'silent', name: `${'Nordic '.repeat(7)}Media`, issuer: nowhere },
    ] as const) {
      await registerProvider(tx, tenantId, provider, { vault, now: clock.now() });
    }
  });
}

/** Links accounts to a member, once: of each provider, so that none is left to be added. @returns her id */
export async function linkAccounts(site: Site, email: string): Promise<string> {
  await giveProviders(site);
  const { service, issuer } = site;
  const tenantId = String(service.tenants.byHost(new URL(issuer).host)?.id);
  return service.store.transaction(async (tx) => {
    const found = await findMemberByEmail(tx, tenantId, email);
    if (found === null) throw new Error(`${email} is missing`);
    const { id: memberId } = found.member;
    if ((await listLinkedAccounts(tx, memberId)).length > 0) return memberId;
    const at = service.clock.now();
    for (const { key: provider, issuer: by } of await findProviders(tx, tenantId)) {
      const id = `${provider}-${memberId}`;
      const named = provider === 'google' ? `${'a.very.long.address.'.repeat(4)}@example.net` : '';
      const account = { id, tenantId, memberId, provider, issuer: by, subject: id, email: named };
      await insertLinkedAccount(tx, { ...account, linkedAt: at, lastUsedAt: at });
    }
    return memberId;
  });
}

/** The sign-in page with every way in: a password, a passkey, a code by mail, and accounts of others. */
async function openAllWays({ page }: View, site: Site, more: Record<string, string> = {}): Promise<void> {
  await giveProviders(site);
  const { host: tenant } = new URL(site.issuer);
  await run(site.service, 'tenants.change', { tenant, emailCodes: 'beside' });
  await page.goto(site.authorization(more));
}

/** Lets Google's document be known, as if it had been fetched: nothing is called. */
export function knowGoogle({ service }: Site): void {
  const issuer = 'https://accounts.google.com';
  const text = JSON.stringify({
    issuer,
    authorization_endpoint: `${issuer}/o/oauth2/v2/auth`,
    token_endpoint: 'https://oauth2.googleapis.com/token',
    jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  });
  const place = `true google ${issuer}/.well-known/openid-configuration`;
  service.deps.providerDocuments.known.set(place, { text, fetchedAt: service.clock.now() });
}

/** Opens a page of a way in with an account that was proven at a provider, and waits to be linked. */
async function openWaiting(
  view: View,
  site: Site,
  path: '/sign-in' | '/sign-up',
  more: Record<string, string> = {},
): Promise<void> {
  await openAllWays(view, site, more);
  const { page, context } = view;
  const tenant = site.service.tenants.byHost(new URL(site.issuer).host);
  const browser = (await context.cookies()).find(({ name }) => name.endsWith('-browser'))?.value ?? '';
  const text = await page.inputValue('input[name=flow]');
  const flow = tenant === null ? null : unseal(tenant.tokenKey, 'flow', browser, text);
  if (tenant === null || flow?.kind !== 'opened') throw new Error('the page has no flow');
  const account: PendingAccount = {
    provider: 'google',
    issuer: 'https://accounts.google.com',
    subject: '110169484474386276334',
    email: `${'a.very.long.address.'.repeat(2)}@example.net`,
    name: 'Nora Lind',
    isEmailProven: false,
    at: site.service.clock.now(),
  };
  const waiting = { ...(flow.value as object), account };
  const sealed = seal(tenant.tokenKey, 'flow', browser, waiting, { isHidden: true });
  await page.goto(`${site.issuer}${path}?flow=${sealed}`);
}

/** The pages that lead to other providers. They come last: all that follows shows every way in. */
export const providerPages: Readonly<Record<string, (view: View, site: Site) => Promise<unknown>>> = {
  'sign-in with all ways': (view, site) => openAllWays(view, site),
  'sign-in with all ways, Arabic': (view, site) => openAllWays(view, site, { ui_locales: 'ar' }),
  'sign-up beside other providers': (view, site) => openAllWays(view, site, { prompt: 'create' }),
  'sign-in with an account that waits': (view, site) => openWaiting(view, site, '/sign-in'),
  'sign-in with an account that waits, Arabic': (view, site) =>
    openWaiting(view, site, '/sign-in', { ui_locales: 'ar' }),
  'sign-up with an account that waits': (view, site) => openWaiting(view, site, '/sign-up'),
  'sign-up with an account that waits, Arabic': (view, site) =>
    openWaiting(view, site, '/sign-up', { ui_locales: 'ar' }),
  'other provider that does not answer, an error': async (view, site) => {
    await openAllWays(view, site);
    await view.page.click('a[href*="/sign-in/with/silent"]');
  },
};
