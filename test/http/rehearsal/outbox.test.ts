import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Mail } from '../../../src/operations/mail/mail.ts';
import { hosts } from '../../support/fixtures.ts';
import type { TestService } from '../../support/service.ts';
import { serviceForTest } from '../../support/use-service.ts';

/** The hosts of two development tenants. */
const hostsOf = ({ port }: TestService) => ({ acme: `localhost:${port}`, globex: `127.0.0.1:${port}` });

/** Queues a mail as a request does, and lets it leave. */
async function post(service: TestService, host: string, mail: Partial<Mail> = {}): Promise<void> {
  const tenant = service.tenants.byHost(host);
  if (tenant === null) throw new Error(`no tenant at ${host}`);
  await service.store.transaction((tx) =>
    service.mails.queue(tx, tenant, {
      name: 'signUp',
      to: 'grace@mail.test',
      language: 'en',
      values: { fullName: 'Grace <b> Hopper' },
      code: '123 456',
      link: `${tenant.issuer}/sign-up/confirm/the-secret`,
      ...mail,
    }),
  );
  await service.delivered();
}

const linksOf = (text: string) =>
  [...text.matchAll(/href="(\/outbox\/[^"]+)"/g)].map(([, path]) => path ?? '');

describe('the outbox of a development tenant', () => {
  it('is empty before the first mail', async () => {
    const service = await serviceForTest({ data: 'development' });
    const page = await service.http(hostsOf(service).acme, '/outbox');
    expect(page.status).toBe(200);
    expect(page.text).toContain('No emails yet.');
  });

  it('lists its mails, newest first, with subject, address and time', async () => {
    const service = await serviceForTest({ data: 'development' });
    const { acme } = hostsOf(service);
    await post(service, acme);
    await post(service, acme, { name: 'passwordReset', to: 'ola@mail.test' });
    const { text } = await service.http(acme, '/outbox');
    expect(text).toMatch(
      /Choose a new password for Acme.*ola@mail\.test.*Confirm your email address for Acme.*grace@mail\.test/s,
    );
    expect(text).toMatch(/<time datetime="2026-01-15T12:0\d:\d\d\.000Z">Jan 15, 2026, /);
    expect(linksOf(text)).toHaveLength(2);
  });

  it('shows a mail with its code and a link that can be followed', async () => {
    const service = await serviceForTest({ data: 'development' });
    const { acme } = hostsOf(service);
    await post(service, acme);
    const [path = ''] = linksOf((await service.http(acme, '/outbox')).text);
    const page = await service.http(acme, path);
    expect(page.status).toBe(200);
    const link = `http://${acme}/sign-up/confirm/the-secret`;
    expect(page.text).toMatch(/<strong dir="ltr" data-copy="Copy"[^>]*>123 456<\/strong>/);
    expect(page.text).toContain(`href="${link}" data-copy="Copy"`);
    expect(page.text).toMatch(/<pre[^>]*>Hello Grace &lt;b&gt; Hopper,/);
    expect(page.headers['cache-control']).toBe('no-store');
  });

  it('shows a mail in the language and the direction of the mail', async () => {
    const service = await serviceForTest({ data: 'development' });
    const { acme } = hostsOf(service);
    await post(service, acme, { language: 'ar' });
    const [path = ''] = linksOf((await service.http(acme, '/outbox')).text);
    const { text } = await service.http(acme, path, { headers: { 'accept-language': 'nb' } });
    expect(text).toContain('<html lang="nb" dir="ltr">');
    expect(text).toContain('<h1 lang="ar" dir="rtl">');
    expect(text).toMatch(/<pre class="card" lang="ar" dir="rtl">/);
    expect(text).toContain('Alle e-poster');
  });

  it('W1: shows how a mail looks in a document of its own, that can do nothing but be looked at and clicked', async () => {
    const service = await serviceForTest({ data: 'development' });
    const { acme } = hostsOf(service);
    await post(service, acme);
    const [path = ''] = linksOf((await service.http(acme, '/outbox')).text);
    const page = await service.http(acme, path);
    expect(page.headers['content-security-policy']).toContain("frame-src 'self'");
    const seen = await service.http(acme, `${path}/seen`);
    expect(seen.headers).toMatchObject({ 'cache-control': 'no-store', 'x-frame-options': 'SAMEORIGIN' });
    const policy = String(seen.headers['content-security-policy']).split(';');
    for (const rule of [
      "default-src 'none'",
      "style-src 'unsafe-inline'",
      'img-src data:',
      "form-action 'none'",
      "frame-ancestors 'self'",
      'sandbox allow-top-navigation-by-user-activation',
    ]) {
      expect(policy).toContain(rule);
    }
    expect(policy.join(';')).not.toContain('script-src');
    expect(seen.text).toContain('<head><base target="_top">');
    expect(seen.text).toContain('Hello Grace &lt;b&gt; Hopper,');
  });

  it('finds mails by a part of the address or the subject', async () => {
    const service = await serviceForTest({ data: 'development' });
    const { acme } = hostsOf(service);
    await post(service, acme);
    await post(service, acme, { name: 'passwordReset', to: 'ola@mail.test' });
    const found = async (word: string) => {
      const { text } = await service.http(acme, `/outbox?q=${encodeURIComponent(word)}`);
      return { text, mails: linksOf(text).length };
    };
    expect((await found('OLA@')).mails).toBe(1);
    expect((await found('confirm your')).text).toContain('grace@mail.test');
    expect((await found('@mail.test')).mails).toBe(2);
    const none = await found('"><script>');
    expect(none).toMatchObject({ mails: 0 });
    expect(none.text).toContain('No email matches. Try a shorter word.');
    expect(none.text).toContain('value="&quot;&gt;&lt;script&gt;"');
  });

  it('X1: shows nothing of another tenant', async () => {
    const service = await serviceForTest({ data: 'development' });
    const { acme, globex } = hostsOf(service);
    await post(service, acme);
    const [path = ''] = linksOf((await service.http(acme, '/outbox')).text);
    expect((await service.http(globex, '/outbox')).text).toContain('No emails yet.');
    expect((await service.http(globex, path)).status).toBe(404);
    expect((await service.http(globex, `${path}/seen`)).status).toBe(404);
  });

  it('lists the newest fifty, and does not read the others', async () => {
    const service = await serviceForTest({ data: 'development' });
    const { acme } = hostsOf(service);
    await post(service, acme);
    const folder = join(service.folder, 'outbox');
    const tenantId = service.tenants.byHost(acme)?.id ?? '';
    for (let index = 0; index < 60; index += 1) {
      writeFileSync(
        join(folder, `9${index}-${index}.${tenantId}.eml`),
        `Subject: Number ${index}\r\n\r\ntext\r\n`,
      );
    }
    expect(readdirSync(folder)).toHaveLength(61);
    const { text } = await service.http(acme, '/outbox');
    const subjects = [...text.matchAll(/<bdi>(Number \d+|Confirm[^<]*)<\/bdi>/g)].map(
      ([, subject]) => subject,
    );
    // By time, as a number: the one that was sent now is the newest.
    expect(subjects[0]).toBe('Confirm your email address for Acme');
    expect(subjects[1]).toBe('Number 59');
    expect(subjects).toHaveLength(50);
  });

  it.each([
    '/outbox/1-1',
    '/outbox/..%2F..%2Fmemberdoor',
    '/outbox/..%2Fmaster.key%00',
    '/outbox/1-1.x.eml',
    '/outbox/constructor',
    '/outbox/1-1/seen',
  ])('%s is no mail', async (path) => {
    const service = await serviceForTest({ data: 'development' });
    const { acme } = hostsOf(service);
    await post(service, acme);
    expect((await service.http(acme, path)).status).toBe(404);
  });

  it('H7: is read and nothing else', async () => {
    const service = await serviceForTest({ data: 'development' });
    const answer = await service.http(hostsOf(service).acme, '/outbox', { method: 'POST', body: {} });
    expect(answer.status).toBe(405);
  });
});

describe('where mails are sent', () => {
  it.each(['/outbox', '/outbox/1-1', '/outbox/1-1/seen'])('there is no %s', async (path) => {
    const service = await serviceForTest({ data: 'security' });
    const answer = await service.http(hosts.a, path);
    expect(answer.status).toBe(404);
    expect(answer.text).not.toMatch(/Outbox|No mail/);
  });
});
