import { beforeAll, describe, expect, it } from 'vitest';
import { paymentReference } from '../../../src/core/access/invoicing.ts';
import { searchedMost } from '../../../src/core/operators/limits.ts';
import { hosts } from '../../support/fixtures.ts';
import { newPassword } from '../../support/members/sign-up.ts';
import { adminOf, refusal, run, tokenOf } from '../../support/operators/desk.ts';
import {
  beginWorld,
  newCheckout,
  newClient,
  newInvoice,
  newSubscription,
  type World,
} from '../../support/operators/world.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security' });
let world: World;
let other: World;
beforeAll(async () => {
  world = await beginWorld(service, 'here.test');
  other = await beginWorld(service, 'there.test');
});

interface Found {
  readonly members: readonly { readonly id: string; readonly fullName: string; readonly userId: number }[];
  readonly clients: readonly { readonly clientId: string }[];
  readonly subscriptions: readonly { readonly memberName: string }[];
  readonly invoices: readonly object[];
  readonly checkouts: readonly object[];
  readonly events: readonly { readonly event: string }[];
  readonly more: readonly string[];
  readonly exact: readonly { readonly kind: string; readonly id: string; readonly memberId: string | null }[];
}

const find = (search: string, actor?: Parameters<typeof run>[3], tenant = world.host) =>
  run<Found>(service, 'search.find', { tenant, search }, actor);

const make = (fullName: string, email: string, more: object = {}) =>
  world.operate('members.create', { fullName, email, password: newPassword, ...more });

describe('one search over everything', () => {
  it('finds a member by name, address, phone, number and id, and says which of these is exact', async () => {
    const { id } = await make('Solveig Ås', 'solveig@search.test', { phone: '+4798765432' });
    const own = { kind: 'member', id, memberId: id };
    for (const beginning of ['solv', 'ås', 'solveig@', '98765']) {
      const found = await find(beginning);
      expect(
        found.members.map(({ fullName }) => fullName),
        beginning,
      ).toEqual(['Solveig Ås']);
      expect(found.exact, beginning).toEqual([]);
    }
    const { userId } = (await find('solveig')).members[0] ?? { userId: 0 };
    for (const exact of ['SOLVEIG@search.test', '+47 987 65 432', '987 65 432', id, id.toUpperCase()]) {
      expect((await find(exact)).exact, exact).toEqual([own]);
    }
    expect((await find(String(userId))).exact).toContainEqual(own);
  });

  it('finds a client by the words of its name and by its client_id', async () => {
    const clientId = await newClient(world);
    expect((await find(`THE ${clientId}`)).clients.map((one) => one.clientId)).toEqual([clientId]);
    expect((await find(clientId)).exact).toEqual([{ kind: 'client', id: clientId, memberId: null }]);
  });

  it('finds what was bought by its numbers, and its buyer', async () => {
    const subscriptionId = await newSubscription(world);
    const number = await newInvoice(world);
    const checkoutId = await newCheckout(world);
    const found = await find(String(subscriptionId));
    expect(found.subscriptions).toMatchObject([{ subscriptionId, memberName: 'Ada Berg' }]);
    expect((await find(paymentReference(number))).exact).toEqual([
      { kind: 'invoice', id: String(number), memberId: world.memberId },
    ]);
    expect((await find(checkoutId)).exact).toEqual([
      { kind: 'checkout', id: checkoutId, memberId: world.memberId },
    ]);
  });

  it('pages 8: finds what was refused by the reference that its page showed, however it is read out', async () => {
    const page = await service.http(hosts.a, '/api/oidc/auth?client_id=nobodys');
    const [reference = ''] = page.text.match(/\b[0-9a-z]{8}\b(?=<\/p>)/) ?? [];
    const readOut = `${reference.slice(0, 4).toUpperCase()}-${reference.slice(4)} `;
    const found = await find(readOut, undefined, hosts.a);
    expect(found.events.map(({ event }) => event)).toEqual(['authorization_refused']);
    expect((await find(readOut)).events).toEqual([]);
  });

  it('A17: no administrator ever finds anything of another tenant', async () => {
    const subscriptionId = await newSubscription(other);
    const clientId = await newClient(other);
    for (const search of ['ada', 'ada@example.test', other.memberId, clientId, String(subscriptionId)]) {
      const found = await find(search, adminOf(service, world.host));
      const text = JSON.stringify(found);
      for (const id of [other.memberId, other.tenantId]) expect(text, search).not.toContain(id);
    }
    const denied = await refusal(
      service,
      'search.find',
      { tenant: other.host, search: 'ada' },
      adminOf(service, world.host),
    );
    expect(denied.kind).toBe('unknown');
  });

  it.each(['%', '_', '%%', "' or 1=1 --", '*', '\\', '"', '<script>', '\u0000', ' ', ''])(
    'signs that mean something to a database or a page are letters like others: %j',
    async (search) => {
      const found = await find(search);
      expect({ ...found, exact: [] }).toMatchObject({ members: [], clients: [], events: [] });
    },
  );

  it('of 200 members with one name it shows the newest, and says that there are more', async () => {
    for (let count = 0; count < 200; count += 1) {
      await world.operate('members.create', { fullName: 'Same Name', email: `same${count}@search.test` });
    }
    const { members, more, exact } = await find('same name');
    expect(members).toHaveLength(searchedMost);
    expect(more).toEqual(['member']);
    expect(exact).toEqual([]);
    expect((await find('same42@search.test')).exact).toHaveLength(1);
  });

  it('F4: shows each kind to those alone who may read it', async () => {
    const subscriptionId = await newSubscription(world);
    await newClient(world);
    const reader = tokenOf(service, world.host, ['members:read']);
    expect((await find(String(subscriptionId), reader)).subscriptions).toEqual([]);
    expect((await find('the client', reader)).clients).toEqual([]);
    expect((await find('ada', reader)).members).toHaveLength(1);
    const none = tokenOf(service, world.host, ['clients:read']);
    const denied = await refusal(service, 'search.find', { tenant: world.host, search: 'ada' }, none);
    expect(denied.kind).toBe('denied');
  });
});
