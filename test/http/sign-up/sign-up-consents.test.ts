import { beforeAll, describe, expect, it } from 'vitest';
import type { Consent } from '../../../src/core/access/consent.ts';
import { defineConsent } from '../../../src/operations/access/consent.ts';
import { registerClient } from '../../../src/operations/client/client.ts';
import { changeTenant } from '../../../src/operations/tenant/tenant.ts';
import { listConsentChanges } from '../../../src/storage/access/consent.ts';
import { setLimits, tenantOf } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { codeIn } from '../../support/mails/outbox.ts';
import { largestLogo } from '../../support/members/pages/logos.ts';
import { atSignUp, newPassword, storedMember, submitCode } from '../../support/members/sign-up.ts';
import { askedFor, consentRecord } from '../../support/records/access-records.ts';
import { useService } from '../../support/use-service.ts';
import { field } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

beforeAll(async () => {
  await setLimits(service, hosts.a, { signUpsPerAddressAndHour: null, signUpsPerAddressAndDay: null });
});

const ask = (...consents: readonly Partial<Consent>[]) =>
  service.store.transaction(async (tx) => {
    const { id: tenantId } = tenantOf(service, hosts.a);
    for (const consent of consents) await defineConsent(tx, consentRecord({ tenantId, ...consent }));
  });

describe('what a tenant asks to be agreed to at sign-up', () => {
  beforeAll(() =>
    ask(
      {},
      { id: 'tips', name: 'Tips', description: '<b>Now</b> and then' },
      { id: 'later', atSignUp: false },
      { id: 'retired', retiredAt: 1 },
    ),
  );

  const boxesOf = ({ text }: Answer) =>
    [...text.matchAll(/<input id="consent-([^"]*)"[^>]*>/g)].map(([tag, id]) => [
      id,
      tag.includes('checked'),
    ]);

  /** Signs up with these boxes ticked, as far as the mail, and returns the digits' page. */
  const signUp = async (email: string, ticked: readonly string[], more: Record<string, string> = {}) => {
    const { browser, page } = await atSignUp(service, hosts.a);
    const boxes = Object.fromEntries(ticked.map((id) => [`consent-${id}`, 'yes']));
    const form = { flow: field(page, 'flow'), asked: field(page, 'asked'), fullName: 'Ada', email };
    const body = { ...form, password: newPassword, ...boxes, ...more };
    const answer = await browser.send('/sign-up', { body });
    return { browser, page, answer };
  };

  const prove = async (email: string, { browser, answer }: Awaited<ReturnType<typeof signUp>>) => {
    const verify = await browser.send(String(answer.headers.location));
    await service.delivered();
    expect((await submitCode(browser, verify, codeIn(service.outbox.last(email)))).status).toBe(303);
  };

  const answersOf = async (email: string) => {
    const member = await storedMember(service, hosts.a, email);
    return service.store.transaction((tx) => listConsentChanges(tx, String(member?.id)));
  };

  it('decision 39: is offered unticked, and kept as it was ticked when something else is wrong', async () => {
    const { page, answer } = await signUp('kept@example', ['tips']);
    expect(boxesOf(page)).toEqual([
      ['newsletter', false],
      ['tips', false],
    ]);
    expect(page.text).toContain('&lt;b&gt;Now');
    expect(answer.status).toBe(422);
    expect(boxesOf(answer)).toEqual([
      ['newsletter', false],
      ['tips', true],
    ]);
  });

  it('decision 39: what was ticked is recorded when the account is made, in the words of the page, and no more', async () => {
    const email = 'agreed@example.test';
    const at = await signUp(email, ['tips']);
    const count = () =>
      service.store.transaction((tx) => tx.selectFrom('consentChanges').selectAll().execute());
    expect(await count()).toEqual([]);
    await ask({ description: 'Mails all day' }, { id: 'tips', name: 'Other', retiredAt: 1 });
    await prove(email, at);
    const given = { source: 'sign_up', clientId: null, changedAt: expect.any(Number) };
    expect(await answersOf(email)).toMatchObject([
      { ...given, consentId: 'tips', status: 'accepted', name: 'Tips', description: '<b>Now</b> and then' },
    ]);
    await ask({}, { id: 'tips', name: 'Tips', description: '<b>Now</b> and then' });
  });

  it('decision 39: an id that is not asked for at sign-up, no more, or never was, is ignored', async () => {
    const email = 'forged@example.test';
    const forged = ['newsletter', 'later', 'retired', 'made-up'];
    const asked = askedFor(...forged.map((id) => consentRecord({ id })));
    await prove(email, await signUp(email, forged, { asked }));
    expect((await answersOf(email)).map(({ consentId, status }) => `${consentId} ${status}`)).toEqual([
      'newsletter accepted',
    ]);
  });

  it('GDPR art. 7 (1): a text that changed while the page was open is not answered, the others are', async () => {
    const email = 'late@example.test';
    const { browser, page } = await atSignUp(service, hosts.a);
    const form = { flow: field(page, 'flow'), asked: field(page, 'asked'), fullName: 'Ada', email };
    await ask({ description: 'Mails all day' });
    const body = { ...form, 'consent-newsletter': 'yes', 'consent-tips': 'yes' };
    const again = await browser.send('/sign-up', { body });
    expect(boxesOf(again)).toEqual([
      ['newsletter', false],
      ['tips', true],
    ]);
    const answer = await browser.send('/sign-up', { body: { ...body, password: newPassword } });
    await prove(email, { browser, page, answer });
    expect(await answersOf(email)).toMatchObject([{ consentId: 'tips', status: 'accepted' }]);
    await ask({});
  });

  it('decision 39: nothing is recorded for a known address: its owner did not answer', async () => {
    const before = await answersOf('u1@example.test');
    const { browser, answer } = await signUp('u1@example.test', ['newsletter', 'tips']);
    await submitCode(browser, await browser.send(String(answer.headers.location)), '123456');
    expect(await answersOf('u1@example.test')).toEqual(before);
    expect(before).toEqual([]);
  });
});

