import { describe, expect, it } from 'vitest';
import {
  answerConsent,
  type Consent,
  type ConsentChange,
  type ConsentStatus,
  consentOf,
  wordsOf,
} from '../../../src/core/access/consent.ts';
import { consentRecord } from '../../support/records/access-records.ts';
import { hour, now } from '../../support/records/records.ts';

const consent = consentRecord();
const answerer = {
  memberId: 'member-1',
  source: 'api',
  clientId: 'client-1',
  changedAt: now,
} as const;

const answered = (status: ConsentStatus, changes: Partial<ConsentChange> = {}): ConsentChange => ({
  tenantId: 'tenant-a',
  memberId: 'member-1',
  consentId: 'newsletter',
  status,
  name: 'Newsletter',
  description: 'A mail every Friday',
  source: 'account',
  clientId: null,
  changedAt: now - hour,
  ...changes,
});

describe('a consent of a member (decision 39)', () => {
  const shown = { id: 'newsletter', name: 'Newsletter', description: 'A mail every Friday' };
  const long = now - 2 * hour;

  it.each<[string, readonly ConsentChange[], ConsentStatus, string | null]>([
    ['never answered is withdrawn, at no time', [], 'withdrawn', null],
    ['accepted', [answered('accepted')], 'accepted', '2026-01-15T11:00:00.000Z'],
    ['refused', [answered('withdrawn')], 'withdrawn', '2026-01-15T11:00:00.000Z'],
    [
      'accepted, then withdrawn',
      [answered('accepted', { changedAt: long }), answered('withdrawn')],
      'withdrawn',
      '2026-01-15T11:00:00.000Z',
    ],
    [
      'withdrawn, then accepted',
      [answered('withdrawn', { changedAt: long }), answered('accepted')],
      'accepted',
      '2026-01-15T11:00:00.000Z',
    ],
    [
      'another one was accepted',
      [answered('withdrawn', { changedAt: long }), answered('accepted', { consentId: 'offers' })],
      'withdrawn',
      '2026-01-15T10:00:00.000Z',
    ],
    ['only another one was answered', [answered('accepted', { consentId: 'offers' })], 'withdrawn', null],
  ])('%s', (_history, changes, status, changedAt) => {
    expect(consentOf(consent, changes)).toEqual({ ...shown, status, changedAt });
  });

  it('shows the words of today, with the answer that was given to others', () => {
    const reworded = consentRecord({ name: 'News', description: 'A mail a day' });
    expect(consentOf(reworded, [answered('accepted')])).toEqual({
      id: 'newsletter',
      name: 'News',
      description: 'A mail a day',
      status: 'accepted',
      changedAt: '2026-01-15T11:00:00.000Z',
    });
  });
});

describe('the digest of a consent’s words', () => {
  it.each([
    { id: 'news' },
    { name: 'News' },
    { description: 'A mail a day' },
    { name: 'Newsletter A', description: 'mail every Friday' },
  ])('is another one for %j', (words) => {
    expect(wordsOf(consentRecord(words))).not.toBe(wordsOf(consent));
  });

  it('is the same for the same words, wherever they are asked for', () => {
    expect(wordsOf(consentRecord({ atSignUp: false, atCheckout: true }))).toBe(wordsOf(consent));
  });
});

describe('an answer to a consent', () => {
  const writesOf = (status: ConsentStatus, changes: readonly ConsentChange[] = [], to: Consent = consent) =>
    answerConsent(to, changes, status, answerer);

  const recorded = (status: ConsentStatus, words: Partial<ConsentChange> = {}) => [
    { write: 'insertConsentChange', change: answered(status, { ...answerer, ...words }) },
  ];

  it.each(['accepted', 'withdrawn'] as const)(
    'the first, %s, is recorded with who gave it, where, when and to which words',
    (status) => {
      expect(writesOf(status)).toEqual(recorded(status));
    },
  );

  it('the other way round is recorded', () => {
    expect(writesOf('withdrawn', [answered('accepted')])).toEqual(recorded('withdrawn'));
    expect(writesOf('accepted', [answered('accepted'), answered('withdrawn')])).toEqual(recorded('accepted'));
  });

  it.each(['accepted', 'withdrawn'] as const)('%s again is not recorded again', (status) => {
    const other = status === 'accepted' ? 'withdrawn' : 'accepted';
    expect(writesOf(status, [answered(other), answered(status)])).toEqual([]);
  });

  it('the same to another consent is recorded', () => {
    expect(writesOf('accepted', [answered('accepted', { consentId: 'offers' })])).toEqual(
      recorded('accepted'),
    );
  });

  it.each([{ name: 'News' }, { description: 'A mail a day' }])(
    'a yes to words that have changed is recorded with them, a no is not: %j',
    (words) => {
      const reworded = consentRecord(words);
      expect(writesOf('accepted', [answered('accepted')], reworded)).toEqual(recorded('accepted', words));
      expect(writesOf('withdrawn', [answered('withdrawn')], reworded)).toEqual([]);
    },
  );
});
