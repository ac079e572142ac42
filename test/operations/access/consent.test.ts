import { describe, expect, it } from 'vitest';
import type { ConsentStatus } from '../../../src/core/access/consent.ts';
import { answerConsents, defineConsent } from '../../../src/operations/access/consent.ts';
import { listConsentChanges, listConsents } from '../../../src/storage/access/consent.ts';
import type { Store } from '../../../src/storage/store.ts';
import { problemsOf } from '../../support/expected/refusals.ts';
import { consentRecord } from '../../support/records/access-records.ts';
import { now } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

const newsletter = consentRecord();
const offers = consentRecord({ id: 'offers', name: 'Offers', description: 'Now and then' });
const retired = consentRecord({ id: 'retired', retiredAt: now - 1 });
const foreign = consentRecord({ id: 'foreign', tenantId: 'tenant-b' });

async function storeWithConsents() {
  const store = await storeWithMember();
  await store.transaction(async (tx) => {
    for (const consent of [newsletter, offers, retired, foreign]) await defineConsent(tx, consent);
  });
  return store;
}

const answerer = { memberId: 'member-1', source: 'api', clientId: 'app', changedAt: now } as const;

const answer = (store: Store, answers: Readonly<Record<string, ConsentStatus>>, changedAt = now) =>
  store.transaction((tx) =>
    answerConsents(tx, 'tenant-a', new Map(Object.entries(answers)), { ...answerer, changedAt }),
  );

const changesOf = (store: Store) => store.transaction((tx) => listConsentChanges(tx, 'member-1'));

const changeTo = ({ id, name, description }: typeof newsletter, status: ConsentStatus, changedAt = now) => ({
  ...answerer,
  tenantId: 'tenant-a',
  consentId: id,
  name,
  description,
  status,
  changedAt,
});

describe('defining a consent', () => {
  it('adds it, and changes it when it is defined again', async () => {
    const store = await storeWithConsents();
    const changed = { ...newsletter, name: 'News', atSignUp: false, atCheckout: true };
    await store.transaction((tx) => defineConsent(tx, changed));
    const found = await store.transaction(async (tx) => [
      await listConsents(tx, 'tenant-a'),
      await listConsents(tx, 'tenant-b'),
    ]);
    expect(found).toEqual([[changed, offers], [foreign]]);
  });

  it('is refused for all its problems at once', async () => {
    const store = await storeWithConsents();
    const wrong = { ...newsletter, id: 'News letter', name: '', description: 'x'.repeat(1_001) };
    expect(await problemsOf(store, (tx) => defineConsent(tx, wrong))).toEqual([
      'id must be 1 to 64 small letters, digits and hyphens in between',
      'name is missing',
      'description has more than 1000 characters',
    ]);
    const { name, ...rest } = newsletter;
    expect(await problemsOf(store, (tx) => defineConsent(tx, { ...rest, name: name.repeat(11) }))).toEqual([
      'name has more than 100 characters',
    ]);
  });
});

describe('answers of a member (decision 39)', () => {
  it('are recorded, each with its words', async () => {
    const store = await storeWithConsents();
    await answer(store, { offers: 'withdrawn', newsletter: 'accepted' });
    expect(await changesOf(store)).toEqual([changeTo(newsletter, 'accepted'), changeTo(offers, 'withdrawn')]);
  });

  it('to what the tenant does not ask, does not ask any more or another tenant asks are left out', async () => {
    const store = await storeWithConsents();
    await answer(store, {
      nothing: 'accepted',
      retired: 'accepted',
      foreign: 'accepted',
    });
    expect(await changesOf(store)).toEqual([]);
  });

  it('that are the same again are not recorded again; another answer is, after those before it', async () => {
    const store = await storeWithConsents();
    await answer(store, { newsletter: 'accepted' });
    await answer(store, { newsletter: 'accepted', offers: 'withdrawn' }, now + 1);
    await answer(store, { newsletter: 'withdrawn', offers: 'withdrawn' }, now + 2);
    await answer(store, {}, now + 3);
    expect(await changesOf(store)).toEqual([
      changeTo(newsletter, 'accepted'),
      changeTo(offers, 'withdrawn', now + 1),
      changeTo(newsletter, 'withdrawn', now + 2),
    ]);
  });

  it('that accept again what was worded anew are recorded with the new words; the old are kept', async () => {
    const store = await storeWithConsents();
    await answer(store, { newsletter: 'accepted' });
    const reworded = { ...newsletter, description: 'A mail a day' };
    await store.transaction((tx) => defineConsent(tx, reworded));
    await answer(store, { newsletter: 'accepted' }, now + 1);
    expect(await changesOf(store)).toEqual([
      changeTo(newsletter, 'accepted'),
      changeTo(reworded, 'accepted', now + 1),
    ]);
  });
});