describe('the logo of an app', () => {
  const app = { client_id: 'branded', redirect_uri: 'https://branded.test/cb' };

  beforeAll(async () => {
    const { id } = tenantOf(service, hosts.a);
    await service.store.transaction(async (tx) => {
      const logo = largestLogo('client');
      const client = {
        name: 'Film & Sport',
        type: 'public',
        redirectUris: [app.redirect_uri],
        logo,
      } as const;
      await registerClient(tx, id, { clientId: app.client_id, ...client }, service.clock.now());
      const branding = { name: 'Tenant A', brandColor: '#1f5fbf', logo: largestLogo('tenant') };
      await changeTenant(tx, id, branding);
      await service.tenants.reload(tx);
    });
  });

  it('pages 5: stands on the sign-up page as on the sign-in page', async () => {
    const { page } = await atSignUp(service, hosts.a, app);
    expect(page.text).toContain(
      `<img class="logo" src="${largestLogo('client')}" alt=""><span>to continue to <strong><bdi>Film &amp; Sport</bdi></strong></span>`,
    );
    const { page: plain } = await atSignUp(service, hosts.a);
    expect(plain.text).not.toContain(largestLogo('client'));
  });

  it('pages 2: and the tenant’s, as large as may be, leave the page under 20 KB with a consent on it', async () => {
    await ask({}, { id: 'tips', retiredAt: 1 });
    const { page } = await atSignUp(service, hosts.a, { ...app, ui_locales: 'ar' });
    expect(page.text).toContain('id="consent-newsletter"');
    const script = await service.http(hosts.a, /src="(\/assets\/[^"]+)"/.exec(page.text)?.[1] ?? '');
    expect(script.status).toBe(200);
    expect(Buffer.byteLength(page.text) + Buffer.byteLength(script.text)).toBeLessThan(20_000);
  });
});
