import { describe, expect, it } from 'vitest';
import type { Consent } from '../../../src/core/access/consent.ts';
import { checkoutsPerDay, checkoutsPerHour } from '../../../src/core/access/limits.ts';
import { packageDefaults } from '../../../src/core/access/package.ts';
import { defineConsent } from '../../../src/operations/access/consent.ts';
import { changePackage } from '../../../src/operations/access/package.ts';
import { disableMember } from '../../../src/operations/member/member.ts';
import { back, expectLeads, invoiced, newPackage, onward, shopper } from '../../support/access/shopper.ts';
import { countsOf, givenOf, type Row, rowsOf, summariesOf } from '../../support/access/summaries.ts';
import { tenantOf, textOf } from '../../support/device.ts';
import { expectErrorPage } from '../../support/expected/expectations.ts';
import { hosts } from '../../support/fixtures.ts';
import { consentRecord } from '../../support/records/access-records.ts';
import { allRows } from '../../support/records/rows.ts';
import { useService } from '../../support/use-service.ts';
import { field, headingOf } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
const summaries = summariesOf(() => service);

const query = { reference: 'r', onCheckoutCompletedUrl: onward, callBackUrl: back };

describe('a package that changed after the checkout began', () => {
  it('is given at the price that was shown, even if it is not offered any more', async () => {
    const { browser, packageId, ordering } = await summaries.open(invoiced);
    await service.store.transaction((tx) =>
      changePackage(
        tx,
        tenantOf(service, hosts.a).id,
        packageId,
        {
          ...packageDefaults,
          name: 'Dearer',
          price: { amount: 99_900, currency: 'EUR' },
          period: { unit: 'year', count: 1 },
          payment: 'invoice',
          needsAddress: true,
          offered: false,
        },
        [],
      ),
    );
    const page = await browser.send(ordering.path);
    expect(textOf(page).replaceAll('\u00a0', ' ')).toContain('NOK 199 per month');
    expectLeads(await browser.submit({ ...ordering, page }, 'confirm'), onward);
    expect((await givenOf(service, packageId)).invoices).toMatchObject([{ amount: 19_900, currency: 'NOK' }]);
  });

  it('that is not offered when the order begins leads back to what is', async () => {
    const { browser } = await summaries.open();
    const packageId = await newPackage(service, hosts.a);
    const offer = await browser.open({ ...query, packageId });
    await service.store.transaction((tx) =>
      tx.updateTable('packages').set({ offered: 0 }).where('id', '=', packageId).execute(),
    );
    const page = await browser.follow(await browser.press(offer, 'continue'));
    expect(headingOf(page)).toBe('Choose your plan');
    expect(page.text).toContain(`<a href="${back}">`);
    expect(await rowsOf(service, 'checkouts', packageId)).toEqual([]);
  });

  it('that is gone for good when the order begins leads back as well', async () => {
    const { browser } = await summaries.open();
    const packageId = await newPackage(service, hosts.a);
    const offer = await browser.open({ packageId });
    await service.store.transaction(async (tx) => {
      await tx.deleteFrom('packageProducts').where('packageId', '=', packageId).execute();
      await tx.deleteFrom('packages').where('id', '=', packageId).execute();
    });
    const page = await browser.follow(await browser.press(offer, 'continue'));
    expect(headingOf(page)).toBe('Choose your plan');
  });
});

