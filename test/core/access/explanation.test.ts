import { describe, expect, it } from 'vitest';
import { explain, type Verdict } from '../../../src/core/access/content-channel.ts';
import type { MemberSubscription } from '../../../src/core/access/subscription.ts';
import { channelRecord, subscriptionRecord } from '../../support/records/access-records.ts';
import { now } from '../../support/records/records.ts';

const film = { id: 71, name: 'Film' };
const sport = { id: 72, name: 'Sport' };
const products = [film, sport, { id: 73, name: 'News' }];
const channel = channelRecord();

const explained = (
  subscriptions: readonly MemberSubscription[],
  at = now,
  one: Partial<typeof channel> = {},
) => explain('member-1', channelRecord(one), products, subscriptions, at);

/** The verdict on one subscription, and the sentence. */
function verdictOn(changes: Partial<MemberSubscription>, at = now): readonly [Verdict | undefined, string] {
  const { subscriptions, summary } = explained([subscriptionRecord(changes)], at);
  return [subscriptions[0]?.verdict, summary];
}

const waiting = { state: 'pending', activatedAt: null, expiresAt: null } as const;
const ended = { state: 'ended', endedAt: now } as const;

const opened = 'Open until 2026-01-15T12:00:01.003Z: subscription 41 to Gold has a product of this channel.';
const but = (why: string) => `Closed: subscription 41 to Gold has the product, but ${why}.`;

describe('why a channel is open or closed', () => {
  it('is explained with every field', () => {
    const subscription = subscriptionRecord({ cancelledAt: now - 1, state: 'cancelled' });
    expect(explained([subscription])).toEqual({
      memberId: 'member-1',
      channel: { id: 'sport-live', name: 'Sport live', products: [sport] },
      at: '2026-01-15T12:00:00.000Z',
      hasAccess: true,
      validUntil: '2026-01-15T12:00:01.003Z',
      grantedBy: { subscriptionId: 41, packageId: 7, productId: 72 },
      summary: opened,
      subscriptions: [
        {
          subscriptionId: 41,
          packageId: 7,
          packageName: 'Gold',
          verdict: 'grants',
          product: sport,
          createdAt: '2026-01-15T11:59:56.999Z',
          activatedAt: '2026-01-15T11:59:57.998Z',
          expiresAt: '2026-01-15T12:00:01.003Z',
          endedAt: null,
        },
      ],
    });
  });

  it.each<[Verdict, Partial<MemberSubscription>, string]>([
    ['grants', {}, opened],
    [
      'other_products',
      { products: [film] },
      'Closed: no package of the member has a product of this channel.',
    ],
    ['not_ordered', { createdAt: now + 1 }, but('it was ordered at 2026-01-15T12:00:00.001Z')],
    ['not_paid', waiting, but('it waits for a payment')],
    ['not_yet', { activatedAt: now + 1 }, but('it begins at 2026-01-15T12:00:00.001Z')],
    ['ended', ended, but('it was ended at 2026-01-15T12:00:00.000Z')],
    ['ended', { ...waiting, ...ended }, but('it was ended at 2026-01-15T12:00:00.000Z')],
    ['ended', { ...ended, expiresAt: now }, but('it was ended at 2026-01-15T12:00:00.000Z')],
    ['over', { expiresAt: now }, but('it was over at 2026-01-15T12:00:00.000Z')],
  ])('%s: %j', (verdict, changes, summary) => {
    expect(verdictOn(changes)).toEqual([verdict, summary]);
  });

  it('other products are named whatever the window of the subscription', () => {
    for (const changes of [{ expiresAt: now }, ended, waiting, { createdAt: now + 1 }]) {
      expect(verdictOn({ products: [], ...changes })[0]).toBe('other_products');
    }
  });
});

describe('why a channel was open or closed at a moment', () => {
  const { createdAt, activatedAt, expiresAt } = subscriptionRecord();

  it.each<[string, number | null, number, Verdict, Partial<MemberSubscription>]>([
    ['-1 ms after the order', createdAt, -1, 'not_ordered', {}],
    ['0 ms after the order', createdAt, 0, 'not_yet', {}],
    ['0 ms after the order', createdAt, 0, 'not_paid', waiting],
    ['-1 ms after the activation', activatedAt, -1, 'not_yet', {}],
    ['0 ms after the activation', activatedAt, 0, 'grants', {}],
    ['-1 ms after the expiry', expiresAt, -1, 'grants', {}],
    ['0 ms after the expiry', expiresAt, 0, 'over', {}],
    ['-1 ms after the end', now, -1, 'grants', ended],
    ['0 ms after the end', now, 0, 'ended', ended],
    ['before the end of one that never began', now, -1, 'not_paid', { ...waiting, ...ended }],
    ['long before all of it', 0, 0, 'not_ordered', ended],
    ['long after all of it', Date.UTC(2100, 0), 0, 'over', {}],
    ['long after all of it', Date.UTC(2100, 0), 0, 'ended', ended],
  ])('%s (%i%+i ms): %s', (_when, moment, ms, verdict, changes) => {
    expect(verdictOn(changes, (moment ?? 0) + ms)[0]).toBe(verdict);
  });

  it('one that was dated back opened nothing before it was ordered', () => {
    const { hasAccess, subscriptions } = explained(
      [subscriptionRecord({ createdAt: now, activatedAt: now - 9_000 })],
      now - 1,
    );
    expect([hasAccess, subscriptions[0]?.verdict]).toEqual([false, 'not_ordered']);
  });

  it('says the moment it was asked for', () => {
    expect(explained([], now - 1).at).toBe('2026-01-15T11:59:59.999Z');
  });
});

describe('the sentence of an explanation', () => {
  it('says that nothing opens the channel, before anything of the member', () => {
    expect(explained([subscriptionRecord()], now, { productIds: [] }).summary).toBe(
      'No product opens this channel, so it is closed to everybody.',
    );
  });

  it('says that the member has no subscription', () => {
    expect(explained([])).toMatchObject({
      hasAccess: false,
      validUntil: null,
      grantedBy: null,
      summary: 'Closed: the member has no subscription.',
      subscriptions: [],
    });
  });

  it('names the subscription that grants longest, as the API does', () => {
    const longer = subscriptionRecord({ subscriptionId: 42, packageName: 'News', expiresAt: now + 2_000 });
    const over = subscriptionRecord({ subscriptionId: 43, expiresAt: now });
    const { summary, grantedBy, subscriptions } = explained([subscriptionRecord(), longer, over]);
    expect(summary).toBe(
      'Open until 2026-01-15T12:00:02.000Z: subscription 42 to News has a product of this channel.',
    );
    expect(grantedBy?.subscriptionId).toBe(42);
    expect(subscriptions.map(({ verdict }) => verdict)).toEqual(['grants', 'grants', 'over']);
  });

  it('names the newest subscription that has the product, if none grants', () => {
    const { summary } = explained([
      subscriptionRecord({ expiresAt: now - 1 }),
      subscriptionRecord({ subscriptionId: 42, expiresAt: now }),
      subscriptionRecord({ subscriptionId: 43, products: [film] }),
    ]);
    expect(summary).toBe(
      'Closed: subscription 42 to Gold has the product, but it was over at 2026-01-15T12:00:00.000Z.',
    );
  });

  it('lists of the channel’s products those that the tenant has, by name', () => {
    expect(explained([], now, { productIds: [73, 71, 99] }).channel.products).toEqual([
      film,
      { id: 73, name: 'News' },
    ]);
  });
});
