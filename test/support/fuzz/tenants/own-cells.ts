import { insertInvoice } from '../../../../src/storage/access/invoice.ts';
import { listSeatsOfMember } from '../../../../src/storage/access/seat.ts';
import { insertSession } from '../../../../src/storage/grants/session.ts';
import { systemRandom } from '../../../../src/system/random.ts';
import { bearer, profileUrl } from '../../api.ts';
import { run } from '../../operators/desk.ts';
import { invoiceRecord } from '../../records/access-records.ts';
import { sessionRecord } from '../../records/records.ts';
import { token, tokensFor } from '../../visitor.ts';
import { type Cell, noId } from './cell.ts';
import { commonPackage } from './checkout-cells.ts';
import { accountToken } from './seal-cells.ts';
import type { Side } from './side.ts';

const submit = (side: Side, page: string, body: Record<string, string>) =>
  side.browser.send(`/account/${page}`, { body: { token: accountToken(side), ...body } });

/** A consent that this side alone asks for. */
const consentOf = async (side: Side) => {
  const consentId = `of-${side.host.replace('.', '-')}`;
  await run(side.service, 'consents.define', { tenant: side.host, consentId, name: `Mail of ${side.host}` });
  return consentId;
};

const tokens = new WeakMap<Side, Promise<string>>();

/** A token of the side's member, who gets one for all of these. */
function accessTokenOf(side: Side): Promise<string> {
  const known =
    tokens.get(side) ?? tokensFor(side.service, side.host, {}, side.browser).then((got) => got.access_token);
  tokens.set(side, known);
  return known;
}

const serviceTokens = new WeakMap<Side, string>();

/** A token of a client of the side, in its own name. */
async function makeServiceToken(side: Side): Promise<void> {
  const { service, host } = side;
  const clientId = `machine-${side.memberId.slice(-12)}`;
  const about = { tenant: host, clientId, name: 'Machine', type: 'confidential' };
  const settings = { clientCredentials: true, serviceScopes: ['members:read'] };
  const { secret } = await run<{ secret: string }>(service, 'clients.create', { ...about, ...settings });
  const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
  serviceTokens.set(side, String((await token(service, host, body)).json().access_token));
}

/** Both sides sign in before anything is compared. */
export async function prepareTokens(side: Side): Promise<void> {
  await accessTokenOf(side);
  await makeServiceToken(side);
}

