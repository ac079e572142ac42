import { registerProvider } from '../../../../src/operations/providers/identity-provider.ts';
import { seal } from '../../../../src/secrets/seal.ts';
import { insertLinkedAccount } from '../../../../src/storage/providers/linked-account.ts';
import { systemRandom } from '../../../../src/system/random.ts';
import { appleKey } from '../../providers/hostile.ts';
import type { TestService } from '../../service.ts';
import { type Cell, noId } from './cell.ts';
import { accountToken, flowOf, inQuery, sealCell } from './seal-cells.ts';
import type { Side } from './side.ts';

/** Where no provider answers. */
const issuer = 'https://127.0.0.1:9';

const keyOf = (host: string) => `only-${host.charAt(0)}`;

/** Registers a provider that each tenant has, and one that it has alone, which answers by a form. */
export async function prepareProviders({ store, vault, clock }: TestService, tenantId: string, host: string) {
  const each = {
    key: 'each',
    preset: 'oidc',
    name: 'Each',
    clientId: 'us',
    issuer,
    secret: 'secret',
  } as const;
  const apple = {
    preset: 'apple',
    issuer: 'https://appleid.apple.com',
    teamId: 'ABCDE12345',
    keyId: 'ABC123DEFG',
    secret: appleKey,
  } as const;
  await store.transaction(async (tx) => {
    for (const registration of [each, { ...each, ...apple, key: keyOf(host) }]) {
      await registerProvider(tx, tenantId, registration, { vault, now: clock.now() });
    }
  });
}

const providerKeys = (
  [
    ['GET', '/sign-in/with', (side, key) => side.browser.send(`/sign-in/with/${key}?flow=${flowFor(side)}`)],
    [
      'POST',
      '/sign-in/from',
      ({ browser }, key) => browser.send(`/sign-in/from/${key}`, { body: { state: 'x' } }),
    ],
  ] as const satisfies readonly (readonly [string, string, Cell['use']])[]
).map(
  ([method, path, use]): Cell => ({
    artefact: 'provider key',
    route: `${method} ${path}/:provider`,
    make: ({ host }) => keyOf(host),
    madeUp: () => 'only-z',
    use,
  }),
);

const flowFor = (side: Side) => seal(side.tenant.tokenKey, 'flow', side.browserSecret, flowOf(side));

/** A member on the way to the provider that each tenant has. */
const awayOf = (side: Side) => ({
  id: systemRandom.id(side.service.clock.now()),
  provider: 'each',
  issuer,
  startedAt: side.service.clock.now(),
  flow: flowOf(side),
  linkTo: null,
});

const ways: readonly Cell[] = [
  sealCell('flow', 'GET /sign-in/with/:provider', 'flow', flowOf, inQuery('/sign-in/with/each', 'flow')),
  sealCell('way to a provider', 'GET /sign-in/from/:provider', 'away', awayOf, ({ browser }, state) =>
    browser.send(`/sign-in/from/each?error=access_denied&state=${state}`),
  ),
  sealCell(
    'answer of a provider',
    'GET /sign-in/from/:provider',
    'answer',
    (side) => ({
      state: seal(side.tenant.tokenKey, 'away', side.browserSecret, awayOf(side)),
      error: 'access_denied',
    }),
    inQuery('/sign-in/from/each', 'answer'),
  ),
];

const account: Cell = {
  artefact: 'linked account id',
  route: 'POST /account/accounts',
  make: async ({ service, tenant, memberId }) => {
    const now = service.clock.now();
    const id = systemRandom.id(now);
    const at = { linkedAt: now, lastUsedAt: now, tokens: null };
    const link = {
      id,
      tenantId: tenant.id,
      memberId,
      provider: 'each',
      issuer,
      subject: id,
      email: '',
      ...at,
    };
    await service.store.transaction((tx) => insertLinkedAccount(tx, link));
    return id;
  },
  madeUp: noId,
  use: (side, id) =>
    side.browser.send('/account/accounts', {
      body: { token: accountToken(side), account: id },
    }),
};

export const providerCells: readonly Cell[] = [...providerKeys, ...ways, account];
