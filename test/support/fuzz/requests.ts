import fc from 'fast-check';
import { authorizationParameters } from '../../../src/core/oidc/request/authorization-request.ts';
import type { Route } from '../routes.ts';
import { anyLength, bytes, text } from './hostile.ts';

/** Stands in every secret that a request brings: no answer and no line of the log may have it. */
export const secretMark = 'S3CR3T-f0rm-v4lu3';

/** Fields whose values only the service may see. */
const secretFields = [
  ...['password', 'currentPassword', 'client_secret', 'refresh_token', 'access_token', 'device_code'],
  ...['code_verifier', 'token'],
];

/** Every other field that a route of ours reads, and some that none does. */
const fields = [
  ...authorizationParameters,
  ...[
    'grant_type',
    'code',
    'token_type_hint',
    'device_name',
    'device_model',
    'user_code',
    'verdict',
    'confirm',
  ],
  ...[
    'flow',
    'email',
    'fullName',
    'action',
    'everywhere',
    'signIn',
    'session',
    'label',
    'order',
    'packageId',
  ],
  ...[
    'reference',
    'onCheckoutCompletedUrl',
    'callBackUrl',
    'post_logout_redirect_uri',
    'proof',
    'next',
    'done',
  ],
  ...[
    'name',
    'line1',
    'postCode',
    'city',
    'country',
    'nickName',
    'phone',
    'locale',
    'change',
    'subscription',
  ],
  ...['limit', 'before', 'search', 'tenant', '__proto__', 'constructor', 'a[]', 'a[b]'],
];

/** What a field may well have: the request comes further with it. */
const right: Readonly<Record<string, readonly string[]>> = {
  client_id: ['pub1', 'conf1', 'third', 'nosign'],
  redirect_uri: ['https://pub1.test/cb', 'https://app.test/cb'],
  response_type: ['code'],
  response_mode: ['form_post', 'query'],
  scope: ['openid offline_access', 'openid'],
  code_challenge: ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
  code_challenge_method: ['S256'],
  prompt: ['none', 'login', 'create', 'consent'],
  grant_type: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  user_code: ['123 456', '000000'],
  verdict: ['approve', 'reject'],
  action: ['cancel', 'continue', 'sign-up', 'switch', 'rename', 'sign-out-all', 'sign-out-others', 'allow'],
  packageId: ['1', '2', '3'],
  email: ['u1@example.test'],
  onCheckoutCompletedUrl: ['https://app.test/done'],
  callBackUrl: ['https://app.test/back'],
  post_logout_redirect_uri: ['https://app.test/out'],
  country: ['NO', 'Norge'],
  done: ['details', 'signed-out'],
};

/** A field of a form: its name and value, or a seal of the browser, by its name there. */
export interface Field {
  readonly name: string;
  readonly value: string;
  readonly sealed: string | null;
}

const field: fc.Arbitrary<Field> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(...Object.keys(right))
      .chain((name) =>
        fc.constantFrom(...(right[name] ?? [])).map((value) => ({ name, value, sealed: null })),
      ),
  },
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.constantFrom(...fields), anyLength)
      .map(([name, value]) => ({ name, value, sealed: null })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...secretFields), anyLength)
      .map(([name, value]) => ({ name, value: `${secretMark}${value}`, sealed: null })),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(
        ...[
          ['flow', 'flow'],
          ['token', 'accountToken'],
          ['token', 'adminToken'],
          ['token', 'adminSignIn'],
        ],
        ...[
          ['confirm', 'signOut'],
          ['confirm', 'device'],
          ['order', 'order'],
        ],
      )
      .map(([name = '', sealed = '']) => ({ name, value: '', sealed })),
  },
);

/** A request before it is written: what is of the browser that sends it is filled in last. */
export interface HostileRequest {
  readonly route: Route;
  /** In the order of the route's parameters. */
  readonly segments: readonly string[];
  readonly query: readonly Field[];
  readonly rawQuery: string;
  readonly body: readonly Field[];
  readonly rawBody: Buffer | null;
  readonly contentType: string;
  readonly isSignedIn: boolean;
  /** Sent beside the above; values of bytes, one line each. */
  readonly headers: readonly (readonly [string, Buffer])[];
}

