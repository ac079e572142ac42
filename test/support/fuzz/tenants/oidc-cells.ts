import { codesFor, deviceGrant, devicePath, pageOf, poll } from '../../device.ts';
import { secrets } from '../../fixtures.ts';
import type { Answer } from '../../http.ts';
import { adminToken } from '../../operators/api.ts';
import { apps, refreshAs, revoke } from '../../tokens.ts';
import { authorizationParameters, field, token, tokensFor } from '../../visitor.ts';
import { type Cell, scrambled, unsealed } from './cell.ts';
import { browserWith, cookieNames, type Side } from './side.ts';

const { pub1 } = apps;
const challengeOf = {
  verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
};
const asked = (clientId: string, redirectUri: string, more: Record<string, string> = {}) =>
  authorizationParameters(clientId, redirectUri, challengeOf, more);

const get = (side: Side, path: string, query: Record<string, string>) =>
  side.browser.send(`${path}?${new URLSearchParams(query)}`);
const post = (side: Side, path: string, body: Record<string, string>) => side.browser.send(path, { body });

/** A code of pub1 with a verifier that both tenants know, so that only the tenant decides. */
const codeOf = async ({ browser }: Side) => {
  const answer = await browser.authorize(asked('pub1', pub1.redirectUri));
  return new URL(String(answer.headers.location)).searchParams.get('code') ?? '';
};

const tokensOf = (side: Side) => tokensFor(side.service, side.host, {}, side.browser);
const tokenRoute = 'POST /api/oidc/token';
const pushPath = '/api/oidc/par';
const pushRoute = `POST ${pushPath}`;
const introspectPath = '/api/oidc/introspect';
const introspectRoute = `POST ${introspectPath}`;
const revokeRoute = 'POST /api/oidc/token/revocation';

const exchange = ({ service, host }: Side, code: string, more: Record<string, string> = {}) =>
  token(service, host, {
    grant_type: 'authorization_code',
    client_id: 'pub1',
    code,
    code_verifier: challengeOf.verifier,
    ...more,
  });

/** A token of the admin API for every tenant, by its service: it is made before what a cell is used for. */
const operators = new WeakMap<object, string>();

const codesAndTokens: readonly Cell[] = [
  { artefact: 'authorization code', route: tokenRoute, make: codeOf, madeUp: scrambled, use: exchange },
  {
    artefact: 'refresh token',
    route: tokenRoute,
    make: async (side) => String((await tokensOf(side)).refresh_token),
    madeUp: scrambled,
    use: ({ service, host }, value) => refreshAs(service, host, pub1, value),
  },
  {
    artefact: 'refresh token',
    route: revokeRoute,
    make: async (side) => String((await tokensOf(side)).refresh_token),
    madeUp: scrambled,
    use: ({ service, host }, value) => revoke(service, host, { token: value, client_id: 'pub1' }),
  },
  ...(['access token', 'refresh token'] as const).map(
    (artefact): Cell => ({
      artefact,
      route: introspectRoute,
      make: async (side) => {
        const { access_token: accessToken, refresh_token: refreshToken } = await tokensOf(side);
        operators.set(side.service, await adminToken(side.service));
        return artefact === 'access token' ? accessToken : String(refreshToken);
      },
      madeUp: scrambled,
      use: async ({ service, host }, value) => {
        const authorization = `Bearer ${operators.get(service)}`;
        return service.http(host, introspectPath, { body: { token: value }, headers: { authorization } });
      },
    }),
  ),
  {
    artefact: 'request_uri',
    route: 'GET /api/oidc/auth',
    make: async ({ service, host }) => {
      const pushed = await service.http(host, pushPath, { body: asked('pub1', pub1.redirectUri) });
      return pushed.json<{ request_uri: string }>().request_uri;
    },
    madeUp: (genuine) => genuine.replace(/[^:]+$/, scrambled),
    use: (side, value) => get(side, '/api/oidc/auth', { client_id: 'pub1', request_uri: value }),
  },
  {
    artefact: 'device code',
    route: tokenRoute,
    make: async ({ service, host }) => (await codesFor(service, host)).device_code,
    madeUp: scrambled,
    use: ({ service, host }, value) => poll(service, host, value),
  },
  {
    artefact: 'user code',
    route: 'GET /device',
    make: async ({ service, host }) => (await codesFor(service, host)).user_code,
    // Two of a million that are not taken; a pending code in them would fail the comparison.
    madeUp: (genuine) => (genuine === '000 001' ? '000 002' : '000 001'),
    use: ({ browser }, value) => browser.send(pageOf(value)),
    counts: ['wrongUserCodes'],
  },
  {
    artefact: 'approve page proof',
    route: 'POST /device/approve',
    make: async (side) => {
      const codes = await codesFor(side.service, side.host);
      return field(await side.browser.send(pageOf(codes.user_code)), 'confirm');
    },
    madeUp: unsealed,
    use: (side, confirm) => post(side, '/device/approve', { confirm, verdict: 'approve' }),
    counts: ['wrongUserCodes'],
  },
  ...(['GET /device/approved', 'GET /device/rejected', 'POST /device/sign-out'] as const).map(
    (route): Cell => {
      const [method, path = ''] = route.split(' ');
      return {
        artefact: 'decision on a TV',
        route,
        make: async (side) => {
          const codes = await codesFor(side.service, side.host);
          const confirm = field(await side.browser.send(pageOf(codes.user_code)), 'confirm');
          const { headers } = await post(side, '/device/approve', { confirm, verdict: 'approve' });
          return String(String(headers.location).split('decided=')[1]);
        },
        madeUp: unsealed,
        use: (side, decided) =>
          method === 'GET' ? side.browser.send(`${path}?decided=${decided}`) : post(side, path, { decided }),
      };
    },
  ),
];

