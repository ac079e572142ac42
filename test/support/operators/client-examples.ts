import { type Example, newApi, newClient, newUnverifiedClient, type World } from './world.ts';

const ofClient: Example = async (world) => ({ clientId: await newClient(world) });
const ofApi: Example = async (world) => ({ identifier: await newApi(world) });

const clientBan = async ({ operate, fresh }: World) => {
  const banned = `${fresh('banned')}.example.com`;
  await operate('clientBans.create', { banned });
  return { banned };
};

const registrationToken = async ({ operate }: World) => {
  const { registrationTokenId } = await operate<{ registrationTokenId: string }>(
    'registrationTokens.create',
    { name: 'partners' },
  );
  return { registrationTokenId };
};

/** One call of each operation on APIs, clients, and what lets clients register. */
export const clientExamples: Readonly<Record<string, Example>> = {
  'apis.list': async (world) => {
    await newApi(world);
    return {};
  },
  'apis.read': ofApi,
  'apis.create': async ({ fresh }) => ({
    identifier: `https://${fresh('api')}.example.com/v1`,
    name: 'Invoices',
    scopes: { [fresh('invoices:read')]: 'See "your" invoices' },
    accessTokenAlgorithm: 'RS256',
    unverifiedClients: true,
  }),
  'apis.change': async (world) => ({ ...(await ofApi(world)), name: 'Invoices and more' }),
  'apis.delete': ofApi,

  'clients.list': async (world) => {
    await newClient(world);
    return {};
  },
  'clients.read': ofClient,
  'clients.create': async ({ fresh }) => ({
    kind: 'website',
    clientId: fresh('made'),
    name: 'Made here',
    address: 'https://app.example.com',
    redirectUris: ['https://app.example.com/callback', 'https://app.example.com/other?x=1&y=%20'],
    accessTokenAlgorithm: 'RS256',
    idTokenAlgorithm: 'ES256',
    accessTokenSeconds: 600,
  }),
  'clients.change': async (world) => ({
    ...(await ofClient(world)),
    name: 'Ändret "so" – да',
    signupDisabled: true,
    pushedRequests: 'allowed',
    webOrigins: [],
    thirdParty: true,
    claimsInIdToken: false,
    claimsParameter: true,
  }),
  'logoutNotices.list': ofClient,
  'reuses.list': async (world) => ({ ...(await ofClient(world)), reuse: 'theft' }),
  'clients.disable': ofClient,
  'clients.enable': ofClient,
  'clients.setDeviceFlow': async (world) => ({ ...(await ofClient(world)), enabled: true }),
  'clients.addSecret': async (world) => ({ clientId: await newClient(world, 'confidential') }),
  'clients.removeSecret': async (world) => {
    const clientId = await newClient(world, 'confidential');
    const added = await world.operate<{ secretId: string }>('clients.addSecret', { clientId });
    return { clientId, secretId: added.secretId };
  },

  'unverifiedClients.list': async (world) => {
    await newUnverifiedClient(world);
    return {};
  },
  'unverifiedClients.ban': async (world) => ({ clientId: await newUnverifiedClient(world) }),
  'clientBans.list': async (world) => {
    await clientBan(world);
    return {};
  },
  'clientBans.create': async ({ fresh }) => ({ banned: `${fresh('banned')}.example.com` }),
  'clientBans.delete': clientBan,
  'registrationTokens.list': async (world) => {
    await registrationToken(world);
    return {};
  },
  'registrationTokens.create': async () => ({
    name: 'partners',
    uses: 3,
    expiresAt: '2036-01-01T00:00:00.000Z',
  }),
  'registrationTokens.delete': registrationToken,
};