const call = async (side: Side, method: string, path: string, body?: object) =>
  side.service.http(side.host, `${profileUrl}${path}`, {
    method,
    headers: { ...bearer(await accessTokenOf(side)), 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

const consents: readonly Cell[] = [
  {
    artefact: 'consent id',
    route: `GET ${profileUrl}/consents/:consentId`,
    make: consentOf,
    madeUp: () => 'of-nobody',
    use: (side, id) => call(side, 'GET', `/consents/${id}`),
  },
  {
    artefact: 'consent id',
    route: `PUT ${profileUrl}/consents/:consentId`,
    make: consentOf,
    madeUp: () => 'of-nobody',
    use: (side, id) => call(side, 'PUT', `/consents/${id}`, { status: 'accepted' }),
  },
  {
    artefact: 'consent id',
    route: `PUT ${profileUrl}/consents`,
    make: consentOf,
    madeUp: () => 'of-nobody',
    use: (side, id) => call(side, 'PUT', '/consents', { consents: [{ id, status: 'accepted' }] }),
  },
];

const named = ['info-with-active-subscriptions', 'info-with-content-access'].map(
  (what): Cell => ({
    artefact: 'member id',
    route: `GET /api/v1/members/:memberId/${what}`,
    make: ({ memberId }) => memberId,
    madeUp: noId,
    use: (side, id) =>
      side.service.http(side.host, `/api/v1/members/${id}/${what}`, {
        headers: bearer(String(serviceTokens.get(side))),
      }),
  }),
);

const things: readonly Cell[] = [
  {
    artefact: 'session id',
    route: 'POST /account/sessions',
    make: async ({ service, tenant, memberId }) => {
      const id = systemRandom.id(service.clock.now());
      const facts = { id, tenantId: tenant.id, memberId, secretHash: id };
      await service.store.transaction(async (tx) => insertSession(tx, sessionRecord(facts)));
      return id;
    },
    madeUp: noId,
    use: (side, session) => submit(side, 'sessions', { session, action: 'sign-out' }),
  },
  ...(['sign-out', 'rename'] as const).map(
    (action): Cell => ({
      artefact: 'sign-in id',
      route: 'POST /account/devices',
      how: action,
      make: async ({ service, host, browser }) => {
        const { refresh_token: text = '' } = await tokensFor(service, host, {}, browser);
        return text.split('.')[0] ?? '';
      },
      madeUp: noId,
      use: (side, signIn) => submit(side, 'devices', { signIn, action, label: 'Mine' }),
    }),
  ),
  {
    artefact: 'subscription id',
    route: 'POST /account/subscriptions',
    make: async (side) => {
      const input = { tenant: side.host, memberId: side.memberId, packageId: commonPackage(side) };
      const made = await run<{ subscriptionId: number }>(side.service, 'subscriptions.create', input);
      return String(made.subscriptionId);
    },
    madeUp: () => '987654321',
    use: (side, subscription) => submit(side, 'subscriptions', { subscription, action: 'cancel' }),
  },
];

let invoices = 0;

const invoice: Cell = {
  artefact: 'invoice number',
  route: 'GET /account/invoices/:number',
  make: async (side) => {
    const { service, tenant, memberId, host } = side;
    const input = { tenant: host, memberId, packageId: commonPackage(side) };
    const { subscriptionId } = await run<{ subscriptionId: number }>(service, 'subscriptions.create', input);
    // Each tenant counts on its own: one that both have would say nothing.
    invoices += 1;
    const number = 70_000 + invoices;
    const facts = { id: `invoice-${number}`, tenantId: tenant.id, memberId, subscriptionId, number };
    await service.store.transaction((tx) => insertInvoice(tx, invoiceRecord(facts)));
    return String(number);
  },
  madeUp: () => '987654321',
  use: ({ browser }, number) => browser.send(`/account/invoices/${number}`),
};

/** A subscription with seats of a member of the side. @returns its number */
async function groupOf(side: Side, memberId: string): Promise<string> {
  const { service, host: tenant } = side;
  const input = { tenant, memberId, packageId: commonPackage(side) };
  const { subscriptionId } = await run<{ subscriptionId: number }>(service, 'subscriptions.create', input);
  await run(service, 'groups.create', { tenant, subscriptionId, seats: 3 });
  return String(subscriptionId);
}

/** A subscription in which the side's member may take a seat. @returns its number */
async function offeredTo(side: Side): Promise<string> {
  const { service, host: tenant, email, memberId } = side;
  const holder = { tenant, email: `holder-of-${memberId.slice(-12)}@example.test`, fullName: 'Holder' };
  const { id } = await run<{ id: string }>(service, 'members.create', holder);
  const subscriptionId = await groupOf(side, id);
  await run(service, 'seats.invite', { tenant, subscriptionId: Number(subscriptionId), email });
  return subscriptionId;
}

/** A seat that is kept for an address, of a subscription of the side's member. */
async function givenBy(side: Side): Promise<string> {
  const { service, host: tenant, memberId } = side;
  const subscriptionId = Number(await groupOf(side, memberId));
  const input = { tenant, subscriptionId, email: `guest-of-${memberId.slice(-12)}@example.test` };
  const { seatId } = await run<{ seatId: string }>(service, 'seats.invite', input);
  return `${subscriptionId} ${seatId}`;
}

const seats: readonly Cell[] = [
  {
    artefact: 'subscription id',
    route: 'GET /account/seats/:subscription',
    make: (side) => groupOf(side, side.memberId),
    madeUp: () => '987654321',
    use: ({ browser }, subscription) => browser.send(`/account/seats/${subscription}`),
  },
  {
    artefact: 'subscription id',
    route: 'POST /account/seats/:subscription',
    make: (side) => groupOf(side, side.memberId),
    madeUp: () => '987654321',
    use: (side, subscription) =>
      submit(side, `seats/${subscription}`, { action: 'invite', emails: 'guest@example.test' }),
  },
  {
    artefact: 'subscription id',
    route: 'GET /account/seats/:subscription/ways',
    make: (side) => groupOf(side, side.memberId),
    madeUp: () => '987654321',
    use: ({ browser }, subscription) => browser.send(`/account/seats/${subscription}/ways`),
  },
  {
    artefact: 'subscription id',
    route: 'POST /account/seats/:subscription/ways',
    make: (side) => groupOf(side, side.memberId),
    madeUp: () => '987654321',
    use: (side, subscription) => submit(side, `seats/${subscription}/ways`, { action: 'open' }),
  },
  {
    artefact: 'seat id',
    route: 'POST /account/seats/:subscription',
    make: givenBy,
    madeUp: (both) => both.replace(/ .*/, ` ${noId()}`),
    use: (side, both) => {
      const [subscription = '', seat = ''] = both.split(' ');
      return submit(side, `seats/${subscription}`, { action: 'remove', seat });
    },
  },
  {
    artefact: 'subscription id',
    route: 'POST /account/seats/join',
    make: offeredTo,
    madeUp: () => '987654321',
    use: (side, subscription) => submit(side, 'seats/join', { subscription, action: 'join' }),
  },
  {
    artefact: 'seat id',
    route: 'POST /account/seats/join',
    make: async (side) => {
      const subscription = await offeredTo(side);
      await submit(side, 'seats/join', { subscription, action: 'join' });
      const taken = side.service.store.transaction((tx) => listSeatsOfMember(tx, side.memberId));
      return (await taken)[0]?.id ?? '';
    },
    madeUp: noId,
    use: (side, seat) => submit(side, 'seats/join', { seat, action: 'leave' }),
  },
];

export const ownCells: readonly Cell[] = [...consents, ...named, ...things, invoice, ...seats];
