import { beforeAll, describe, expect, it } from 'vitest';
import { seatInvitationLifetime } from '../../../../src/core/access/limits.ts';
import type { Member } from '../../../../src/core/members/member.ts';
import { addPackage, addProduct } from '../../../../src/operations/access/package.ts';
import { openToOwnDomain } from '../../../../src/operations/access/seat-groups.ts';
import { listSeatOffers, takeOfferedSeat } from '../../../../src/operations/access/seat-offers.ts';
import { giveSeatBack, openOwnSeats, removeSeat, seatOf } from '../../../../src/operations/access/seats.ts';
import { deleteMember, newMember, wholeMemberData } from '../../../../src/operations/member/member.ts';
import { listAccess } from '../../../../src/storage/access/content-access.ts';
import { countSeats } from '../../../../src/storage/access/seat.ts';
import { insertMember } from '../../../../src/storage/members/member.ts';
import type { Tx } from '../../../../src/storage/store.ts';
import { tenantOf } from '../../../support/device.ts';
import { hosts } from '../../../support/fixtures.ts';
import { accountOf, expectDone } from '../../../support/members/account.ts';
import { refusal, run, tokenOf } from '../../../support/operators/desk.ts';
import { packageRecord } from '../../../support/records/access-records.ts';
import { useService } from '../../../support/use-service.ts';
import { field } from '../../../support/visitor.ts';

const service = useService({ data: 'security' });
const tenant = hosts.a;
const inTx = <T>(work: (tx: Tx) => Promise<T>) => service.store.transaction(work);
const now = () => service.clock.now();
const elsewhere = '9.9.9.9';
const deps = (ipAddress = elsewhere) => ({ random: service.deps.random, now: now(), ipAddress });

/** A member with an address, proven unless it is said otherwise. */
const member = (email: string, emailVerified = true, fullName = '') =>
  inTx(async (tx) => {
    const { id } = tenantOf(service, tenant);
    const facts = { email, emailVerified, fullName };
    const made = await newMember(tx, id, facts, service.deps.random, now());
    await insertMember(tx, made, '');
    return made;
  });

let packageId = 0;
/** A subscription of a holder with so many seats. @returns its number */
const subscription = async (holder: Member, seats: number) => {
  const input = { tenant, memberId: holder.id, packageId };
  const { subscriptionId } = await run<{ subscriptionId: number }>(service, 'subscriptions.create', input);
  await run(service, 'groups.change', { tenant, subscriptionId, seats });
  return subscriptionId;
};
/** Why an operation was refused, in words. */
const whyNot = async (name: string, input: object) => (await refusal(service, name, input)).problems.join();
const invite = (subscriptionId: number, email: string) =>
  run<{ seatId: string; state: string }>(service, 'seats.invite', { tenant, subscriptionId, email });
const offers = (to: Member) => inTx((tx) => listSeatOffers(tx, to, deps()));
const take = (who: Member, subscriptionId: number) =>
  inTx((tx) => takeOfferedSeat(tx, who, subscriptionId, deps()));
const open = async (who: Member) => {
  const found = await inTx((tx) => listAccess(tx, who));
  return found.some(({ createdAt, endedAt }) => createdAt <= now() && (endedAt === null || now() < endedAt));
};

let school: Member;
let pupil: Member;

beforeAll(async () => {
  school = await member('office@school.example', true, 'Example School');
  pupil = await member('pupil@school.example');
  packageId = await inTx(async (tx) => {
    const { id } = tenantOf(service, tenant);
    const { id: _, tenantId, products, ...facts } = packageRecord({ name: 'Class', seats: 4 });
    return addPackage(tx, id, facts, [await addProduct(tx, id, 'Lessons')]);
  });
});

