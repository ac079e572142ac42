import { describe, expect, it } from 'vitest';
import {
  activateSubscription,
  beginSubscription,
  cancelSubscription,
  endSubscription,
  isActive,
  renewSubscription,
  resumeSubscription,
  type Subscription,
  settleSubscription,
  standingOf,
  subscriptionMachine,
} from '../../../src/core/access/subscription.ts';
import type { Write } from '../../../src/core/write.ts';
import { linesOf } from '../../support/machines/state-lines.ts';
import { subscriptionRecord } from '../../support/records/access-records.ts';
import { day, hour, now } from '../../support/records/records.ts';

const quarter = { unit: 'month', count: 3 } as const;
const inAQuarter = Date.UTC(2026, 3, 15, 12);

const waiting = subscriptionRecord({ state: 'pending', activatedAt: null, expiresAt: null });
const come = subscriptionRecord({ state: 'pending' });
const running = subscriptionRecord({ expiresAt: now + day });
const cancelled = subscriptionRecord({ state: 'cancelled', cancelledAt: now - hour });
const expired = subscriptionRecord({ state: 'expired', expiresAt: now - day });
const ended = subscriptionRecord({ state: 'ended', endedAt: now - hour });
/** As stored when its time was not over yet. */
const over = (stored: Subscription) => ({ ...stored, expiresAt: now });

const looked = (stored: Subscription) => standingOf(stored, now);
const activates = (stored: Subscription) => activateSubscription(stored, quarter, now);
const renews = (stored: Subscription) => renewSubscription(stored, quarter, now);
const cancels = (stored: Subscription) => cancelSubscription(stored, now);
const resumes = (stored: Subscription) => resumeSubscription(stored, now);
const ends = (stored: Subscription) => endSubscription(stored, now);

const moved = (
  from: Subscription,
  by: Extract<Write, { write: 'moveSubscription' }>['by'],
  changes: Partial<Subscription>,
) => ({
  answer: true,
  writes: [
    { write: 'moveSubscription', from: from.state, by, subscription: { ...from, ...changes } },
  ] satisfies Write[],
});
const ignored = { answer: true, writes: [] };
const refused = { answer: false, writes: [] };
const atOnce = { state: 'ended', endedAt: now } as const;

const cases = [
  { line: 'pending | look | its time is over', decided: looked(over(come)), expected: 'expired' },
  { line: 'pending | look | its time has come', decided: looked(come), expected: 'active' },
  { line: 'pending | look | –', decided: looked(waiting), expected: 'pending' },
  {
    line: 'pending | activate | –',
    decided: activates(waiting),
    expected: moved(waiting, 'activate', { state: 'active', activatedAt: now, expiresAt: inAQuarter }),
  },
  { line: 'pending | renew | –', decided: renews(waiting), expected: refused },
  { line: 'pending | cancel | –', decided: cancels(waiting), expected: moved(waiting, 'cancel', atOnce) },
  { line: 'pending | resume | –', decided: resumes(waiting), expected: ignored },
  { line: 'pending | end | –', decided: ends(waiting), expected: moved(waiting, 'end', atOnce) },
  { line: 'active | look | its time is over', decided: looked(over(running)), expected: 'expired' },
  { line: 'active | look | –', decided: looked(running), expected: 'active' },
  { line: 'active | activate | –', decided: activates(running), expected: ignored },
  {
    line: 'active | renew | –',
    decided: renews(running),
    expected: moved(running, 'renew', { expiresAt: inAQuarter + day }),
  },
  {
    line: 'active | cancel | –',
    decided: cancels(running),
    expected: moved(running, 'cancel', { state: 'cancelled', cancelledAt: now }),
  },
  { line: 'active | resume | –', decided: resumes(running), expected: ignored },
  { line: 'active | end | –', decided: ends(running), expected: moved(running, 'end', atOnce) },
  { line: 'cancelled | look | its time is over', decided: looked(over(cancelled)), expected: 'expired' },
  { line: 'cancelled | look | –', decided: looked(cancelled), expected: 'cancelled' },
  { line: 'cancelled | activate | –', decided: activates(cancelled), expected: ignored },
  { line: 'cancelled | renew | –', decided: renews(cancelled), expected: refused },
  { line: 'cancelled | cancel | –', decided: cancels(cancelled), expected: ignored },
  {
    line: 'cancelled | resume | –',
    decided: resumes(cancelled),
    expected: moved(cancelled, 'resume', { state: 'active', cancelledAt: null }),
  },
  { line: 'cancelled | end | –', decided: ends(cancelled), expected: moved(cancelled, 'end', atOnce) },
  { line: 'expired | look | –', decided: looked(expired), expected: 'expired' },
  { line: 'expired | activate | –', decided: activates(expired), expected: refused },
  { line: 'expired | renew | –', decided: renews(expired), expected: refused },
  { line: 'expired | cancel | –', decided: cancels(expired), expected: refused },
  { line: 'expired | resume | –', decided: resumes(expired), expected: refused },
  { line: 'expired | end | –', decided: ends(expired), expected: ignored },
  { line: 'ended | look | –', decided: looked(ended), expected: 'ended' },
  { line: 'ended | activate | –', decided: activates(ended), expected: refused },
  { line: 'ended | renew | –', decided: renews(ended), expected: refused },
  { line: 'ended | cancel | –', decided: cancels(ended), expected: refused },
  { line: 'ended | resume | –', decided: resumes(ended), expected: refused },
  { line: 'ended | end | –', decided: ends(ended), expected: ignored },
];

describe('subscription, line by line of its state table', () => {
  it.each(cases)('$line', ({ decided, expected }) => {
    expect(decided).toEqual(expected);
  });

  it('has a case for every line', () => {
    expect(cases.map(({ line }) => line)).toEqual(linesOf(subscriptionMachine));
  });
});

