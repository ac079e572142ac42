import { beforeAll, expect, it } from 'vitest';
import { seatInvitations, seatsShown } from '../../../../src/core/access/limits.ts';
import { beginSeat } from '../../../../src/core/access/seats/seat.ts';
import { addPackage, addProduct } from '../../../../src/operations/access/package.ts';
import { newMember } from '../../../../src/operations/member/member.ts';
import { insertSeat } from '../../../../src/storage/access/seat.ts';
import { insertMember } from '../../../../src/storage/members/member.ts';
import { tenantOf } from '../../../support/device.ts';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { type AccountVisitor, accountOf } from '../../../support/members/account.ts';
import { run } from '../../../support/operators/desk.ts';
import { packageRecord } from '../../../support/records/access-records.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });
const tenant = hosts.a;
const seats = 500;

let holder: AccountVisitor;
let page: string;

beforeAll(async () => {
  const { id: tenantId } = tenantOf(service, tenant);
  const now = service.clock.now();
  const { random } = service.deps;
  const packageId = await service.store.transaction(async (tx) => {
    const { id: _, tenantId: __, products, ...facts } = packageRecord({ name: 'Class' });
    return addPackage(tx, tenantId, facts, [await addProduct(tx, tenantId, 'Lessons')]);
  });
  const input = { tenant, memberId: 'u1@example.test', packageId };
  const made = await run<{ subscriptionId: number }>(service, 'subscriptions.create', input);
  const { subscriptionId } = made;
  await run(service, 'groups.create', { tenant, subscriptionId, seats });
  page = `/account/seats/${subscriptionId}`;
  await service.store.transaction(async (tx) => {
    for (let i = 0; i < seats; i += 1) {
      const email = `pupil${i}.of.the.long.class@seminar.department.schiller-school.example`;
      const seat = beginSeat({ id: random.id(now + i), tenantId, subscriptionId, email }, now);
      if (i % 2 === 0) {
        await insertSeat(tx, seat);
        continue;
      }
      const facts = { email, emailVerified: true, fullName: `Pupil Number ${i} of the Schiller School` };
      const member = await newMember(tx, tenantId, facts, random, now);
      await insertMember(tx, member, '');
      await insertSeat(tx, { ...seat, state: 'taken', memberId: member.id, takenAt: now });
    }
  });
  holder = await accountOf(service, tenant);
});

const olderOf = ({ text }: Answer) =>
  /<a href="([^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');

/** The seats that a page has buttons for. */
const seatsIn = ({ text }: Answer) =>
  [...text.matchAll(/ value="remove ([0-9a-f-]{36})"/g)].map(([, id]) => String(id));

it(`F10: a holder walks through ${seats} seats in pages of ${seatsShown}, each under 20 KB`, async () => {
  const met = new Set<string>();
  let pages = 0;
  for (let path: string | undefined = page; path !== undefined; pages += 1) {
    const answer: Answer = await holder.send(path);
    expect(Buffer.byteLength(answer.text)).toBeLessThan(20_000);
    const shown = new Set(seatsIn(answer));
    expect(shown.size).toBe(Math.min(seatsShown, seats - met.size));
    for (const id of shown) met.add(id);
    path = olderOf(answer);
  }
  expect([met.size, pages]).toEqual([seats, Math.ceil(seats / seatsShown)]);
});

it('F10: a form of addresses that cannot be invited does not grow with what is wrong with them', async () => {
  const emails = Array.from(
    { length: seatInvitations.atOnce },
    (_, i) => `${'a'.repeat(60)}${i}@home.example`,
  );
  const answer = await holder.submit(page, { action: 'invite', emails: emails.join('\n') });
  expect(answer.status).toBe(422);
  expect(Buffer.byteLength(answer.text)).toBeLessThan(20_000);
  for (const email of emails) expect(answer.text).toContain(`${email}`);
  expect(answer.text).toContain(`<a href="${page}">Seats and invitations</a>`);
});

it('pages 21: one of many seats is found by words of a name or a part of an address, page by page', async () => {
  const found = async (search: string) => {
    const answer = await holder.send(`${page}?search=${encodeURIComponent(search)}`);
    expect(Buffer.byteLength(answer.text)).toBeLessThan(20_000);
    return answer;
  };
  for (const one of ['pupil499.of', ' Number  499 ', 'PUPIL498.OF.THE.LONG.CLASS@SEMINAR']) {
    expect(seatsIn(await found(one)), one).toHaveLength(1);
  }
  for (const none of ['pupil4_9', '%', 'umber', "' or ''='"]) {
    const answer = await found(none);
    expect(seatsIn(answer), none).toEqual([]);
    expect(answer.text).toContain('No matches.');
  }
  const first = await found('schiller pupil');
  const second = await holder.send(String(olderOf(first)));
  const both = new Set([...seatsIn(first), ...seatsIn(second)]);
  expect(both.size).toBe(2 * seatsShown);
  expect(second.text).toContain('value="schiller pupil"');
});

it('F10: each seat has its own buttons, though they are of one form', async () => {
  const first = await holder.send(page);
  const [kept, other] = seatsIn(first);
  const done = await holder.submit(page, { action: `remove ${other}` });
  expect(done.headers.location).toBe(page);
  const after = seatsIn(await holder.send(page));
  expect([after.includes(String(kept)), after.includes(String(other))]).toEqual([true, false]);
});
