import { describe, expect, it } from 'vitest';
import {
  beginCheckout,
  type Checkout,
  cancelCheckout,
  checkoutMachine,
  checkoutStanding,
  confirmCheckout,
  payCheckout,
  readReference,
} from '../../../src/core/access/checkout.ts';
import type { Subscription } from '../../../src/core/access/subscription.ts';
import type { Write } from '../../../src/core/write.ts';
import { linesOf } from '../../support/machines/state-lines.ts';
import { checkoutRecord, packageRecord, subscriptionRecord } from '../../support/records/access-records.ts';
import { day, hour, now } from '../../support/records/records.ts';

const open = checkoutRecord();
const overdue = checkoutRecord({ expiresAt: now });
const completed = checkoutRecord({ state: 'completed', closedAt: now - hour, subscriptionId: 40 });
const cancelled = checkoutRecord({ state: 'cancelled', closedAt: now - hour });
const expired = checkoutRecord({ state: 'expired', expiresAt: now - hour });

const completion = { subscriptionId: 42, held: [] as readonly Subscription[], now };
const looked = (stored: Checkout) => checkoutStanding(stored, now);
const confirms = (stored: Checkout, isSettled = true) => confirmCheckout(stored, isSettled, completion);
const pays = (stored: Checkout) => payCheckout(stored, 'payment 7', completion);
const cancels = (stored: Checkout) => cancelCheckout(stored, now);

/** The subscription that the checkout gives: three months from now on. */
const given: Subscription = {
  subscriptionId: 42,
  tenantId: 'tenant-a',
  memberId: 'member-1',
  packageId: 7,
  state: 'active',
  createdAt: now,
  activatedAt: now,
  expiresAt: Date.UTC(2026, 3, 15, 12),
  cancelledAt: null,
  endedAt: null,
  customPropertyValues: {},
};

const moved = (from: Checkout, changes: Partial<Checkout>): Write => ({
  write: 'moveCheckout',
  from: from.state,
  checkout: { ...from, ...changes },
});

const gives = (from: Checkout, paymentReference: string | null) => ({
  answer: { kind: 'completed', subscription: given },
  writes: [
    { write: 'insertSubscription', subscription: given },
    moved(from, { state: 'completed', closedAt: now, subscriptionId: 42, paymentReference }),
  ],
});
const completedBefore = { answer: { kind: 'completed', subscription: null }, writes: [] };
const refused = { answer: { kind: 'refused' }, writes: [] };

const cases = [
  { line: 'open | look | its time is over', decided: looked(overdue), expected: 'expired' },
  { line: 'open | look | –', decided: looked(open), expected: 'open' },
  {
    line: 'open | confirm | its time is over',
    decided: confirms(overdue),
    expected: { ...refused, writes: [moved(overdue, { state: 'expired' })] },
  },
  {
    line: 'open | confirm | nothing is to be paid first',
    decided: confirms(open),
    expected: gives(open, null),
  },
  {
    line: 'open | confirm | –',
    decided: confirms(open, false),
    expected: { answer: { kind: 'payment' }, writes: [] },
  },
  { line: 'open | pay | –', decided: pays(open), expected: gives(open, 'payment 7') },
  {
    line: 'open | cancel | –',
    decided: cancels(open),
    expected: { answer: true, writes: [moved(open, { state: 'cancelled', closedAt: now })] },
  },
  { line: 'completed | look | –', decided: looked(completed), expected: 'completed' },
  { line: 'completed | confirm | –', decided: confirms(completed), expected: completedBefore },
  { line: 'completed | pay | –', decided: pays(completed), expected: completedBefore },
  {
    line: 'completed | cancel | –',
    decided: cancels(completed),
    expected: { answer: false, writes: [] },
  },
  { line: 'cancelled | look | –', decided: looked(cancelled), expected: 'cancelled' },
  { line: 'cancelled | confirm | –', decided: confirms(cancelled), expected: refused },
  { line: 'cancelled | pay | –', decided: pays(cancelled), expected: gives(cancelled, 'payment 7') },
  { line: 'cancelled | cancel | –', decided: cancels(cancelled), expected: { answer: true, writes: [] } },
  { line: 'expired | look | –', decided: looked(expired), expected: 'expired' },
  { line: 'expired | confirm | –', decided: confirms(expired), expected: refused },
  { line: 'expired | pay | –', decided: pays(expired), expected: gives(expired, 'payment 7') },
  { line: 'expired | cancel | –', decided: cancels(expired), expected: { answer: true, writes: [] } },
];

describe('checkout, line by line of its state table', () => {
  it.each(cases)('$line', ({ decided, expected }) => {
    expect(decided).toEqual(expected);
  });

  it('has a case for every line', () => {
    expect(cases.map(({ line }) => line)).toEqual(linesOf(checkoutMachine));
  });
});

