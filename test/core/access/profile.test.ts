import { describe, expect, it } from 'vitest';
import { profileOf } from '../../../src/core/access/profile.ts';
import { isActive } from '../../../src/core/access/subscription.ts';
import { normaliseEmail } from '../../../src/core/members/member.ts';
import { sightOf } from '../../../src/core/oidc/scope.ts';
import { subscriptionRecord } from '../../support/records/access-records.ts';
import { memberBasics, memberRecord, now } from '../../support/records/records.ts';

const subscription = subscriptionRecord();
const everything = sightOf(true, 'openid');

describe('member profile with active subscriptions (contract)', () => {
  it('has exactly the fields of the contract', () => {
    const member = memberRecord();
    expect(profileOf(member, [subscription], everything, now)).toEqual({
      ...memberBasics,
      subscriptions: [
        {
          subscriptionId: 41,
          packageId: 7,
          packageName: 'Gold',
          status: 'active',
          createdAt: '2026-01-15T11:59:56.999Z',
          activatedAt: '2026-01-15T11:59:57.998Z',
          expiresAt: '2026-01-15T12:00:01.003Z',
          subscriptionProducts: [
            { id: 71, name: 'Film', hasAccess: true },
            { id: 72, name: 'Sport', hasAccess: true },
          ],
          customPropertyValues: { seats: 2, code: 'x', since: '2026-01-01T00:00:00.000Z' },
        },
      ],
    });
  });

  it('an avatar may be null, and no subscription is an empty list', () => {
    const profile = profileOf(memberRecord({ avatar: null }), [], everything, now);
    expect(profile.avatar).toBeNull();
    expect(profile.subscriptions).toEqual([]);
  });

  it('lists the active subscriptions alone, in their order', () => {
    const over = { ...subscription, subscriptionId: 42, expiresAt: now };
    const coming = { ...subscription, subscriptionId: 43, activatedAt: now + 1 };
    const other = { ...subscription, subscriptionId: 44 };
    const { subscriptions } = profileOf(memberRecord(), [subscription, over, coming, other], everything, now);
    expect(subscriptions.map(({ subscriptionId }) => subscriptionId)).toEqual([41, 44]);
  });
});

describe('subscription (decision 20)', () => {
  it.each([
    [-1, false],
    [0, true],
  ])('%i ms after its activation it is active: %s', (ms, active) => {
    expect(isActive(subscription, now - 2_002 + ms)).toBe(active);
  });

  it.each([
    [-1, true],
    [0, false],
  ])('%i ms after its expiry it is active: %s', (ms, active) => {
    expect(isActive(subscription, now + 1_003 + ms)).toBe(active);
  });
});

describe('address of an account', () => {
  it.each([
    ['ada@example.test', 'ada@example.test'],
    [' Ada@Example.TEST\n', 'ada@example.test'],
    ['BJO\u0308RN@example.test', 'bj\u00f6rn@example.test'],
  ])('%j is compared as %j', (written, compared) => {
    expect(normaliseEmail(written)).toBe(compared);
  });

  it('what stands behind a + tells two accounts apart', () => {
    expect(normaliseEmail('ada+tv@example.test')).not.toBe(normaliseEmail('ada@example.test'));
  });
});
