import { describe, expect, it } from 'vitest';
import { contentAccessOf } from '../../../src/core/access/content-access.ts';
import { channelAccess, isAccessId } from '../../../src/core/access/content-channel.ts';
import { sightOf } from '../../../src/core/oidc/scope.ts';
import { channelRecord, subscriptionRecord } from '../../support/records/access-records.ts';
import { memberBasics, memberRecord, now } from '../../support/records/records.ts';

const film = { id: 71, name: 'Film' };
const sport = { id: 72, name: 'Sport' };
const news = { id: 73, name: 'News' };

const channel = channelRecord();
const subscription = subscriptionRecord();
const closed = { hasAccess: false, validUntil: null, grantedBy: null };
const open = {
  hasAccess: true,
  validUntil: now + 1_003,
  grantedBy: { subscriptionId: 41, packageId: 7, productId: 72 },
};

describe('whether a channel is open (decision 38)', () => {
  it('it is open to a member who has a running subscription with one of its products', () => {
    expect(channelAccess(channel, [subscription], now)).toEqual(open);
  });

  it.each([
    ['-1 ms after its activation', subscription.activatedAt, -1, closed],
    ['0 ms after its activation', subscription.activatedAt, 0, open],
    ['-1 ms after its expiry', subscription.expiresAt, -1, open],
    ['0 ms after its expiry', subscription.expiresAt, 0, closed],
  ])('%s (decision 20)', (_when, moment, ms, expected) => {
    expect(channelAccess(channel, [subscription], (moment ?? 0) + ms)).toEqual(expected);
  });

  it.each([
    ['the member has no subscription', channel, []],
    ['no product opens it', channelRecord({ productIds: [] }), [subscription]],
    ['the package has other products', channelRecord({ productIds: [73] }), [subscription]],
    ['the package has no products', channel, [subscriptionRecord({ products: [] })]],
    [
      'the subscription waits for a payment',
      channel,
      [subscriptionRecord({ activatedAt: null, expiresAt: null })],
    ],
    ['the subscription was ended', channel, [subscriptionRecord({ state: 'ended', endedAt: now })]],
  ])('it is not, if %s', (_why, one, subscriptions) => {
    expect(channelAccess(one, subscriptions, now)).toEqual(closed);
  });

  it('it is to one who cancelled, until the period ends', () => {
    const cancelled = subscriptionRecord({ state: 'cancelled', cancelledAt: now - 1 });
    expect(channelAccess(channel, [cancelled], now)).toEqual(open);
  });

  it('of several grants the one that lasts longest is named, wherever it stands', () => {
    const longer = subscriptionRecord({ subscriptionId: 42, packageId: 8, expiresAt: now + 1_004 });
    const expected = {
      hasAccess: true,
      validUntil: now + 1_004,
      grantedBy: { subscriptionId: 42, packageId: 8, productId: 72 },
    };
    for (const several of [
      [subscription, longer],
      [longer, subscription],
    ]) {
      expect(channelAccess(channel, several, now)).toEqual(expected);
    }
  });

  it('of two that last equally long the older is named', () => {
    const younger = subscriptionRecord({ subscriptionId: 42 });
    expect(channelAccess(channel, [subscription, younger], now)).toEqual(open);
  });

  it('one that lasts longer but does not open it is not named', () => {
    const others = [
      subscriptionRecord({ subscriptionId: 42, expiresAt: now + 9_000, products: [news] }),
      subscriptionRecord({ subscriptionId: 43, expiresAt: now + 9_000, activatedAt: now + 1 }),
      subscriptionRecord({ subscriptionId: 44, expiresAt: now + 9_000, endedAt: now - 1 }),
    ];
    expect(channelAccess(channel, [subscription, ...others], now)).toEqual(open);
  });

  it('of several products that open it the first of the package is named', () => {
    const both = channelRecord({ productIds: [73, 72, 71] });
    const all = subscriptionRecord({ products: [film, sport, news] });
    expect(channelAccess(both, [all], now).grantedBy?.productId).toBe(71);
  });
});

describe('content-access profile (decisions 5 and 38)', () => {
  const sees = sightOf(true, 'openid');
  const everything = subscriptionRecord({
    subscriptionId: 42,
    packageId: 8,
    expiresAt: now + 2_000,
    products: [news],
  });
  const channels = [
    channel,
    channelRecord({ id: 'news', name: 'News', description: '', productIds: [73] }),
    channelRecord({ id: 'radio', name: 'Radio', description: 'Music', productIds: [] }),
  ];

  it('has exactly the member’s basics and every channel, open or not', () => {
    expect(contentAccessOf(memberRecord(), channels, [subscription, everything], sees, now)).toEqual({
      ...memberBasics,
      contentChannels: [
        {
          id: 'sport-live',
          name: 'Sport live',
          description: 'Every match',
          hasAccess: true,
          validUntil: '2026-01-15T12:00:01.003Z',
          grantedBy: { subscriptionId: 41, packageId: 7, productId: 72 },
        },
        {
          id: 'news',
          name: 'News',
          description: '',
          hasAccess: true,
          validUntil: '2026-01-15T12:00:02.000Z',
          grantedBy: { subscriptionId: 42, packageId: 8, productId: 73 },
        },
        {
          id: 'radio',
          name: 'Radio',
          description: 'Music',
          hasAccess: false,
          validUntil: null,
          grantedBy: null,
        },
      ],
    });
  });

  it('of a tenant without channels has none', () => {
    expect(contentAccessOf(memberRecord(), [], [subscription], sees, now).contentChannels).toEqual([]);
  });
});

describe('id of a channel or a consent', () => {
  it.each(['a', '7', 'sport-live', 'a--b', `a${'-'.repeat(62)}z`])('%s can be one', (id) => {
    expect(isAccessId(id)).toBe(true);
  });

  it.each(['', '-', '-a', 'a-', 'Sport', 'a b', 'a/b', 'a.b', 'a_b', 'é', 'a\n', '..', 'a'.repeat(65)])(
    '%j cannot',
    (id) => {
      expect(isAccessId(id)).toBe(false);
    },
  );
});
