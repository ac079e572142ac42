import { type SealPurpose, seal } from '../../../../src/secrets/seal.ts';
import type { Answer } from '../../http.ts';
import { formValue } from '../../members/form-token.ts';
import type { Artefact, Cell } from './cell.ts';
import { commonCheckout, commonPackage } from './checkout-cells.ts';
import { password, type Side } from './side.ts';

/** A key that no tenant has. */
const noKey = Buffer.alloc(32, 'no tenant has this key');

const keyOf = ({ service }: Side, host: string) =>
  service.tenants.all().find((tenant) => tenant.host === host)?.tokenKey ?? noKey;

/**
 * A seal, sent where it opens: its content is right for whichever side it is sent to, so that the key alone is
 * of one tenant. The value of the cell is the tenant whose key it is.
 */
export function sealCell(
  artefact: Artefact,
  route: string,
  purpose: SealPurpose,
  content: (side: Side) => unknown,
  send: (side: Side, sealed: string) => Promise<Answer>,
): Cell {
  return {
    artefact,
    route,
    make: ({ host }) => host,
    madeUp: () => 'no.test',
    use: (side, host) => send(side, seal(keyOf(side, host), purpose, side.browserSecret, content(side))),
  };
}

export const inQuery =
  (path: string, name: string) =>
  ({ browser }: Side, value: string) =>
    browser.send(`${path}?${name}=${value}`);
export const inForm =
  (path: string, name: string, more: Record<string, string> = {}) =>
  ({ browser }: Side, value: string) =>
    browser.send(path, { body: { [name]: value, ...more } });

const parameters = {
  response_type: 'code',
  client_id: 'pub1',
  redirect_uri: 'https://pub1.test/cb',
  scope: 'openid',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  prompt: 'login',
};

export const flowOf = ({ service }: Side) => ({
  startedAt: service.clock.now(),
  parameters,
  returnTo: '/account',
  // A page that opened no flow would be in English.
  language: 'nb',
});

const flowPages = ['/sign-in', '/sign-in/code', '/second-factor', '/sign-up', '/recover', '/consent'];

const flows: readonly Cell[] = [
  ...flowPages.map((path) => sealCell('flow', `GET ${path}`, 'flow', flowOf, inQuery(path, 'flow'))),
  sealCell('flow', 'GET /recover/sent', 'asked', flowOf, inQuery('/recover/sent', 'flow')),
  ...flowPages.map((path) => sealCell('flow', `POST ${path}`, 'flow', flowOf, inForm(path, 'flow'))),
];

/** The seal of an account page's form, which each of these takes before anything else of it. */
const accountSeal = ({ sessionId }: Side) => formValue(`account ${sessionId}`);

/** The token of an account page's form. */
export const accountToken = (side: Side) =>
  seal(side.tenant.tokenKey, 'form', side.browserSecret, accountSeal(side));

const account: readonly Cell[] = [
  ...[
    'subscriptions',
    'sessions',
    'devices',
    'details',
    'address',
    'consents',
    'email',
    'password',
    'delete',
  ],
  ...['data', 'keep', 'passkeys', 'passkeys/confirm', 'passkeys/new', 'passkeys/remove', 'password/remove'],
  ...['two-step', 'two-step/codes', 'two-step/off', 'accounts', 'seats/join'],
].map((page) =>
  sealCell(
    'account form token',
    `POST /account/${page}`,
    'form',
    accountSeal,
    inForm(`/account/${page}`, 'token'),
  ),
);

/** The pages of seats answer what is not there, so their token is told by another answer. */
const seats = ['', '/ways'].map((page) =>
  sealCell(
    'account form token',
    `POST /account/seats/:subscription${page}`,
    'form',
    accountSeal,
    inForm(`/account/seats/987654321${page}`, 'token'),
  ),
);

const connecting = sealCell(
  'account form token',
  'POST /account/accounts/connect/:provider',
  'form',
  accountSeal,
  inForm('/account/accounts/connect/each', 'token'),
);

const orderOf = (side: Side) => ({
  id: commonCheckout(side),
  packageId: commonPackage(side),
  reference: null,
  onCheckoutCompletedUrl: null,
  callBackUrl: null,
  language: null,
  openedAt: side.service.clock.now(),
});

const others: readonly Cell[] = [
  sealCell('order', 'POST /checkout', 'order', orderOf, inForm('/checkout', 'order', { action: 'continue' })),
  sealCell('order', 'GET /checkout/begin', 'order', orderOf, inQuery('/checkout/begin', 'order')),
  sealCell(
    'checkout form token',
    'POST /checkout/:id',
    'form',
    (side) => formValue(`checkout ${commonCheckout(side)} ${side.sessionId}`),
    (side, token) =>
      side.browser.send(`/checkout/${commonCheckout(side)}`, { body: { token, action: 'nothing' } }),
  ),
  sealCell(
    'portal sign-in token',
    'POST /admin/sign-in',
    'form',
    () => formValue('/admin/sign-in'),
    (side, token) => side.browser.send('/admin/sign-in', { body: { token, email: side.email, password } }),
  ),
];

/** Takes a route of the portal, so that every one of them has its cell. */
export const portalForm = (route: string, path: (side: Side) => string): Cell =>
  sealCell(
    'portal form token',
    route,
    'form',
    ({ adminSessionId }) => formValue(`admin ${adminSessionId}`),
    (side, token) => side.browser.send(path(side), { body: { token } }),
  );

export const sealCells: readonly Cell[] = [...flows, ...account, ...seats, connecting, ...others];