const bearer = ({ service, host }: Side, method: string, value: string): Promise<Answer> =>
  service.http(host, '/api/oidc/me', { method, headers: { authorization: `Bearer ${value}` } });
const accessTokenOf = async (side: Side) => (await tokensOf(side)).access_token;
const hintOf = async (side: Side) => (await tokensOf(side)).id_token;
const hinted = (id_token_hint: string) => asked('pub1', pub1.redirectUri, { prompt: 'none', id_token_hint });
const sentOut = (id_token_hint: string) => ({
  id_token_hint,
  post_logout_redirect_uri: 'https://app.test/out',
});
/** An id_token of a client that has a place to go on to. */
const hintOfConf1 = async (side: Side) => {
  const { service, host, browser } = side;
  const app = { clientId: 'conf1', redirectUri: 'https://app.test/cb', secret: secrets.conf1 };
  return (await tokensFor(service, host, app, browser)).id_token;
};

const jwts: readonly Cell[] = [
  ...(['GET', 'POST'] as const).map(
    (method): Cell => ({
      artefact: 'access token',
      route: `${method} /api/oidc/me`,
      make: accessTokenOf,
      madeUp: scrambled,
      use: (side, value) => bearer(side, method, value),
    }),
  ),
  {
    artefact: 'access token',
    route: 'POST /api/oidc/me',
    how: 'in the body',
    make: accessTokenOf,
    madeUp: scrambled,
    use: ({ service, host }, value) => service.http(host, '/api/oidc/me', { body: { access_token: value } }),
  },
  {
    artefact: 'id_token_hint',
    route: 'GET /api/oidc/auth',
    make: hintOf,
    madeUp: scrambled,
    use: (side, value) => get(side, '/api/oidc/auth', hinted(value)),
  },
  {
    artefact: 'id_token_hint',
    route: 'POST /api/oidc/auth',
    make: hintOf,
    madeUp: scrambled,
    use: (side, value) => post(side, '/api/oidc/auth', hinted(value)),
  },
  {
    artefact: 'id_token_hint',
    route: 'GET /api/oidc/session/end',
    make: hintOfConf1,
    madeUp: scrambled,
    use: (side, value) => get(side, '/api/oidc/session/end', sentOut(value)),
  },
  {
    artefact: 'id_token_hint',
    route: 'POST /api/oidc/session/end',
    make: hintOfConf1,
    madeUp: scrambled,
    use: (side, value) => post(side, '/api/oidc/session/end', sentOut(value)),
  },
];