describe('a change of a subscription whose time has come or gone since it was written', () => {
  const settled = (from: Subscription, by: Parameters<typeof moved>[1], answer: boolean) => ({
    ...moved(from, by, { state: 'expired' }),
    answer,
  });

  it.each([
    ['activate', activates],
    ['renew', renews],
    ['cancel', cancels],
    ['resume', resumes],
  ] as const)('%s is refused once it is over, and that it is over is written', (event, change) => {
    for (const stored of [over(come), over(running), over(cancelled)]) {
      expect(change(stored)).toEqual(settled(stored, event, false));
    }
  });

  it('an end is no end before its time once it is over', () => {
    expect(ends(over(running))).toEqual(settled(over(running), 'end', true));
  });

  it('what waited for its day is cancelled to its end, not at once, once its day has come', () => {
    expect(cancels(come)).toEqual(moved(come, 'cancel', { state: 'cancelled', cancelledAt: now }));
  });

  it('what waited for its day is renewed once its day has come, and no earlier', () => {
    const tomorrow = subscriptionRecord({ ...come, activatedAt: now + 1, expiresAt: now + day });
    expect(renews(tomorrow)).toEqual(refused);
    expect(renewSubscription(tomorrow, quarter, now + 1)).toEqual(
      moved(tomorrow, 'renew', { state: 'active', expiresAt: inAQuarter + day }),
    );
  });

  it('what waits for its day can be activated before it, and runs a period from then on', () => {
    const tomorrow = subscriptionRecord({ ...come, activatedAt: now + day, expiresAt: now + 2 * day });
    expect(activates(tomorrow)).toEqual(
      moved(tomorrow, 'activate', { state: 'active', activatedAt: now, expiresAt: inAQuarter }),
    );
  });
});

describe('a subscription as it begins', () => {
  const { subscriptionId, tenantId, memberId, packageId, activatedAt, expiresAt, customPropertyValues } =
    subscriptionRecord();
  const facts = {
    subscriptionId,
    tenantId,
    memberId,
    packageId,
    activatedAt,
    expiresAt,
    customPropertyValues,
  };

  it('has what it was begun with, waits for its day, and was neither cancelled nor ended', () => {
    const tomorrow = { ...facts, activatedAt: now + 1, expiresAt: now + day };
    expect(beginSubscription(tomorrow, now)).toEqual({
      ...tomorrow,
      state: 'pending',
      createdAt: now,
      cancelledAt: null,
      endedAt: null,
    });
  });

  it('is active at once if its time has come', () => {
    expect(beginSubscription(facts, now).state).toBe('active');
  });

  it('is settled once by the clock, however often it is looked at', () => {
    const stored = beginSubscription({ ...facts, activatedAt: now + 1, expiresAt: now + day }, now);
    expect(settleSubscription(stored, now)).toEqual([]);
    const [begun] = settleSubscription(stored, now + 1);
    expect(begun).toEqual(moved(stored, 'look', { state: 'active' }).writes[0]);
    expect(settleSubscription({ ...stored, state: 'active' }, now + day - 1)).toEqual([]);
    for (const from of ['pending', 'active', 'cancelled'] as const) {
      const last = { ...stored, state: from };
      expect(settleSubscription(last, now + day)).toEqual(moved(last, 'look', { state: 'expired' }).writes);
    }
    expect(settleSubscription({ ...stored, state: 'expired' }, now + day)).toEqual([]);
  });
});

describe('activity of a subscription (decision 20)', () => {
  const window = { createdAt: now - 2, activatedAt: now, expiresAt: now + 10, endedAt: null };

  it.each([
    ['activation', window, now, false, true],
    ['expiry', window, now + 10, true, false],
    ['end', { ...window, endedAt: now + 5 }, now + 5, true, false],
    ['order, if it was dated back', { ...window, createdAt: now + 3 }, now + 3, false, true],
  ])('changes at its %s: not 1 ms before', (_what, subscription, moment, before, at) => {
    expect([isActive(subscription, moment - 1), isActive(subscription, moment)]).toEqual([before, at]);
  });

  it.each([
    ['has no activation', { activatedAt: null }],
    ['has no expiry', { expiresAt: null }],
    ['was ended before it began', { endedAt: now - 1 }],
  ])('is never, of one that %s', (_what, changes) => {
    const subscription = { ...window, ...changes };
    expect([now - 1, now, now + 9].filter((at) => isActive(subscription, at))).toEqual([]);
  });
});

describe('renewal of a subscription', () => {
  it('follows the running period without a gap, whenever it comes', () => {
    for (const at of [now, now + day - 1]) {
      expect(renewSubscription(running, quarter, at)).toEqual(
        moved(running, 'renew', { expiresAt: inAQuarter + day }),
      );
    }
  });

  it('keeps the day of the month on which it began, where a month has it', () => {
    let renewed: Subscription = subscriptionRecord({
      activatedAt: Date.UTC(2026, 0, 31, 8),
      expiresAt: Date.UTC(2026, 1, 28, 8),
    });
    const ends = ['2026-03-31', '2026-04-30', '2026-05-31'].map((end) => {
      const decision = renewSubscription(renewed, { unit: 'month', count: 1 }, Date.UTC(2026, 1, 1));
      const [write] = decision.writes;
      if (write?.write === 'moveSubscription') renewed = write.subscription;
      return [end, new Date(renewed.expiresAt ?? 0).toISOString()];
    });
    for (const [end, expiresAt] of ends) expect(expiresAt).toBe(`${end}T08:00:00.000Z`);
  });
});
