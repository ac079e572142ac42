import type { LinkedAccount } from '../../../src/core/providers/linked-account.ts';
import { useLinkedAccount } from '../../../src/operations/providers/linked-account.ts';
import { listProviders } from '../../../src/storage/providers/identity-provider.ts';
import { insertLinkedAccount } from '../../../src/storage/providers/linked-account.ts';
import { systemRandom } from '../../../src/system/random.ts';
import { type Example, newMember, type World } from './world.ts';

/** A provider that is on. @returns its key */
async function newProvider({ operate, fresh }: World): Promise<string> {
  const key = fresh('provider');
  const issuer = `https://${key}.example.com`;
  await operate('identityProviders.create', {
    preset: 'oidc',
    key,
    name: key,
    issuer,
    clientId: 'us',
    position: 0,
  });
  return key;
}

const ofProvider: Example = async (world) => ({ key: await newProvider(world) });

/** A member who has linked an account. */
async function newLink(world: World): Promise<LinkedAccount> {
  const { service, tenantId } = world;
  // One provider is enough for all of them.
  const [known] = await service.store.transaction((tx) => listProviders(tx, tenantId, { limit: 1 }));
  const provider = known?.key ?? (await newProvider(world));
  const now = service.clock.now();
  const account: LinkedAccount = {
    id: systemRandom.id(now),
    tenantId,
    memberId: await newMember(world),
    provider,
    issuer: `https://${provider}.example.com`,
    subject: world.fresh('subject'),
    email: 'ada@example.net',
    linkedAt: now,
    lastUsedAt: now,
  };
  await service.store.transaction(async (tx) => {
    await insertLinkedAccount(tx, account);
    const sealing = { vault: service.vault, now };
    await useLinkedAccount(tx, account, { keepTokens: true }, '{"access_token":"kept"}', sealing);
  });
  return account;
}

const ofLink: Example = async (world) => {
  const { id: linkedAccountId, memberId } = await newLink(world);
  return { memberId, linkedAccountId };
};

/** One call of each operation on other providers and the accounts there. */
export const providerExamples: Readonly<Record<string, Example>> = {
  'identityProviders.list': async (world) => {
    await newProvider(world);
    return {};
  },
  'identityProviders.read': ofProvider,
  'identityProviders.create': async ({ fresh }) => ({
    preset: 'google',
    key: fresh('made'),
    name: 'Made "here" – да',
  }),
  'identityProviders.change': async (world) => ({
    ...(await ofProvider(world)),
    name: 'Another name',
    trustsVerifiedEmail: true,
    secret: 'another secret that the provider gave',
  }),
  'identityProviders.disable': ofProvider,
  'identityProviders.enable': async (world) => {
    const named = await ofProvider(world);
    await world.operate('identityProviders.disable', named);
    return named;
  },
  'identityProviders.delete': ofProvider,

  'linkedAccounts.list': async (world) => ({ memberId: (await newLink(world)).memberId }),
  'linkedAccounts.export': async (world) => ({ memberId: (await newLink(world)).memberId }),
  'members.unlinkAccount': ofLink,
};