describe('who orders', () => {
  it('A14: a member who was disabled on the way gets nothing', async () => {
    const { browser, packageId, ordering } = await summaries.open(invoiced, 'u2@example.test');
    const { id: tenantId } = tenantOf(service, hosts.a);
    const memberId = String((await rowsOf(service, 'checkouts', packageId))[0]?.memberId);
    await service.store.transaction((tx) => disableMember(tx, tenantId, memberId, service.clock.now()));
    const before = (await allRows(service)).checkouts;
    const answer = await browser.submit(ordering, 'confirm');
    expect(answer.headers.location).toMatch(/^\/sign-in\?flow=/);
    expect((await allRows(service)).checkouts).toEqual(before);
    expect(await countsOf(service, packageId)).toEqual([0, 0, 0]);
    await service.store.transaction((tx) =>
      tx.updateTable('members').set({ status: 'active' }).where('id', '=', memberId).execute(),
    );
    summaries.forget();
  });

  it('"Not you?" signs out, and the order goes on for the member who signs in next', async () => {
    const { browser, packageId, ordering } = await summaries.open();
    expect(textOf(ordering.page)).toContain('u1@example.test');
    const secret = browser.cookies.get('__Host-memberdoor-session');
    const form = await browser.follow(await browser.press(ordering.page, 'switch'));
    expect(headingOf(form)).toBe('Sign in');
    expect(browser.cookies.has('__Host-memberdoor-session')).toBe(false);
    const old = shopper(service, hosts.a);
    old.cookies.set('__Host-memberdoor-session', String(secret));
    expect((await old.send('/account')).headers.location).toMatch(/^\/sign-in/);

    summaries.forget();
    const summary = await browser.follow(await browser.signIn(form, 'u2@example.test'));
    expect(textOf(summary)).toContain('u2@example.test');
    const checkouts = await rowsOf(service, 'checkouts', packageId);
    expect(checkouts).toHaveLength(2);
    expect(checkouts[1]).toMatchObject({ callBackUrl: back, onCheckoutCompletedUrl: onward });
    expect(checkouts[0]?.memberId).not.toBe(checkouts[1]?.memberId);
  });

  it('whose session ended signs in and comes back to the checkout', async () => {
    const { browser, ordering } = await summaries.open();
    browser.cookies.delete('__Host-memberdoor-session');
    const form = await browser.follow(await browser.send(ordering.path));
    expect(headingOf(form)).toBe('Sign in');
    expectLeads(await browser.signIn(form, 'u1@example.test'), ordering.path);
    summaries.forget();
  });

  it(`begins ${checkoutsPerHour} checkouts an hour at most`, async () => {
    service.clock.advance(60 * 60_000);
    const packageId = await newPackage(service, hosts.a);
    const browser = shopper(service, hosts.a);
    await browser.order({ packageId }, 'u2@example.test');
    const begin = async () => {
      const answer = await browser.press(await browser.open({ packageId }), 'continue');
      return browser.send(String(answer.headers.location));
    };
    const answers = await Promise.all(Array.from({ length: checkoutsPerHour - 1 }, begin));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
    const refused = await begin();
    expectErrorPage(refused, 429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(await rowsOf(service, 'checkouts', packageId)).toHaveLength(checkoutsPerHour);
    service.clock.advance(Number(refused.headers['retry-after']) * 1_000);
    expect((await begin()).status).toBe(303);
  });

  it(`and ${checkoutsPerDay} a day`, async () => {
    service.clock.advance(24 * 60 * 60_000);
    const { browser, packageId } = await summaries.open({}, 'u2@example.test');
    const begin = async () => {
      const answer = await browser.press(await browser.open({ packageId }), 'continue');
      return browser.send(String(answer.headers.location));
    };
    for (let begun = 1; begun < checkoutsPerDay; ) {
      service.clock.advance(60 * 60_000);
      const count = Math.min(checkoutsPerHour, checkoutsPerDay - begun);
      const answers = await Promise.all(Array.from({ length: count }, begin));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
      begun += count;
    }
    service.clock.advance(60 * 60_000);
    const refused = await begin();
    expectErrorPage(refused, 429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(60 * 60);
  });
});

describe('consents at the checkout', () => {
  const answers = async (memberId: unknown) =>
    ((await allRows(service)).consentChanges as readonly Row[])
      .filter((row) => row.memberId === memberId)
      .map(({ consentId, status, source }) => [consentId, status, source]);

  it('are asked unticked; what is ticked is recorded with the order, and is not asked again', async () => {
    const { id: tenantId } = tenantOf(service, hosts.a);
    const consent = { tenantId, description: 'Now and then', atSignUp: false, retiredAt: null };
    await service.store.transaction(async (tx) => {
      await defineConsent(tx, { ...consent, id: 'offers', name: 'Offers', atCheckout: true });
      await defineConsent(tx, { ...consent, id: 'tips', name: 'Tips', atCheckout: true });
      await defineConsent(tx, { ...consent, id: 'other', name: 'Elsewhere', atCheckout: false });
    });
    const first = await summaries.open();
    const boxes = first.ordering.page.text.match(/<input[^>]*type="checkbox"[^>]*>/g) ?? [];
    expect(boxes.map((box) => /name="([^"]*)"/.exec(box)?.[1])).toEqual(['consent-offers', 'consent-tips']);
    expect(boxes.join()).not.toContain('checked');
    const memberId = (await rowsOf(service, 'checkouts', first.packageId))[0]?.memberId;
    expect(await answers(memberId)).toEqual([]);
    const asked = field(first.ordering.page, 'asked');
    const more = { asked, 'consent-offers': 'yes', 'consent-other': 'yes' };
    await Promise.all([1, 2, 3].map(() => first.browser.submit(first.ordering, 'confirm', more)));
    expect(await answers(memberId)).toEqual([['offers', 'accepted', 'checkout']]);

    const second = await summaries.open();
    expect(second.ordering.page.text).not.toContain('consent-offers');
    await second.browser.submit(second.ordering, 'confirm', { asked });
    expect(await answers(memberId)).toHaveLength(1);
  });

  it.each([{ name: 'Everything' }, { description: 'Ten calls a day' }])(
    'GDPR art. 7 (1): whose text changed to %j while the page was open are not answered, and the order goes on',
    async (words) => {
      const consent = consentRecord({ tenantId: tenantOf(service, hosts.a).id, atCheckout: true });
      const late = { ...consent, id: `late-${Object.keys(words)}` };
      const steady = { ...consent, id: `steady-${Object.keys(words)}` };
      const define = (...consents: readonly Consent[]) =>
        service.store.transaction(async (tx) => {
          for (const one of consents) await defineConsent(tx, one);
        });
      await define(late, steady);
      const { browser, ordering, packageId } = await summaries.open();
      const memberId = (await rowsOf(service, 'checkouts', packageId))[0]?.memberId;
      await define({ ...late, ...words });
      const ticked = { [`consent-${late.id}`]: 'yes', [`consent-${steady.id}`]: 'yes' };
      const more = { asked: field(ordering.page, 'asked'), ...ticked };
      expectLeads(await browser.submit(ordering, 'confirm', more), onward);
      const given = await answers(memberId);
      expect(given).toContainEqual([steady.id, 'accepted', 'checkout']);
      expect(given.map(([id]) => id)).not.toContain(late.id);
      await define({ ...late, retiredAt: 1 }, { ...steady, retiredAt: 1 });
    },
  );
});