/** What may stand in a line of a header: any byte but those that end it. */
const headerValue = fc
  .oneof(
    bytes(30),
    text(30).map((made) => Buffer.from(made)),
  )
  .map((made) =>
    Buffer.from(
      made.filter(
        (byte) => byte !== 0 && byte !== 10 && byte !== 13 && byte !== 127 && (byte > 31 || byte === 9),
      ),
    ),
  );

const header = fc.tuple(
  fc.constantFrom(
    ...[
      'authorization',
      'cookie',
      'accept-language',
      'accept',
      'origin',
      'referer',
      'user-agent',
      'sec-fetch-site',
    ],
    ...[
      'sec-fetch-dest',
      'x-forwarded-host',
      'x-forwarded-for',
      'forwarded',
      'if-none-match',
      'expect-ct',
      'te',
    ],
  ),
  fc.oneof(
    headerValue,
    fc
      .constantFrom(
        'Bearer ',
        'Basic ',
        'Basic Y29uZjE6',
        '__Host-memberdoor-session=',
        'cross-site',
        'document',
        'null',
        '*',
      )
      .map((known) => Buffer.from(known)),
  ),
);

const segment = fc.oneof(
  fc.constantFrom(
    'a.test',
    'c.test',
    'b.test',
    'pub1',
    '1',
    '%2e%2e',
    '%00',
    '%',
    '%c3%28',
    'invoice',
    'free',
    '+create',
  ),
  text(12).map(encodeURIComponent),
  anyLength.map((made) => encodeURIComponent(made).slice(0, 700)),
);

/** Any request to a route of the list, most of them nearly right. */
export const hostileRequest = (routes: readonly Route[]): fc.Arbitrary<HostileRequest> =>
  fc.record({
    route: fc.constantFrom(...routes),
    segments: fc.array(segment, { minLength: 4, maxLength: 4 }),
    query: fc.array(field, { maxLength: 8 }),
    rawQuery: fc.oneof(
      { weight: 5, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.constantFrom('%', '&&==', '%ff', '[]', '?') },
    ),
    body: fc.array(field, { maxLength: 9 }),
    rawBody: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: bytes() }),
    contentType: fc.oneof(
      { weight: 6, arbitrary: fc.constant('application/x-www-form-urlencoded') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'application/json',
          'text/plain',
          'multipart/form-data; boundary=x',
          '',
          'application/x-www-form-urlencoded; charset=utf-16',
        ),
      },
    ),
    isSignedIn: fc.boolean(),
    headers: fc.array(header, { maxLength: 3 }),
  });

/** The bytes of a request, sent by a browser that has these seals and this cookie. */
export function written(
  request: HostileRequest,
  host: string,
  browser: { readonly cookie: string; readonly seals: Readonly<Record<string, string>> },
): Buffer {
  const { route, segments, query, rawQuery, body, rawBody, contentType, isSignedIn, headers } = request;
  const left = [...segments];
  const path = route.url.replace(/:\w+|\*/g, () => left.shift() ?? 'x');
  const encode = (sent: readonly Field[]) =>
    new URLSearchParams(
      sent.map(({ name, value, sealed }): [string, string] => [
        name,
        sealed === null ? value : (browser.seals[sealed] ?? ''),
      ]),
    ).toString();
  const search = `${encode(query)}${rawQuery}`;
  const hasBody = !['GET', 'HEAD', 'OPTIONS'].includes(route.method);
  const payload = hasBody ? (rawBody ?? Buffer.from(encode(body))) : Buffer.alloc(0);
  const lines = [
    `${route.method} ${path}${search === '' ? '' : `?${search}`} HTTP/1.1`,
    `host: ${host}`,
    'connection: close',
    ...(isSignedIn ? [`cookie: ${browser.cookie}`] : []),
    ...(hasBody ? [`content-length: ${payload.length}`] : []),
    ...(hasBody && contentType !== '' ? [`content-type: ${contentType}`] : []),
  ];
  const more = headers.flatMap(([name, value]) => [Buffer.from(`${name}: `), value, Buffer.from('\r\n')]);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n`), ...more, Buffer.from('\r\n'), payload]);
}