describe('a checkout as it begins', () => {
  const { id, tenantId, memberId, reference, onCheckoutCompletedUrl, callBackUrl } = open;
  const facts = { id, tenantId, memberId, reference, onCheckoutCompletedUrl, callBackUrl };

  it('is open for two hours, with the offer as it is now', () => {
    expect(beginCheckout(facts, packageRecord(), now)).toEqual({
      ...open,
      createdAt: now,
      expiresAt: now + 2 * hour,
    });
  });

  it('can be confirmed 1 ms before its time is over, and not when it is', () => {
    const begun = beginCheckout(facts, packageRecord(), now);
    const kindAt = (at: number) => confirmCheckout(begun, true, { ...completion, now: at }).answer.kind;
    expect([kindAt(now + 2 * hour - 1), kindAt(now + 2 * hour)]).toEqual(['completed', 'refused']);
  });
});

describe('cancelling a checkout', () => {
  it('whose time is over writes that it is, and nothing was bought', () => {
    expect(cancels(overdue)).toEqual({ answer: true, writes: [moved(overdue, { state: 'expired' })] });
  });
});

describe('a checkout for a package that the member has', () => {
  const held = subscriptionRecord();
  const confirmed = (one: Partial<Subscription>, stored = open, isSettled = true) =>
    confirmCheckout(stored, isSettled, { ...completion, held: [subscriptionRecord(one)] });

  it('is not confirmed: the subscription that runs is named, and nothing is written', () => {
    for (const isSettled of [true, false]) {
      expect(confirmed({}, open, isSettled)).toEqual({
        answer: { kind: 'held', subscription: held },
        writes: [],
      });
    }
  });

  it.each<[string, Partial<Subscription>]>([
    ['is for another package', { packageId: 8 }],
    ['waits for a payment', { state: 'pending', activatedAt: null, expiresAt: null }],
    ['is over', { expiresAt: now }],
    ['was ended', { state: 'ended', endedAt: now }],
  ])('is confirmed if that %s', (_what, changes) => {
    expect(confirmed(changes).answer.kind).toBe('completed');
  });

  it('is refused, or was completed, whatever the member has', () => {
    expect(confirmed({}, cancelled)).toEqual(refused);
    expect(confirmed({}, overdue).answer).toEqual({ kind: 'refused' });
    expect(confirmed({}, completed)).toEqual(completedBefore);
  });
});

describe('who pays for a package twice gets it twice as long, not twice at once', () => {
  const window = (from: number, to: number, changes: Partial<Subscription> = {}) =>
    subscriptionRecord({
      createdAt: now - 100 * day,
      activatedAt: now + from * day,
      expiresAt: now + to * day,
      ...changes,
    });
  const beginOf = (held: readonly Subscription[]) => {
    const { answer } = payCheckout(open, 'payment 7', { ...completion, held });
    const begin = answer.kind === 'completed' ? answer.subscription?.activatedAt : null;
    return ((begin ?? Number.NaN) - now) / day;
  };

  it.each<[string, readonly Subscription[], number]>([
    ['nothing is held', [], 0],
    ['one runs', [window(-1, 5)], 5],
    ['one runs that was cancelled', [window(-1, 5, { state: 'cancelled', cancelledAt: now - day })], 5],
    ['one runs and the next follows it', [window(-1, 5), window(5, 9)], 9],
    ['they come in another order', [window(5, 9), window(-1, 5), window(9, 12)], 12],
    ['two run at once', [window(-1, 5), window(-2, 3)], 5],
    ['the next begins after a gap', [window(-1, 5), window(6, 9)], 9],
    ['none runs yet', [window(1, 9)], 9],
    ['one is over', [window(-9, 0)], 0],
    ['one was ended', [window(-1, 5, { state: 'ended', endedAt: now })], 0],
    ['one waits for a payment', [window(0, 0, { activatedAt: null, expiresAt: null })], 0],
    ['one runs for another package', [window(-1, 5, { packageId: 8 })], 0],
  ])('%s', (_what, held, begin) => {
    expect(beginOf(held)).toBe(begin);
  });
});

describe('K8: the reference of a checkout is text of one line', () => {
  it.each([
    ['nothing', undefined, null],
    ['empty', '', null],
    ['blank', ' \t\r\n ', null],
    ['a slug', 'article/42', 'article/42'],
    ['an address of evil, which is text', 'https://evil.test/?a=1&b=2', 'https://evil.test/?a=1&b=2'],
    ['a script, which is text', 'javascript:alert(1)', 'javascript:alert(1)'],
    ['markup, which is text', '<svg onload="alert(1)">', '<svg onload="alert(1)">'],
    ['line ends', 'a\r\nSet-Cookie: x=1', 'a Set-Cookie: x=1'],
    ['other line ends and a NUL', 'a\u2028b\u2029c\u0085d\0e', 'a b c d e'],
    ['half a letter', 'a\ud800b', 'a\ufffdb'],
    ['other letters', '  Fußball – كرة 🏟️ ', 'Fußball – كرة 🏟️'],
  ])('%s', (_what, sent, kept) => {
    expect(readReference(sent)).toBe(kept);
  });

  it('is cut to 500 characters, none of them in half', () => {
    expect(readReference('x'.repeat(500))).toHaveLength(500);
    expect(readReference('x'.repeat(100_000))).toBe('x'.repeat(500));
    expect(readReference('🏟'.repeat(501))).toBe('🏟'.repeat(500));
  });
});
