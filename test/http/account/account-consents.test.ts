import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Consent } from '../../../src/core/access/consent.ts';
import { defineConsent } from '../../../src/operations/access/consent.ts';
import { insertConsentChange, listConsentChanges } from '../../../src/storage/access/consent.ts';
import { setLimits, tenantOf, textOf } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { type AccountVisitor, accountOf, expectLeadsTo } from '../../support/members/account.ts';
import { consentChangeRecord, consentRecord } from '../../support/records/access-records.ts';
import { allRows } from '../../support/records/rows.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { claimsOf } from '../../support/tokens.ts';
import { field, tokensFor } from '../../support/visitor.ts';

const url = '/account/consents';

let service: TestService;
let browser: AccountVisitor;
let memberId: string;

beforeAll(async () => {
  service = await startTestService({ data: 'security' });
  await setLimits(service, hosts.a, { failedSignInsPerAddressAndMinute: null });
  browser = await accountOf(service, hosts.a);
  memberId = String(claimsOf((await tokensFor(service, hosts.a, {}, browser)).access_token).sub);
});
afterAll(() => service.stop());

/** A tenant that asks for nothing, and nobody who answered. */
beforeEach(async () => {
  await service.store.transaction(async (tx) => {
    await tx.deleteFrom('consentChanges').execute();
    await tx.deleteFrom('consents').execute();
  });
});

const ask = (...consents: readonly Partial<Consent>[]) =>
  service.store.transaction(async (tx) => {
    const { id: tenantId } = tenantOf(service, hosts.a);
    for (const consent of consents) await defineConsent(tx, consentRecord({ tenantId, ...consent }));
  });

const offers = { id: 'offers', name: 'Offers & more', description: '', atSignUp: false };

/** The answers that are stored, oldest first. */
const answers = (of = memberId) => service.store.transaction((tx) => listConsentChanges(tx, of));

const recorded = async () =>
  (await answers()).map(({ consentId, status, source, clientId }) => [consentId, status, source, clientId]);

/** The boxes of the page: which there are, and which are ticked. */
const boxesOf = ({ text }: Answer) =>
  Object.fromEntries(
    [...text.matchAll(/<input id="consent-([^"]*)"[^>]*>/g)].map(([tag, id]) => [
      id,
      tag.includes(' checked'),
    ]),
  );

const save = (ticked: readonly string[], asked = 'newsletter offers') =>
  browser.submit(url, { asked, ...Object.fromEntries(ticked.map((id) => [`consent-${id}`, 'yes'])) });