/** Registered on one side alone; see `registerOnly`. */
const onlyClient = (side: Side) => `only-${side.host.charAt(0)}`;
const unknownClient = () => 'only-0';
const redirectUri = 'https://only.test/cb';

const clientIds: readonly Cell[] = [
  ...(
    [
      ['GET /api/oidc/auth', (side, id) => get(side, '/api/oidc/auth', asked(id, redirectUri))],
      ['POST /api/oidc/auth', (side, id) => post(side, '/api/oidc/auth', asked(id, redirectUri))],
      [
        `POST ${devicePath}`,
        (side, id) => side.service.http(side.host, devicePath, { body: { client_id: id, scope: 'openid' } }),
      ],
      [tokenRoute, (side, id) => exchange(side, 'x', { client_id: id }), 'code'],
      [
        tokenRoute,
        ({ service, host }, id) => refreshAs(service, host, { clientId: id, redirectUri }, 'x'),
        'refresh',
      ],
      [
        tokenRoute,
        ({ service, host }, id) =>
          token(service, host, { grant_type: deviceGrant, client_id: id, device_code: 'x' }),
        'device code',
      ],
      [pushRoute, ({ service, host }, id) => service.http(host, pushPath, { body: asked(id, redirectUri) })],
      [
        introspectRoute,
        ({ service, host }, id) =>
          service.http(host, introspectPath, { body: { token: 'x', client_id: id } }),
      ],
      [revokeRoute, ({ service, host }, id) => revoke(service, host, { token: 'x', client_id: id })],
      ['GET /api/oidc/session/end', (side, id) => get(side, '/api/oidc/session/end', { client_id: id })],
      ['POST /api/oidc/session/end', (side, id) => post(side, '/api/oidc/session/end', { client_id: id })],
    ] as readonly (readonly [string, Cell['use'], string?])[]
  ).map(
    ([route, use, how]): Cell => ({
      artefact: 'client id',
      route,
      ...(how === undefined ? {} : { how }),
      make: onlyClient,
      madeUp: unknownClient,
      use,
    }),
  ),
];

/** The client `each` has another secret on each side. */
const secretCells: readonly Cell[] = [
  [tokenRoute, '/api/oidc/token', { grant_type: 'refresh_token', refresh_token: 'x' }],
  [`POST ${devicePath}`, devicePath, { scope: 'openid' }],
  [revokeRoute, '/api/oidc/token/revocation', { token: 'x' }],
  [pushRoute, pushPath, { response_type: 'code' }],
  [introspectRoute, introspectPath, { token: 'x' }],
].flatMap((line) => {
  const [route, path, body] = line as [string, string, Record<string, string>];
  const basic = (value: string) => `Basic ${Buffer.from(`each:${value}`).toString('base64')}`;
  const cell = (how: string, use: Cell['use']): Cell => ({
    artefact: 'client secret',
    route,
    how,
    make: ({ host }) => `secret at ${host}`,
    madeUp: () => 'secret at z.test',
    use,
  });
  return [
    cell('in the body', ({ service, host }, value) =>
      service.http(host, path, { body: { ...body, client_id: 'each', client_secret: value } }),
    ),
    cell('Basic', ({ service, host }, value) =>
      service.http(host, path, { body, headers: { authorization: basic(value) } }),
    ),
  ];
});

const confirmations: readonly Cell[] = [
  {
    artefact: 'sign-out confirmation',
    route: 'POST /api/oidc/session/end',
    make: async (side) => field(await side.browser.send('/account'), 'confirm'),
    madeUp: unsealed,
    use: (side, confirm) => post(side, '/api/oidc/session/end', { confirm }),
  },
  {
    artefact: 'session cookie',
    route: 'GET /api/oidc/auth',
    make: ({ browser }) => browser.cookies.get(cookieNames.session) ?? '',
    madeUp: scrambled,
    use: (side, value) =>
      browserWith(side, { [cookieNames.session]: value }).send(
        `/api/oidc/auth?${new URLSearchParams(asked('pub1', pub1.redirectUri, { prompt: 'none' }))}`,
      ),
  },
];

export const oidcCells: readonly Cell[] = [
  ...codesAndTokens,
  ...jwts,
  ...clientIds,
  ...secretCells,
  ...confirmations,
];
