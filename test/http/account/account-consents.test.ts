import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Consent } from '../../../src/core/access/consent.ts';
import { consentAnswers, consentHistoryShown } from '../../../src/core/access/limits.ts';
import { countingWindow } from '../../../src/core/limits.ts';
import { defineConsent } from '../../../src/operations/access/consent.ts';
import {
  insertConsentChange,
  listConsentChanges,
  listConsents,
} from '../../../src/storage/access/consent.ts';
import { setLimits, tenantOf, textOf } from '../../support/device.ts';
import { expectErrorPage } from '../../support/expected/expectations.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { type AccountVisitor, accountOf, expectDone } from '../../support/members/account.ts';
import { askedFor, consentChangeRecord, consentRecord } from '../../support/records/access-records.ts';
import { allRows } from '../../support/records/rows.ts';
import { claimsOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { field, tokensFor } from '../../support/visitor.ts';

const url = '/account/consents';

const service = useService({ data: 'security' });
let browser: AccountVisitor;
let memberId: string;

beforeAll(async () => {
  await setLimits(service, hosts.a, { failedSignInsPerAddressAndMinute: null });
  browser = await accountOf(service, hosts.a);
  memberId = String(claimsOf((await tokensFor(service, hosts.a, {}, browser)).access_token).sub);
});

/** Removes the tenant's consents and all answers, and moves the clock to another minute. */
beforeEach(async () => {
  service.clock.advance(countingWindow.minute);
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

const boxes = (ticked: readonly string[]) => Object.fromEntries(ticked.map((id) => [`consent-${id}`, 'yes']));

/** What a page says that shows everything that the tenant asks for now. */
const askedNow = async () =>
  askedFor(...(await service.store.transaction((tx) => listConsents(tx, tenantOf(service, hosts.a).id))));

const save = async (ticked: readonly string[], asked?: string) =>
  browser.submit(url, { asked: asked ?? (await askedNow()), ...boxes(ticked) });

describe('the consents of a member', () => {
  it('decision 39: each has a box that is not ticked before the member did it, and what it is for', async () => {
    await ask({}, offers);
    const page = await browser.send(url);
    expect(boxesOf(page)).toEqual({ newsletter: false, offers: false });
    expect(textOf(page)).toContain('Newsletter A mail every Friday You have not answered yet');
    expect(page.text).toContain('Offers &amp; more');
    expect(field(page, 'asked')).toMatch(/^newsletter\.[\w-]{16} offers\.[\w-]{16}$/);
  });

  it('decision 39: a tick is a yes, kept with its place; a box that was never ticked answers nothing', async () => {
    await ask({}, offers);
    expectDone(await save(['newsletter']), url, 'consents');
    expect(await recorded()).toEqual([['newsletter', 'accepted', 'account', null]]);
    const page = await browser.send(url);
    expect(boxesOf(page)).toEqual({ newsletter: true, offers: false });
    expect(textOf(page)).toContain('Your answers are saved.');
    expect(textOf(page)).toContain('A mail every Friday You agreed on January 15, 2026');
    expect(textOf(page)).toMatch(/Offers & more .*You have not answered yet/);
  });

  it('an answer that changes nothing is not recorded again, and one that does is', async () => {
    await ask({}, offers);
    await save(['newsletter']);
    await save(['newsletter']);
    await save([]);
    expect((await recorded()).map(([id, status]) => `${id} ${status}`)).toEqual([
      'newsletter accepted',
      'newsletter withdrawn',
    ]);
  });

  it('what the page did not show is not answered by it: a tenant may begin to ask in between', async () => {
    await ask({});
    const page = await browser.send(url);
    await ask(offers);
    const body = { token: field(page, 'token'), asked: field(page, 'asked'), ...boxes(['newsletter']) };
    expectDone(await browser.send(url, { body }), url, 'consents');
    expect((await recorded()).map(([id]) => id)).toEqual(['newsletter']);
  });

  it('what the tenant does not ask for, or no longer, is ignored', async () => {
    await ask({}, { ...offers, retiredAt: 1 });
    const retired = askedFor(consentRecord(offers), consentRecord({ id: 'made-up' }));
    await save(['newsletter', 'offers', 'made-up'], `${await askedNow()} ${retired} __proto__.x .`);
    expect((await recorded()).map(([id]) => id)).toEqual(['newsletter']);
    expect(boxesOf(await browser.send(url))).toEqual({ newsletter: true });
  });

  it('a yes to an earlier text is said to be one, and saving is a yes to the new one (GDPR art. 7 (1))', async () => {
    await ask({});
    await save(['newsletter']);
    await ask({ description: 'Two mails every day' });
    const page = textOf(await browser.send(url));
    expect(page).toContain('You agreed to an earlier version on January 15, 2026. Saving');
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
    await other.submit(url, { asked: await askedNow(), 'consent-newsletter': 'yes' });
    const page = await browser.send(url);
    expect(boxesOf(page)).toEqual({ newsletter: false });
    expect(page.text).not.toContain('You agreed');
    await save([]);
    expect(boxesOf(await other.send(url))).toEqual({ newsletter: true });
  });

  it('U14: a form of another site, or without its token, answers nothing', async () => {
    await ask({});
    const before = await allRows(service, ['auditEvents', 'sessions']);
    const token = field(await browser.send(url), 'token');
    const body = { asked: await askedNow(), 'consent-newsletter': 'yes' };
    expect((await browser.send(url, { body })).status).toBe(403);
    const foreign = { body: { ...body, token }, headers: { origin: 'https://evil.test' } };
    expect((await browser.send(url, foreign)).status).toBe(403);
    expect(await allRows(service, ['auditEvents', 'sessions'])).toEqual(before);
  });
});

describe('a text that changed while the page was open (GDPR art. 7 (1))', () => {
  /** Opens the page, changes the words of one consent, and sends the form with these boxes. */
  const answerLate = async (words: Partial<Consent>, ticked: readonly string[]) => {
    const page = await browser.send(url);
    await ask(words);
    const body = { token: field(page, 'token'), asked: field(page, 'asked'), ...boxes(ticked) };
    return browser.send(url, { body });
  };

  it.each([{ name: 'Everything' }, { description: 'Ten calls a day' }])(
    'is not agreed to: %j is asked for again, unticked, and the other answers are saved',
    async (words) => {
      await ask({}, offers);
      const answer = await answerLate(words, ['newsletter', 'offers']);
      expectErrorPage(answer, 422);
      expect(textOf(answer)).toContain('has changed since you opened this page');
      expect(answer.text).toMatch(/<a href="#consent-newsletter">/);
      expect(answer.text).toMatch(/<input id="consent-newsletter"[^>]*aria-invalid="true"/);
      expect(boxesOf(answer)).toEqual({ newsletter: false, offers: true });
      expect(await recorded()).toEqual([['offers', 'accepted', 'account', null]]);

      const body = { token: field(answer, 'token'), asked: field(answer, 'asked') };
      const again = await browser.send(url, { body: { ...body, ...boxes(['newsletter', 'offers']) } });
      expectDone(again, url, 'consents');
      expect((await answers()).at(-1)).toMatchObject({ consentId: 'newsletter', ...words });
    },
  );

  it('is not refused either, and a tick that was taken away stays away', async () => {
    await ask({});
    await save(['newsletter']);
    expect(boxesOf(await answerLate({ name: 'News' }, ['newsletter']))).toEqual({ newsletter: true });
    expect(boxesOf(await answerLate({ name: 'Newer' }, []))).toEqual({ newsletter: false });
    expect(await recorded()).toHaveLength(1);
  });

  it('of a form without digests counts as changed', async () => {
    await ask({});
    expectErrorPage(await save(['newsletter'], 'newsletter'), 422);
    expect(await recorded()).toEqual([]);
  });
});

describe('answers again and again', () => {
  it('are held to so many a minute, changed or not, and nothing of a refused one is recorded', async () => {
    await ask({});
    const token = field(await browser.send(url), 'token');
    const asked = await askedNow();
    const send = (ticked: readonly string[]) =>
      browser.send(url, { body: { token, asked, ...boxes(ticked) } });
    for (let count = 0; count < consentAnswers.perMinute; count += 1) {
      expect((await send(['newsletter'])).status).toBe(303);
    }
    const refused = await send([]);
    expectErrorPage(refused, 429);
    expect(textOf(refused)).toContain('Your answers were not saved this time.');
    expect(await recorded()).toHaveLength(1);
    service.clock.advance(Number(refused.headers['retry-after']) * 1_000);
    expect((await send([])).status).toBe(303);
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
    const lines = [...(page.text.split('<ul class="rows">')[1] ?? '').matchAll(/<li>[\s\S]*?<\/li>/g)];
    expect(lines.map(([html]) => textOf({ text: html } as Answer).trim())).toEqual([
      'Newsletter You agreed on December 5, 2025 · Account page',
      'Newsletter You said no on December 4, 2025 · an app that is gone',
      'Newsletter You agreed on December 3, 2025 · Public One',
      'Old <b>offers</b> You agreed on December 2, 2025 · With an order',
      'Newsletter You said no on December 1, 2025 · When you joined',
    ]);
  });

  it('shows the newest of many, and the boxes the last answer to each, however long ago', async () => {
    const { id: tenantId } = tenantOf(service, hosts.a);
    await ask({}, offers);
    const many = Array.from({ length: 3_000 }, (_, n) => n);
    await service.store.transaction(async (tx) => {
      const given = { tenantId, memberId };
      await insertConsentChange(tx, consentChangeRecord({ ...given, consentId: 'offers', name: 'First' }));
      for (const n of many) {
        const status = n % 2 === 0 ? 'accepted' : 'withdrawn';
        await insertConsentChange(tx, consentChangeRecord({ ...given, status, name: `Words ${n}` }));
      }
    });
    const page = await browser.send(url);
    expect(boxesOf(page)).toEqual({ newsletter: false, offers: true });
    const names = [...page.text.matchAll(/<strong><bdi>(Words [^<]*)/g)].map(([, name]) => name);
    expect(names).toEqual(
      many
        .toReversed()
        .slice(0, consentHistoryShown)
        .map((n) => `Words ${n}`),
    );
  });
});

describe('a tenant that asks for nothing', () => {
  it('has no link to the page, and the page says so', async () => {
    expect((await browser.send('/account/privacy')).text).not.toContain(url);
    const page = await browser.send(url);
    expect(page.status).toBe(200);
    expect(textOf(page)).toContain('Nothing here needs your consent right now.');
    expect(/<main[\s\S]*<\/main>/.exec(page.text)?.[0]).not.toContain('<form');
    await ask({});
    expect((await browser.send('/account/privacy')).text).toContain(`href="${url}"`);
  });
});
