import { beforeAll, describe, expect, it } from 'vitest';
import { seatInvitations, seatMailsPerDay, seatUndo } from '../../../../src/core/access/limits.ts';
import { addPackage, addProduct } from '../../../../src/operations/access/package.ts';
import { listSeatOffers, takeOfferedSeat } from '../../../../src/operations/access/seat-offers.ts';
import { countSeats, listSeats } from '../../../../src/storage/access/seat.ts';
import { findMemberByEmail } from '../../../../src/storage/members/member.ts';
import type { Tx } from '../../../../src/storage/store.ts';
import { tenantOf } from '../../../support/device.ts';
import { hosts } from '../../../support/fixtures.ts';
import { type AccountVisitor, accountOf, expectDone } from '../../../support/members/account.ts';
import { refusal, run } from '../../../support/operators/desk.ts';
import { packageRecord } from '../../../support/records/access-records.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });
const tenant = hosts.a;
const inTx = <T>(work: (tx: Tx) => Promise<T>) => service.store.transaction(work);
const now = () => service.clock.now();
const memberOf = async (email: string) => {
  const found = await inTx((tx) => findMemberByEmail(tx, tenantOf(service, tenant).id, email));
  if (found === null) throw new Error(email);
  return found.member;
};
const visit = () => ({ random: service.deps.random, now: now(), ipAddress: '9.9.9.9' });
const countOf = (id: number) => inTx((tx) => countSeats(tx, id, now()));
const mailsTo = (domain: string) => service.outbox.sent.filter(({ to }) => to.endsWith(`@${domain}`)).length;

let holder: AccountVisitor;
let subscriptionId: number;
let page: string;

/** A subscription of the holder with so many seats. */
async function subscribe(seats: number): Promise<void> {
  const input = { tenant, memberId: 'u1@example.test', packageId };
  subscriptionId = (await run<{ subscriptionId: number }>(service, 'subscriptions.create', input))
    .subscriptionId;
  await run(service, 'groups.create', { tenant, subscriptionId, seats });
  page = `/account/seats/${subscriptionId}`;
}
const invite = (lines: readonly string[]) =>
  holder.submit(page, { action: 'invite', emails: lines.join('\r\n') });
const guests = (count: number, domain: string, from = 0) =>
  Array.from({ length: count }, (_, index) => `guest${from + index}@${domain}`);

let packageId: number;

beforeAll(async () => {
  packageId = await inTx(async (tx) => {
    const { id } = tenantOf(service, tenant);
    const { id: _, tenantId, products, ...facts } = packageRecord({ name: 'Class' });
    return addPackage(tx, id, facts, [await addProduct(tx, id, 'Lessons')]);
  });
  holder = await accountOf(service, tenant);
});

