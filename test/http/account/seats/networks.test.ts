import { beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../../../../src/core/members/member.ts';
import { addPackage, addProduct } from '../../../../src/operations/access/package.ts';
import { listSeatOffers, takeOfferedSeat } from '../../../../src/operations/access/seat-offers.ts';
import { newMember } from '../../../../src/operations/member/member.ts';
import { countSeats, listSeats } from '../../../../src/storage/access/seat.ts';
import { insertMember } from '../../../../src/storage/members/member.ts';
import type { Tx } from '../../../../src/storage/store.ts';
import { tenantOf } from '../../../support/device.ts';
import { hosts } from '../../../support/fixtures.ts';
import { type AccountVisitor, accountOf, expectDone } from '../../../support/members/account.ts';
import { refusal, run } from '../../../support/operators/desk.ts';
import { packageRecord } from '../../../support/records/access-records.ts';
import { useService } from '../../../support/use-service.ts';
import { field } from '../../../support/visitor.ts';

const service = useService({ data: 'security', trustedProxies: ['127.0.0.1'] });
const tenant = hosts.a;
const inTx = <T>(work: (tx: Tx) => Promise<T>) => service.store.transaction(work);
const now = () => service.clock.now();
const [school, home] = ['8.8.8.8', '9.9.9.9'];
const visit = (ipAddress: string) => ({ random: service.deps.random, now: now(), ipAddress });
const offered = async (to: Member, from: string) =>
  (await inTx((tx) => listSeatOffers(tx, to, visit(from)))).filter((one) => one.subscriptionId === id);
const take = (who: Member, from: string) => inTx((tx) => takeOfferedSeat(tx, who, id, visit(from)));
const networks = async () =>
  (await run<{ networks: readonly string[] }>(service, 'groups.read', { tenant, subscriptionId: id }))
    .networks;

/** A browser that comes from an address, as the proxy says. */
const from = (ipAddress: string) => ({ headers: { 'x-forwarded-for': ipAddress } });

let made = 0;
const member = (emailVerified = true) =>
  inTx(async (tx) => {
    made += 1;
    const facts = { email: `reader${made}@home.example`, emailVerified };
    const one = await newMember(tx, tenantOf(service, tenant).id, facts, service.deps.random, now());
    await insertMember(tx, one, '');
    return one;
  });

let packageId: number;
let id: number;
let page: string;
let ways: string;
let holder: AccountVisitor;

/** Another subscription of the holder, with seats that are open to networks. */
async function subscribe(seats: number, open: readonly string[]): Promise<void> {
  const input = { tenant, memberId: 'u1@example.test', packageId };
  id = (await run<{ subscriptionId: number }>(service, 'subscriptions.create', input)).subscriptionId;
  await run(service, 'groups.create', { tenant, subscriptionId: id, seats });
  await run(service, 'groups.change', { tenant, subscriptionId: id, networks: open });
  page = `/account/seats/${id}`;
  ways = `${page}/ways`;
}

/** Opens the page from an address and sends its form from there, or from another one. */
async function send(action: 'openTo' | 'closeTo', network: string, at: string) {
  const token = field(await holder.send(ways, from(at)), 'token');
  return holder.send(ways, { ...from(at), body: { token, action, network } });
}

beforeAll(async () => {
  packageId = await inTx(async (tx) => {
    const { id: tenantId } = tenantOf(service, tenant);
    const { id: _, tenantId: __, products, ...facts } = packageRecord({ name: 'Library' });
    return addPackage(tx, tenantId, facts, [await addProduct(tx, tenantId, 'Books')]);
  });
  holder = await accountOf(service, tenant);
});

describe('seats of a network', () => {
  it('GA10: are offered to those who come from there, with a proven address', async () => {
    await subscribe(2, ['8.8.0.0/16', '8.8.8.0/24', '2A00:1450::/32']);
    expect(await networks()).toEqual(['2a00:1450::/32', '8.8.0.0/16', '8.8.8.0/24']);
    const [proven, unproven] = [await member(), await member(false)];
    // Ranges that overlap are one offer.
    expect(await offered(proven, school)).toMatchObject([{ way: 'network', until: null }]);
    expect(await offered(proven, '::ffff:8.8.1.1')).toHaveLength(1);
    expect(await offered(proven, '2a00:1450:9::1')).toHaveLength(1);
    for (const elsewhere of [home, '8.9.0.0', '2a00:1451::1', '::8.8.8.8', 'unknown', '']) {
      expect(await offered(proven, elsewhere), elsewhere).toEqual([]);
      expect(await take(proven, elsewhere), elsewhere).toBe('refused');
    }
    expect(await take(unproven, school)).toBe('refused');
    expect(await take(proven, school)).toBe('done');
    expect(await offered(proven, school)).toEqual([]);
  });

  it('GA11: are not given to a visitor who claims to come from there', async () => {
    await subscribe(2, ['8.8.8.0/24']);
    const guest = await accountOf(service, tenant, 'u2@example.test');
    const token = field(await guest.send('/account'), 'token');
    const body = { token, action: 'join', subscription: String(id) };
    const join = (headers: Record<string, string>) => guest.send('/account/seats/join', { headers, body });
    // The proxy adds the address that it saw behind what the browser sent.
    const lies = { 'x-forwarded-for': `${school}, ${home}`, 'x-real-ip': school, forwarded: `for=${school}` };
    expect((await join(lies)).text).toContain('This invitation is no longer valid');
    expect(await inTx((tx) => countSeats(tx, id, now()))).toEqual({ taken: 0, invited: 0 });
    const shown = await guest.send('/account/seats/join', from(school));
    expect(shown.text).toContain('Open to people on your network');
    expectDone(await join({ 'x-forwarded-for': school }), '/account/subscriptions', 'seatTaken');
  });

  it('GA9: are opened by their holder to where she is, and to no more than one place', async () => {
    await subscribe(2, ['9.9.0.0/16']);
    expect((await holder.send(ways, from(school))).text).toContain('value="8.8.8.8/32"');
    for (const wrong of ['0.0.0.0/0', '8.8.8.0/24', '9.9.9.9/32', '8.8.8.8', "' or '1'='1", '']) {
      expect((await send('openTo', wrong, school)).status, wrong).toBe(422);
    }
    // It is private: a proxy that does not say whom it serves is what she seems to come from.
    expect((await holder.send(ways, from('10.1.2.3'))).text).not.toContain('value="openTo"');
    expect((await send('openTo', '10.1.2.3/32', '10.1.2.3')).status).toBe(422);
    // What an operator opened for many places she does not close, since she could not open it again.
    expect((await send('closeTo', '9.9.0.0/16', school)).status).toBe(422);
    expect(await networks()).toEqual(['9.9.0.0/16']);
    expectDone(await send('openTo', '8.8.8.8/32', school), ways, 'seatsOpenedTo');
    const ipv6 = '2a00:1450:1:2:3:4:5:6';
    expectDone(await send('openTo', '2a00:1450:1:2::/64', ipv6), ways, 'seatsOpenedTo');
    expect(await networks()).toEqual(['2a00:1450:1:2::/64', '8.8.8.8/32', '9.9.0.0/16']);
    expectDone(await send('closeTo', '8.8.8.8/32', ipv6), ways, 'seatsClosedTo');
    const { events } = await run<{ events: readonly { event: string; reason: string | null }[] }>(
      service,
      'audit.list',
      { tenant, event: 'seat_ways_changed' },
    );
    expect(events.map(({ reason }) => reason)).toEqual([
      'closed to 8.8.8.8/32',
      'open to 2a00:1450:1:2::/64',
      'open to 8.8.8.8/32',
    ]);
  });

  it('GA12: are for no network that is wide, private or malformed, nor for any number of them', async () => {
    await subscribe(2, []);
    const wrong = ['0.0.0.0/0', '::/0', '10.0.0.0/8', '8.8.8.8/8', 'all'];
    const change = (open: readonly string[]) =>
      refusal(service, 'groups.change', { tenant, subscriptionId: id, networks: open });
    expect((await change(wrong)).problems).toHaveLength(wrong.length);
    await change(Array.from({ length: 51 }, (_, index) => `8.8.${index}.0/24`));
    expect(await networks()).toEqual([]);
  });

  it('GA5, GA6: of two hundred who take the last one at once one gets it; with the subscription it ends', async () => {
    await subscribe(1, ['8.8.8.0/24']);
    const crowd: Member[] = [];
    for (let i = 0; i < 200; i += 1) crowd.push(await member());
    const answers = await Promise.all(crowd.map((one) => take(one, school)));
    expect(answers.filter((answer) => answer === 'done')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'full')).toHaveLength(199);
    await run(service, 'subscriptions.change', { tenant, subscriptionId: id, change: 'end' });
    expect(await inTx((tx) => countSeats(tx, id, now()))).toEqual({ taken: 0, invited: 0 });
    expect(await take(await member(), school)).toBe('refused');
  });

  it('GA13: are not taken again by a member who lost one, unless she is invited', async () => {
    await subscribe(3, ['8.8.8.0/24']);
    const guest = await member();
    await take(guest, school);
    const [seat] = await inTx((tx) => listSeats(tx, id, {}));
    expectDone(await holder.submit(page, { action: 'remove', seat: seat?.id ?? '' }), page, 'seatRemoved');
    expect([await offered(guest, school), await take(guest, school)]).toEqual([[], 'refused']);
    await run(service, 'groups.change', { tenant, subscriptionId: id, domains: ['home.example'] });
    expect(await take(guest, home)).toBe('refused');
    await run(service, 'seats.invite', { tenant, subscriptionId: id, email: guest.email });
    expect(await take(guest, home)).toBe('done');
  });
});