describe('group access', () => {
  it('GA5: a package gives its subscriptions their seats: no fewer than are taken, and none once it has ended', async () => {
    const input = { tenant, memberId: school.id, packageId };
    const { subscriptionId } = await run<{ subscriptionId: number }>(service, 'subscriptions.create', input);
    expect(await run(service, 'groups.read', { tenant, subscriptionId })).toMatchObject({
      seats: 4,
      taken: 0,
    });
    await invite(subscriptionId, pupil.email);
    expect(await offers(pupil)).toMatchObject([{ subscriptionId, through: 'Example School' }]);
    expect(await open(pupil)).toBe(false);
    expect(await take(pupil, subscriptionId)).toBe('done');
    expect(await open(pupil)).toBe(true);
    const other = await member('second@school.example');
    await invite(subscriptionId, other.email);
    await take(other, subscriptionId);
    const lower = { tenant, subscriptionId, seats: 1 };
    expect(await whyNot('groups.change', lower)).toContain('2 seats are taken');
    const data = await inTx((tx) => wholeMemberData(tx, pupil, now()));
    expect(data).toMatchObject({ seats: [{ subscriptionId, state: 'taken' }], seatsGiven: [] });
    await run(service, 'subscriptions.change', { tenant, subscriptionId, change: 'end' });
    // At once, and for good.
    expect([await open(pupil), await open(other)]).toEqual([false, false]);
    expect(await whyNot('seats.invite', { tenant, subscriptionId, email: 'x@school.example' })).toContain(
      'gives no access',
    );
  });

  it('a list of seats names who has each, as far as the caller may read members', async () => {
    const subscriptionId = await subscription(school, 2);
    await invite(subscriptionId, pupil.email);
    await take(pupil, subscriptionId);
    await invite(subscriptionId, 'not.yet@school.example');
    type Seats = { seats: object[]; members: object[] };
    const named = { memberId: pupil.id, memberName: pupil.fullName, memberEmail: pupil.email };
    const none = { memberId: null, memberName: null, memberEmail: null };
    const input = { tenant, subscriptionId };
    const { seats } = await run<Seats>(service, 'seats.list', input);
    expect(seats).toEqual([expect.objectContaining(named), expect.objectContaining(none)]);
    const { members } = await run<Seats>(service, 'groups.read', input);
    expect(members).toEqual([expect.objectContaining(named), expect.objectContaining(none)]);
    const other = tokenOf(service, tenant, ['subscriptions:read']);
    const { seats: unnamed } = await run<Seats>(service, 'seats.list', input, other);
    expect(unnamed[0]).toMatchObject({ ...none, memberId: pupil.id });
    await run(service, 'subscriptions.change', { ...input, change: 'end' });
  });

  it('GA1: a holder has no part in the seats of another, nor an operator in those of another tenant', async () => {
    const subscriptionId = await subscription(school, 2);
    const { seatId } = await invite(subscriptionId, 'ga1@school.example');
    expect(await inTx((tx) => openOwnSeats(tx, pupil, subscriptionId, now()))).toBe(null);
    const elsewhere = { tenant: hosts.b, subscriptionId, seatId };
    expect(await whyNot('seats.remove', elsewhere)).toContain('no such group');
    const another = await subscription(school, 2);
    expect(await whyNot('seats.remove', { tenant, subscriptionId: another, seatId })).toContain(
      'no such seat',
    );
  });

  it('GA2, GA3: an invitation is for the member whose proven address was invited, and for a fortnight', async () => {
    const subscriptionId = await subscription(school, 2);
    await invite(subscriptionId, 'ga2@home.example');
    const unproven = await member('ga2@home.example', false);
    const stranger = await member('stranger@home.example');
    expect([await take(unproven, subscriptionId), await take(stranger, subscriptionId)]).toEqual([
      'refused',
      'refused',
    ]);
    await run(service, 'groups.change', { tenant, subscriptionId, domains: ['campus.example'] });
    const near = await member('a@sub.campus.example');
    const there = await member('b@campus.example', false);
    expect([await offers(near), await offers(there), await take(there, subscriptionId)]).toEqual([
      [],
      [],
      'refused',
    ]);
    const proven = { ...unproven, emailVerified: true };
    service.clock.advance(seatInvitationLifetime);
    expect(await take(proven, subscriptionId)).toBe('refused');
    await invite(subscriptionId, 'ga2@home.example');
    expect(await take(proven, subscriptionId)).toBe('done');
  });

  it('GA4: seats are not opened to a domain at which anyone gets an address', async () => {
    const holder = await member('someone@gmail.com');
    const subscriptionId = await subscription(holder, 2);
    const input = { tenant, subscriptionId, domains: ['GMail.com'] };
    expect(await whyNot('groups.change', input)).toContain('anyone gets an address at gmail.com');
    const opened = await inTx((tx) => openOwnSeats(tx, holder, subscriptionId, now()));
    if (opened === null) throw new Error('no seats');
    expect(await inTx((tx) => openToOwnDomain(tx, opened, true))).toBe(false);
  });

  it('GA18: seats are not opened to a domain below which names are sold, or of a free provider of any country', async () => {
    const subscriptionId = await subscription(school, 2);
    const input = (domain: string) => ({ tenant, subscriptionId, domains: [domain] });
    for (const domain of ['co.uk', 'AC.UK', 'com.br', 'edu.au', 'or.at', 'sch.uk', 'ne.jp']) {
      expect(await whyNot('groups.change', input(domain)), domain).toContain('are sold to anyone');
    }
    for (const domain of [
      'yahoo.co.jp',
      'hotmail.co.uk',
      'live.fi',
      'outlook.com.br',
      'gmx.at',
      'web.de',
      'mail.ru',
    ]) {
      expect(await whyNot('groups.change', input(domain)), domain).toContain('anyone gets an address');
    }
    for (const domain of ['uk', 'com', 'localhost']) {
      expect(await whyNot('groups.change', input(domain)), domain).not.toBe('');
    }
    for (const domain of ['school.co.uk', 'live-school.example', 'yahoo.school.example', 'schule.de']) {
      expect(await run(service, 'groups.change', input(domain))).toMatchObject({ domains: [domain] });
    }
    // Nor by a holder who has her address there.
    const holder = await member('office@yahoo.co.nz');
    const own = await subscription(holder, 2);
    const opened = await inTx((tx) => openOwnSeats(tx, holder, own, now()));
    if (opened === null) throw new Error('no seats');
    expect(await inTx((tx) => openToOwnDomain(tx, opened, true))).toBe(false);
  });

  it('GA6: of two hundred who take the last seat at once one gets it', async () => {
    const subscriptionId = await subscription(school, 1);
    await run(service, 'groups.change', { tenant, subscriptionId, domains: ['rush.example'] });
    const crowd: Member[] = [];
    for (let i = 0; i < 200; i += 1) crowd.push(await member(`m${i}@rush.example`));
    const answers = await Promise.all(crowd.map((one) => take(one, subscriptionId)));
    expect(answers.filter((answer) => answer === 'done')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'full')).toHaveLength(199);
    expect(await inTx((tx) => countSeats(tx, subscriptionId, now()))).toEqual({ taken: 1, invited: 0 });
  });

  it('GA7: an invitation tells nothing of whether the address has an account', async () => {
    const subscriptionId = await subscription(school, 2);
    await member('known@home.example');
    const [known, unknown] = [
      await invite(subscriptionId, 'known@home.example'),
      await invite(subscriptionId, 'unknown@home.example'),
    ];
    const shape = (seat: object) => ({ ...seat, seatId: '', email: '', invitedAt: '', expiresAt: '' });
    expect(shape(known)).toEqual(shape(unknown));
    await service.delivered();
    // The id of a seat is drawn anew for each.
    const textTo = (to: string) => service.outbox.last(to).text.replace(/invitation=[0-9a-f-]{36}/, '');
    expect(textTo('known@home.example')).toBe(textTo('unknown@home.example'));
    expect(textTo('known@home.example')).toContain('/account/seats/join');
  });

  it('a seat that its holder took away can be given back; one that was left cannot', async () => {
    const subscriptionId = await subscription(school, 1);
    const { seatId } = await invite(subscriptionId, pupil.email);
    await take(pupil, subscriptionId);
    const act = (by: 'holder' | 'member' | 'back') =>
      inTx(async (tx) => {
        const opened = await openOwnSeats(tx, school, subscriptionId, now());
        const seat = opened === null ? null : await seatOf(tx, opened.group, seatId);
        if (opened === null || seat === null) throw new Error('no seat');
        if (by === 'back') return giveSeatBack(tx, opened, seat, school, now());
        return removeSeat(tx, seat, by, by === 'holder' ? school : pupil, now());
      });
    await act('holder');
    expect(await open(pupil)).toBe(false);
    expect([await act('back'), await open(pupil)]).toEqual(['done', true]);
    await act('member');
    expect([await act('back'), await open(pupil)]).toEqual(['refused', false]);
  });

  it('goes with its holder when she is deleted, and names no one who was invited', async () => {
    const holder = await member('gone@firm.example');
    const subscriptionId = await subscription(holder, 2);
    await invite(subscriptionId, pupil.email);
    await invite(subscriptionId, 'left@firm.example');
    await take(pupil, subscriptionId);
    await inTx((tx) => deleteMember(tx, holder.tenantId, holder.id, now()));
    expect(await open(pupil)).toBe(false);
    const rows = await inTx((tx) =>
      tx.selectFrom('seats').selectAll().where('subscriptionId', '=', subscriptionId).execute(),
    );
    expect(rows).toEqual([]);
  });

  it('pages 18: a member joins by a button, and leaves by another', async () => {
    const subscriptionId = await subscription(school, 2);
    await invite(subscriptionId, 'u1@example.test');
    const browser = await accountOf(service, tenant);
    const page = await browser.send('/account/seats/join');
    expect(page.text).toContain('Example School');
    expect(page.text).toContain('sees your name and email address');
    expect((await browser.send('/account')).text).not.toContain('Through Example School');
    const joined = await browser.submit('/account/seats/join', {
      action: 'join',
      subscription: String(subscriptionId),
    });
    expectDone(joined, '/account/subscriptions', 'seatTaken');
    const card = await browser.send('/account');
    expect(card.text).toContain('Through Example School');
    const seat = /name="seat" value="([^"]+)"/.exec(card.text)?.[1] ?? '';
    const body = { token: field(card, 'token'), action: 'leave', seat };
    const left = await browser.send('/account/seats/join', { body });
    expect(left.status).toBe(303);
    const after = await browser.send('/account');
    expect(after.text).not.toContain('Through Example School');
  });
});