describe('pages 18: the holder of seats', () => {
  it('finds them from the plan, invites several at once, and keeps each line that was not invited', async () => {
    await subscribe(4);
    expect((await holder.send('/account')).text).toContain(`href="${page}"`);
    const sent = await invite(['a@school.example', 'not an address', 'A@school.example ', 'u1@example.test']);
    expect(sent.status).toBe(422);
    expect(sent.text).toContain('not an address isn’t an email address');
    expect(sent.text).toContain('u1@example.test is your own email address');
    expect(/<textarea[^>]*>([^<]*)</.exec(sent.text)?.[1]).toBe('not an address\nu1@example.test');
    expect(await countOf(subscriptionId)).toEqual({ taken: 0, invited: 1 });
    expectDone(await invite(['b@school.example', 'c@school.example']), page, 'seatsInvited');
    expect((await holder.send(page)).text).toContain('3 of 4 seats used');
    const full = await invite(['b@school.example', 'd@school.example', 'e@school.example']);
    expect(full.text).toContain('b@school.example already has a seat');
    expect(full.text).toContain('No seat is free for e@school.example');
  });

  it('sends an invitation again, takes it back, and gives a seat back that was just taken away', async () => {
    await subscribe(2);
    await invite(['u2@example.test']);
    const [seat] = await inTx((tx) => listSeats(tx, subscriptionId, {}));
    const act = (action: string) => holder.submit(page, { action, seat: seat?.id ?? '' });
    expectDone(await act('again'), page, 'seatSentAgain');
    const guest = await memberOf('u2@example.test');
    await inTx((tx) => takeOfferedSeat(tx, guest, subscriptionId, visit()));
    expectDone(await act('remove'), page, 'seatRemoved');
    expect((await holder.send(page)).text).toContain('name="action" value="restore"');
    expectDone(await act('restore'), page, 'seatBack');
    await act('remove');
    service.clock.advance(seatUndo);
    holder = await accountOf(service, tenant);
    expect((await act('restore')).status).toBe(422);
    await invite(['u3@example.test']);
    const [next] = await inTx((tx) => listSeats(tx, subscriptionId, {}));
    expectDone(await holder.submit(page, { action: 'remove', seat: next?.id ?? '' }), page, 'seatTakenBack');
    expect(await countOf(subscriptionId)).toEqual({ taken: 0, invited: 0 });
  });

  it('opens seats to the domain of the own address, and closes them', async () => {
    await subscribe(2);
    const guest = await memberOf('u2@example.test');
    const offered = async () =>
      (await inTx((tx) => listSeatOffers(tx, guest, visit()))).some(
        (one) => one.subscriptionId === subscriptionId,
      );
    const ways = `${page}/ways`;
    expectDone(await holder.submit(ways, { action: 'open' }), ways, 'seatsOpened');
    expect(await offered()).toBe(true);
    expect((await holder.send(page)).text).toContain('<bdi>example.test</bdi>');
    expectDone(await holder.submit(ways, { action: 'close' }), ways, 'seatsClosed');
    expect((await holder.send(page)).text).toContain('Everyone needs an invitation');
    expect(await offered()).toBe(false);
  });

  it('GA1: is no other member', async () => {
    await subscribe(2);
    await invite(['a@school.example']);
    const [seat] = await inTx((tx) => listSeats(tx, subscriptionId, {}));
    const other = await accountOf(service, tenant, 'u2@example.test');
    expect((await other.send(page)).status).toBe(404);
    const body = { action: 'remove', seat: seat?.id ?? '' };
    const own = /name="token" value="([^"]+)"/.exec((await other.send('/account')).text)?.[1] ?? '';
    expect((await other.send(page, { body: { ...body, token: own } })).status).toBe(404);
    expect(await countOf(subscriptionId)).toEqual({ taken: 0, invited: 1 });
  });

  it('GA8: fills no mailbox, nor the mailboxes of many', async () => {
    await subscribe(1_000);
    service.clock.advance(24 * 3_600_000);
    holder = await accountOf(service, tenant);
    // Two hundred in one form are none: the form keeps them.
    const many = await invite(guests(200, 'bombed.example'));
    expect(many.text).toContain('Enter up to 50 email addresses at once');
    expect(await countOf(subscriptionId)).toEqual({ taken: 0, invited: 0 });
    const { atOnce, perHour } = seatInvitations;
    const forms = [0, 1, 2, 3].map((form) => invite(guests(atOnce, 'bombed.example', form * atOnce)));
    for (const answer of (await Promise.all(forms)).filter(({ status }) => status !== 303)) {
      expect([answer.status, Number(answer.headers['retry-after']) > 0]).toEqual([429, true]);
    }
    expect(await countOf(subscriptionId)).toEqual({ taken: 0, invited: perHour });
    await service.delivered();
    expect(mailsTo('bombed.example')).toBe(perHour);
    service.clock.advance(3_600_000);
    holder = await accountOf(service, tenant);
    // One address, over and over: sent again, taken back and invited anew.
    for (let i = 0; i < 4; i += 1) {
      await invite(['victim@one.example']);
      const [seat] = await inTx((tx) => listSeats(tx, subscriptionId, { isDescending: true, limit: 1 }));
      if (seat?.email !== 'victim@one.example') continue;
      await holder.submit(page, { action: 'again', seat: seat.id });
      await holder.submit(page, { action: 'remove', seat: seat.id });
    }
    await service.delivered();
    expect(mailsTo('one.example')).toBe(seatMailsPerDay);
    const { events } = await run<{ events: readonly { reason: string }[] }>(service, 'audit.list', {
      tenant,
      event: 'limit_reached',
    });
    expect(events.map(({ reason }) => reason)).toContain(
      'too many invitations to seats of one holder, or to one address',
    );
  });

  it('GA14: one address gets no more invitations a day from those who operate than from a holder', async () => {
    await subscribe(2);
    const asked = { tenant, subscriptionId, email: 'victim@api.example' };
    for (let sent = 0; sent < seatMailsPerDay; sent += 1) {
      const { seatId } = await run<{ seatId: string }>(service, 'seats.invite', asked);
      if (sent === seatMailsPerDay - 1) {
        const again = await refusal(service, 'seats.sendAgain', { tenant, subscriptionId, seatId });
        expect(again).toMatchObject({ kind: 'limited', problems: [expect.stringContaining('tomorrow')] });
      }
      await run(service, 'seats.remove', { tenant, subscriptionId, seatId });
    }
    expect(await refusal(service, 'seats.invite', asked)).toMatchObject({
      problems: [expect.stringContaining('tomorrow')],
    });
    await service.delivered();
    expect(mailsTo('api.example')).toBe(seatMailsPerDay);
  });

  it('GA15: no seat is given back of a subscription that has ended', async () => {
    await subscribe(2);
    const guest = await memberOf('u2@example.test');
    await run(service, 'seats.invite', { tenant, subscriptionId, email: 'u2@example.test' });
    await inTx((tx) => takeOfferedSeat(tx, guest, subscriptionId, visit()));
    const [seat] = await inTx((tx) => listSeats(tx, subscriptionId, {}));
    expectDone(await holder.submit(page, { action: 'remove', seat: seat?.id ?? '' }), page, 'seatRemoved');
    const form = await holder.send(page);
    const token = /name="token" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
    await run(service, 'subscriptions.change', { tenant, subscriptionId, change: 'end' });
    const answer = await holder.send(page, { body: { action: 'restore', seat: seat?.id ?? '', token } });
    expect(answer.status).toBe(422);
    expect(await countOf(subscriptionId)).toEqual({ taken: 0, invited: 0 });
  });
});
