import { beforeAll, describe, expect, it } from 'vitest';
import { accountOf } from '../../support/members/account.ts';
import { recoveryLink, submitReset } from '../../support/members/recover.ts';
import { applied, atSignUp, problemsOf, submitSignUp } from '../../support/members/sign-up.ts';
import { run } from '../../support/operators/desk.ts';
import { useService } from '../../support/use-service.ts';
import { visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

const set = (tenant: string, changes: object) => run(service, 'tenants.change', { tenant, ...changes });

describe('the languages that a tenant offers', () => {
  const host = 'b.test';
  const languageOf = async (accept: string, asked = '') => {
    const { headers } = await service.http(host, `/sign-up/nowhere${asked}`, {
      headers: { 'accept-language': accept },
    });
    return headers['content-language'];
  };
  /** The languages of the switcher on the sign-up page. */
  const switcher = async () =>
    [...(await atSignUp(service, host)).page.text.matchAll(/name="language" value="(\w+)"/g)].map(
      ([, tag]) => tag,
    );

  it('pages 4: are those of its pages, its switcher and its mails, whatever is asked for', async () => {
    await set(host, { languages: ['nb', 'fi'] });
    expect(await languageOf('fi, nb;q=0.5')).toBe('fi');
    expect(await languageOf('de, nb;q=0.5')).toBe('nb');
    // None of the two is English, so the first that the tenant names stands in.
    expect(await languageOf('de')).toBe('nb');
    expect(await switcher()).toEqual(['fi', 'nb']);
    const { page } = await atSignUp(service, host, { ui_locales: 'sv fi' });
    expect(page.headers['content-language']).toBe('fi');

    await applied(service, host, { email: 'ny@b.test' }, { ui_locales: 'de' });
    expect(service.outbox.last('ny@b.test').language).toBe('nb');
  });

  it('are offered on the account page, and no other is stored', async () => {
    await set(host, { languages: ['nb', 'fi'] });
    const account = await accountOf(service, host, 'u1@example.test');
    const { text } = await account.send('/account/details');
    const offered = [...text.matchAll(/<option value="(\w+)"/g)].map(([, tag]) => tag);
    expect(offered).toEqual(['fi', 'nb']);
    await account.submit('/account/details', { fullName: 'Member 1', language: 'de' });
    const { members } = await run<{ members: { language: string | null }[] }>(service, 'members.list', {
      tenant: host,
      search: 'u1@',
    });
    expect(members[0]?.language).toBeNull();
  });

  it('one alone needs no switcher, and none named are all', async () => {
    await set(host, { languages: ['da'] });
    expect(await switcher()).toEqual([]);
    await set(host, { languages: [] });
    expect(await languageOf('de')).toBe('de');
    expect(await switcher()).toHaveLength(11);
  });
});

describe('the password that a tenant demands', () => {
  const host = 'a.test';
  const short = 'kvist og eld i sk';
  const long = 'kvist og eld i sko';
  beforeAll(() => set(host, { passwordLength: 18 }));

  it('is demanded at the sign-up', async () => {
    expect([short.length, long.length]).toEqual([17, 18]);
    const { browser, page } = await atSignUp(service, host);
    expect(page.text).toContain('At least 18 characters');
    const refused = await submitSignUp(browser, page, { email: 'x@a.test', password: short });
    expect(refused.status).toBe(422);
    expect(problemsOf(refused)).toEqual(['Enter at least 18 characters']);
    const taken = await submitSignUp(browser, page, { email: 'x@a.test', password: long });
    expect(taken.status).toBe(303);
  });

  it('is demanded of a member who has forgotten the old one', async () => {
    const link = await recoveryLink(service, host, 'u2@example.test');
    const browser = visitor(service, host);
    expect((await browser.send(link)).text).toContain('At least 18 characters');
    const refused = await submitReset(browser, link, short);
    expect([refused.status, ...problemsOf(refused)]).toEqual([422, 'Enter at least 18 characters']);
    expect((await submitReset(browser, link, long)).status).toBe(200);
  });

  it('is demanded of a member who changes it', async () => {
    const currentPassword = 'password of u1 at a';
    const account = await accountOf(service, host, 'u1@example.test', { password: currentPassword });
    expect((await account.send('/account/password')).text).toContain('At least 18 characters');
    const change = (password: string) => account.submit('/account/password', { currentPassword, password });
    const refused = await change(short);
    expect([refused.status, ...problemsOf(refused)]).toEqual([422, 'Enter at least 18 characters']);
    expect((await change(long)).status).toBe(303);
  });

  it('may be shorter than the usual twelve, and never than eight', async () => {
    await set('c.test', { passwordLength: 8 });
    const made = await run(service, 'members.create', {
      tenant: 'c.test',
      fullName: 'Eight',
      email: 'eight@c.test',
      password: 'kvist eg',
    });
    expect(made).toHaveProperty('id');
  });
});
