import { describe, expect, it } from 'vitest';
import type { Consent, ConsentChange } from '../../../src/core/access/consent.ts';
import {
  insertConsentChange,
  listConsentChanges,
  listConsents,
  listLastConsentChanges,
  listNewestConsentChanges,
  saveConsent,
} from '../../../src/storage/access/consent.ts';
import { consentChangeRecord, consentRecord } from '../../support/records/access-records.ts';
import { now } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

describe('consents', () => {
  const offers: Consent = consentRecord({ id: 'offers', name: 'Offers', atSignUp: false, atCheckout: true });

  it('are read as they were written, by id, for their tenant alone', async () => {
    const store = await storeWithMember();
    const foreign = consentRecord({ tenantId: 'tenant-b', description: 'Theirs' });
    const found = await store.transaction(async (tx) => {
      for (const one of [offers, foreign, consentRecord()]) await saveConsent(tx, one);
      return [await listConsents(tx, 'tenant-a'), await listConsents(tx, 'tenant-b')];
    });
    expect(found).toEqual([[consentRecord(), offers], [foreign]]);
  });

  it('saved again change every field, and retired ones are not listed until they are taken back', async () => {
    const store = await storeWithMember();
    const changed = { ...offers, id: 'newsletter', description: 'Changed' };
    const found = await store.transaction(async (tx) => {
      await saveConsent(tx, consentRecord());
      await saveConsent(tx, changed);
      const listed = [await listConsents(tx, 'tenant-a')];
      await saveConsent(tx, { ...changed, retiredAt: now });
      listed.push(await listConsents(tx, 'tenant-a'));
      await saveConsent(tx, changed);
      return [...listed, await listConsents(tx, 'tenant-a')];
    });
    expect(found).toEqual([[changed], [], [changed]]);
  });

  it('are answered, and every answer is kept as it was given, oldest first', async () => {
    const store = await storeWithMember();
    const first: ConsentChange = {
      tenantId: 'tenant-a',
      memberId: 'member-1',
      consentId: 'newsletter',
      status: 'accepted',
      name: 'Newsletter, as it was called',
      description: 'A mail every Friday, as it was said',
      source: 'api',
      clientId: 'client-1',
      changedAt: now,
    };
    // Given later, by a clock that was put back since: the order is that of the answers.
    const second: ConsentChange = {
      ...first,
      status: 'withdrawn',
      source: 'sign_up',
      clientId: null,
      changedAt: now - 1,
    };
    const found = await store.transaction(async (tx) => {
      await saveConsent(tx, consentRecord());
      await insertConsentChange(tx, first);
      await insertConsentChange(tx, second);
      await saveConsent(tx, consentRecord({ name: 'Changed', retiredAt: now }));
      return [await listConsentChanges(tx, 'member-1'), await listConsentChanges(tx, 'member-2')];
    });
    expect(found).toEqual([[first, second], []]);
  });
});

describe('what was answered last', () => {
  it('is one answer to each consent, retired ones too, by the order of the answers and not by the clock', async () => {
    const store = await storeWithMember();
    const answer = (consentId: string, changedAt: number, status: 'accepted' | 'withdrawn' = 'accepted') =>
      consentChangeRecord({ consentId, changedAt, status });
    const found = await store.transaction(async (tx) => {
      for (const id of ['newsletter', 'offers', 'unanswered']) await saveConsent(tx, consentRecord({ id }));
      for (const change of [
        answer('offers', 1),
        answer('newsletter', 9),
        answer('newsletter', 8, 'withdrawn'),
        answer('offers', 0),
      ]) {
        await insertConsentChange(tx, change);
      }
      await saveConsent(tx, consentRecord({ id: 'offers', retiredAt: now }));
      return {
        last: await listLastConsentChanges(tx, { tenantId: 'tenant-a', id: 'member-1' }),
        newest: await listNewestConsentChanges(tx, 'member-1', 3),
        others: [
          await listLastConsentChanges(tx, { tenantId: 'tenant-b', id: 'member-1' }),
          await listLastConsentChanges(tx, { tenantId: 'tenant-a', id: 'member-2' }),
          await listNewestConsentChanges(tx, 'member-2', 3),
        ],
      };
    });
    expect(found).toEqual({
      last: [answer('newsletter', 8, 'withdrawn'), answer('offers', 0)],
      newest: [answer('offers', 0), answer('newsletter', 8, 'withdrawn'), answer('newsletter', 9)],
      others: [[], [], []],
    });
  });
});
