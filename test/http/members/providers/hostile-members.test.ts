import { describe, expect, it } from 'vitest';
import { minute } from '../../../../src/core/limits.ts';
import { tenantLimits } from '../../../../src/core/tenant-limits.ts';
import { disableMember } from '../../../../src/operations/member/member.ts';
import type { Answer } from '../../../support/http.ts';
import { accountOf } from '../../../support/members/account.ts';
import { setEmailCodes } from '../../../support/members/email-code.ts';
import { refusal, tokenOf } from '../../../support/operators/desk.ts';
import { connecting, hostileTo, isSignedIn } from '../../../support/providers/hostile.ts';
import {
  acmeOf,
  comeBack,
  follow,
  leaveFrom,
  linksIn,
  travel,
} from '../../../support/providers/traveller.ts';
import { useFreshService } from '../../../support/use-service.ts';
import { field } from '../../../support/visitor.ts';

const service = useFreshService({ data: 'development' });
const { started, onTheWay, change } = hostileTo(service);

describe('members and apps', () => {
  it('IDP23: a member who was disabled signs in with no account, nor one who is disabled meanwhile', async () => {
    const provider = await started();
    await travel(service, provider);
    const { browser, sentTo } = await onTheWay();
    const said = provider.approve(sentTo);
    await change(async (tx, tenantId) => {
      const { id } = await tx
        .selectFrom('members')
        .select('id')
        .where('tenantId', '=', tenantId)
        .where('normalisedEmail', '=', 'ada@example.com')
        .executeTakeFirstOrThrow();
      await disableMember(tx, tenantId, id, service.clock.now());
    });
    const answer = await comeBack(browser, said);
    expect(answer.status, answer.text).toBe(403);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('IDP24: an app that makes no accounts makes none by other providers either (pages 12)', async () => {
    const provider = await started();
    const claims = { sub: 'new', email: 'new@example.net' };
    const { browser, answer } = await travel(service, provider, { claims }, { clientId: 'reader' });
    const page = await follow(browser, answer);
    expect(page.text).toContain('name="password"');
    expect(page.text).not.toMatch(/sign-up|Create an account/i);
    const body = { flow: field(page, 'flow'), fullName: 'New', email: 'new@example.net' };
    expect((await browser.send('/sign-up', { body })).status).toBe(403);
    expect(await linksIn(service)).toEqual([]);
  });

  it('IDP25: an account that is another member’s is not linked to a second one', async () => {
    const provider = await started();
    await travel(service, provider);
    const browser = await accountOf(service, acmeOf(service), 'bo@example.com');
    const answer = await comeBack(browser, provider.approve(await connecting(browser)));
    expect(answer.status).toBe(409);
    expect(await linksIn(service)).toEqual([['ada-at-foreign', 'ada@example.com']]);
  });

  it('IDP26: the last way in stays', async () => {
    await setEmailCodes(service, acmeOf(service), 'off');
    const provider = await started();
    const claims = { sub: 'new', email: 'new@example.net' };
    const { browser, answer } = await travel(service, provider, { claims });
    const page = await follow(browser, answer);
    const body = { flow: field(page, 'flow'), fullName: 'New', email: 'new@example.net' };
    await browser.send('/sign-up', { body });
    const list = await browser.send('/account/accounts');
    const form = { token: field(list, 'token'), action: 'unlink', account: field(list, 'account') };
    const refused = await browser.send('/account/accounts', { body: form });
    expect(refused.text).toContain('This is your only way to sign in');
    expect(await linksIn(service)).toHaveLength(1);
  });

  it('IDP31: a member with such an account alone proves who it is by a new sign-in with it', async () => {
    await setEmailCodes(service, acmeOf(service), 'off');
    const provider = await started();
    const claims = { sub: 'new', email: 'new@example.net' };
    const { browser, answer } = await travel(service, provider, { claims });
    const page = await follow(browser, answer);
    const body = { flow: field(page, 'flow'), fullName: 'New', email: 'new@example.net' };
    await browser.send('/sign-up', { body });
    const fetched = async () => {
      const { text } = await browser.send('/account/data');
      return browser.send('/account/data', { body: { token: field({ text } as Answer, 'token') } });
    };
    expect((await fetched()).headers['content-disposition']).toContain('my-data.json');
    service.clock.advance(5 * minute);
    const anew = await browser.send('/account/data');
    const signIn = await follow(browser, anew);
    const sentTo = await leaveFrom(browser, signIn);
    // Who is signed in there is not let through without a look.
    expect(new URL(sentTo).searchParams.get('prompt')).toBe('login');
    const back = await comeBack(browser, provider.approve(sentTo, { claims }));
    expect(back.headers.location).toBe('/account/data');
    expect((await fetched()).headers['content-disposition']).toContain('my-data.json');
  });

  it('IDP27: an account that was begun to be linked is linked to no other member, and to none who has signed out', async () => {
    const provider = await started();
    const browser = await accountOf(service, acmeOf(service), 'bo@example.com');
    const sentTo = await connecting(browser);
    const cookie = 'memberdoor-session';
    const before = String(browser.cookies.get(cookie));
    browser.cookies.delete(cookie);
    const out = await comeBack(browser, provider.approve(sentTo));
    expect(out.headers.location).toBe('/account/accounts');
    const again = await accountOf(service, acmeOf(service), 'cy@example.com');
    browser.cookies.set(cookie, before);
    const second = await connecting(browser);
    browser.cookies.set(cookie, String(again.cookies.get(cookie)));
    await comeBack(browser, provider.approve(second));
    expect(await linksIn(service)).toEqual([]);
    // Nor is it without the password.
    const page = await again.submit('/account/accounts/connect/foreign', { currentPassword: 'wrong' });
    expect(page.headers.refresh).toBeUndefined();
  });

  it('IDP28: neither code, tokens nor secrets stand in the log or in clear in the database', async () => {
    const provider = await started({ keepTokens: true });
    const { browser } = await travel(service, provider);
    const dump = JSON.stringify([
      service.logLines,
      await change((tx) => tx.selectFrom('linkedAccounts').selectAll().execute()),
      await change((tx) => tx.selectFrom('identityProviders').selectAll().execute()),
      await change((tx) => tx.selectFrom('auditEvents').selectAll().execute()),
    ]);
    expect(dump).not.toMatch(/secret-at-foreign|code-0-|access-token-of|eyJ/);
    expect(browser.cookies.size).toBeGreaterThan(0);
  });

  it('IDP29: answers that come to nothing are counted for their address', async () => {
    const provider = await started();
    await change(async (tx, id) => {
      const limits = JSON.stringify({ ...tenantLimits, failedSignInsPerAddressAndMinute: 3 });
      await tx.updateTable('tenants').set({ limits }).where('id', '=', id).execute();
      await service.tenants.reload(tx);
    });
    let answer: Answer | undefined;
    for (let count = 0; count <= 3; count += 1) {
      ({ answer } = await travel(service, provider, { claims: { aud: 'another' } }));
    }
    expect(answer?.status).toBe(429);
  });

  it('IDP30: an operator who may set up providers, and not change members, trusts none with addresses', async () => {
    await started({ trustsVerifiedEmail: false });
    const tenant = acmeOf(service);
    const input = { tenant, key: 'foreign', trustsVerifiedEmail: true };
    const actor = tokenOf(service, tenant, ['providers:read', 'providers:write']);
    expect(await refusal(service, 'identityProviders.change', input, actor)).toMatchObject({
      kind: 'denied',
    });
    const created = { tenant, preset: 'google', clientId: 'us', trustsVerifiedEmail: true };
    expect(await refusal(service, 'identityProviders.create', created, actor)).toMatchObject({
      kind: 'denied',
    });
  });
});