describe('the consents of a member', () => {
  it('decision 39: each has a box that is not ticked before the member did it, and what it is for', async () => {
    await ask({}, offers);
    const page = await browser.send(url);
    expect(boxesOf(page)).toEqual({ newsletter: false, offers: false });
    expect(textOf(page)).toContain('Newsletter A mail every Friday You have not answered yet');
    expect(page.text).toContain('Offers &amp; more');
    expect(field(page, 'asked')).toBe('newsletter offers');
  });

  it('decision 39: a tick is a yes and an empty box a no, kept with the place where they were given', async () => {
    await ask({}, offers);
    expectLeadsTo(await save(['newsletter']), `${url}?done=consents`);
    expect(await recorded()).toEqual([
      ['newsletter', 'accepted', 'account', null],
      ['offers', 'withdrawn', 'account', null],
    ]);
    const page = await browser.send(`${url}?done=consents`);
    expect(boxesOf(page)).toEqual({ newsletter: true, offers: false });
    expect(textOf(page)).toContain('Your answers are saved.');
    expect(textOf(page)).toContain('A mail every Friday You agreed on January 15, 2026');
  });

  it('an answer that changes nothing is not recorded again, and one that does is', async () => {
    await ask({}, offers);
    await save(['newsletter']);
    await save(['newsletter']);
    await save([]);
    expect((await recorded()).map(([id, status]) => `${id} ${status}`)).toEqual([
      'newsletter accepted',
      'offers withdrawn',
      'newsletter withdrawn',
    ]);
  });

  it('what the page did not show is not answered by it: a tenant may begin to ask in between', async () => {
    await ask({});
    const token = field(await browser.send(url), 'token');
    await ask(offers);
    await browser.send(url, { body: { token, asked: 'newsletter', 'consent-newsletter': 'yes' } });
    expect((await recorded()).map(([id]) => id)).toEqual(['newsletter']);
  });

  it('what the tenant does not ask for, or no longer, is ignored', async () => {
    await ask({}, { ...offers, retiredAt: 1 });
    await save(['newsletter', 'offers', 'made-up'], 'newsletter offers made-up');
    expect((await recorded()).map(([id]) => id)).toEqual(['newsletter']);
    expect(boxesOf(await browser.send(url))).toEqual({ newsletter: true });
  });

  it('a yes to an earlier text is said to be one, and saving is a yes to the new one (GDPR art. 7 (1))', async () => {
    await ask({});
    await save(['newsletter']);
    await ask({ description: 'Two mails every day' });
    const page = textOf(await browser.send(url));
    expect(page).toContain('You agreed to an earlier text on January 15, 2026. If you save');
    await save(['newsletter']);
    expect((await answers()).map(({ description }) => description)).toEqual([
      'A mail every Friday',
      'Two mails every day',
    ]);
    expect(textOf(await browser.send(url))).not.toContain('earlier text');
  });

  it('X1: the answers of another member are neither shown nor changed', async () => {
    await ask({});
    const other = await accountOf(service, hosts.a, 'u2@example.test');
    await other.submit(url, { asked: 'newsletter', 'consent-newsletter': 'yes' });
    const page = await browser.send(url);
    expect(boxesOf(page)).toEqual({ newsletter: false });
    expect(page.text).not.toContain('You agreed');
    await save([]);
    expect(boxesOf(await other.send(url))).toEqual({ newsletter: true });
  });

  it('U14: a form of another site, or without its token, answers nothing', async () => {
    await ask({});
    const before = await allRows(service, ['sessions']);
    const token = field(await browser.send(url), 'token');
    const body = { asked: 'newsletter', 'consent-newsletter': 'yes' };
    expect((await browser.send(url, { body })).status).toBe(403);
    const foreign = { body: { ...body, token }, headers: { origin: 'https://evil.test' } };
    expect((await browser.send(url, foreign)).status).toBe(403);
    expect(await allRows(service, ['sessions'])).toEqual(before);
  });
});

describe('the history', () => {
  it('pages 18: has every answer, newest first, with the words, the day and the place of each', async () => {
    const { id: tenantId } = tenantOf(service, hosts.a);
    await ask({}, { ...offers, retiredAt: 1 });
    const day = (date: number) => Date.UTC(2025, 11, date, 12);
    const given = [
      { source: 'sign_up', clientId: null, status: 'withdrawn', changedAt: day(1) },
      {
        source: 'checkout',
        clientId: null,
        changedAt: day(2),
        consentId: 'offers',
        name: 'Old <b>offers</b>',
      },
      { source: 'api', clientId: 'pub1', changedAt: day(3) },
      { source: 'api', clientId: 'an app that is gone', status: 'withdrawn', changedAt: day(4) },
      { source: 'account', clientId: null, changedAt: day(5) },
    ] as const;
    await service.store.transaction(async (tx) => {
      for (const change of given) {
        await insertConsentChange(tx, consentChangeRecord({ tenantId, memberId, ...change }));
      }
    });
    const page = await browser.send(url);
    const lines = [...(page.text.split('<ul class="lines">')[1] ?? '').matchAll(/<li>[\s\S]*?<\/li>/g)];
    expect(lines.map(([html]) => textOf({ text: html } as Answer).trim())).toEqual([
      'Newsletter You agreed on December 5, 2025 · Account page',
      'Newsletter You said no on December 4, 2025 · an app that is gone',
      'Newsletter You agreed on December 3, 2025 · Public One',
      'Old <b>offers</b> You agreed on December 2, 2025 · With an order',
      'Newsletter You said no on December 1, 2025 · When you joined',
    ]);
  });
});

describe('a tenant that asks for nothing', () => {
  it('has no link to the page, and the page says so', async () => {
    expect((await browser.send('/account')).text).not.toContain(url);
    const page = await browser.send(url);
    expect(page.status).toBe(200);
    expect(textOf(page)).toContain('There is nothing here that asks for your consent.');
    expect(page.text).not.toContain('<form');
    await ask({});
    expect((await browser.send('/account')).text).toContain(`href="${url}"`);
  });
});
