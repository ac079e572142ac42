import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { composeMail, type Mail } from '../../../src/operations/mail/mail.ts';
import {
  MailRefused,
  type OutgoingMail,
  outboxTransport,
  smtpTransport,
} from '../../../src/operations/mail/mail-transport.ts';
import { folderOutbox } from '../../../src/operations/mail/outbox.ts';
import { testClock } from '../../support/clock.ts';
import { mailRows, newMailer, signUpMail } from '../../support/mails/mailer.ts';
import { startSmtp } from '../../support/mails/smtp.ts';
import { pngLogo } from '../../support/members/pages/logos.ts';
import { tenantRecord } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';

const from = 'door@example.test';
const account = { user: 'memb:er@door', password: 'p@ss/w%rd of the mail server' };
const minute = 60_000;
const hour = 60 * minute;

const outgoing = (changes: Partial<Mail> = {}, tenant = tenantRecord('a')): OutgoingMail => ({
  ...composeMail(tenant, { ...signUpMail, ...changes }),
  id: 7,
  tenantId: tenant.id,
  queuedAt: Date.UTC(2026, 2, 4, 5, 6, 7),
});

/** What a transport says of a mail that it cannot send. */
async function refusalOf(sending: Promise<void>): Promise<MailRefused> {
  const error = await sending.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof MailRefused)) throw new Error(`not refused but ${error}`);
  return error;
}

describe('mails by SMTP', () => {
  it('arrive as text and as HTML, in their language, from the tenant', async () => {
    const smtp = await startSmtp();
    await smtpTransport({ url: smtp.url, from }).send(outgoing({ language: 'ar' }));
    const mail = composeMail(tenantRecord('a'), { ...signUpMail, language: 'ar' });
    const [received] = smtp.received;
    expect(received).toMatchObject({ from, to: ['grace@mail.test'], user: undefined });
    expect(received?.message).toMatchObject({
      from: { name: 'Tenant A', address: from },
      to: [{ address: 'grace@mail.test' }],
      subject: mail.subject,
      date: '2026-03-04T05:06:07.000Z',
      messageId: '<1772600767000.7@example.test>',
    });
    expect(received?.message.text?.trim()).toBe(mail.text.trim());
    expect(received?.message.html?.trim()).toBe(mail.html.trim());
  });

  it('bring the logo of the tenant along, as a picture of the mail and no file (RFC 2392)', async () => {
    const smtp = await startSmtp();
    const logo = pngLogo();
    await smtpTransport({ url: smtp.url, from }).send(outgoing({}, tenantRecord('a', { logo })));
    const { html = '', attachments = [] } = smtp.received[0]?.message ?? {};
    expect(html).toContain('src="cid:logo@a.test"');
    expect(attachments).toMatchObject([
      { contentId: '<logo@a.test>', mimeType: 'image/png', disposition: 'inline', related: true },
    ]);
    const bytes = Buffer.from(attachments[0]?.content as ArrayBuffer);
    expect(`data:image/png;base64,${bytes.toString('base64')}`).toBe(logo);
  });

  it('leave although an older version queued them, which knew of no logo', async () => {
    const smtp = await startSmtp();
    const { logo: _none, ...older } = outgoing();
    await smtpTransport({ url: smtp.url, from }).send(older as OutgoingMail);
    expect(smtp.received[0]?.message.attachments).toEqual([]);
  });

  it('ask for no automatic answer (RFC 3834)', async () => {
    const smtp = await startSmtp();
    await smtpTransport({ url: smtp.url, from }).send(outgoing());
    const headers = smtp.received[0]?.message.headers.map(({ key, value }) => `${key}: ${value}`);
    expect(headers).toContain('auto-submitted: auto-generated');
    expect(headers).toContain('content-language: en');
  });

  it('are handed over with the name and the password of the address', async () => {
    const smtp = await startSmtp(account);
    await smtpTransport({ url: smtp.url, from }).send(outgoing());
    expect(smtp.received).toMatchObject([{ user: account.user }]);
  });

  it('to a server that wants a password and gets a wrong one are refused, without a word of it', async () => {
    const smtp = await startSmtp(account);
    const url = smtp.url.replace('p%40ss', 'wrong-secret');
    const refused = await refusalOf(smtpTransport({ url, from }).send(outgoing()));
    expect(refused).toMatchObject({ scope: 'server', reply: 'EAUTH 535' });
    for (const secret of ['wrong-secret', account.user, 'grace@mail.test']) {
      expect(`${refused.stack} ${JSON.stringify(refused)}`).not.toContain(secret);
    }
  });

  it('never take a password to another machine without TLS', async () => {
    const smtp = await startSmtp(account);
    // An address of this machine that is not known for one: what decides is the name in the setting.
    const url = smtp.url.replace('127.0.0.1', '[::ffff:127.0.0.1]');
    const refused = await refusalOf(smtpTransport({ url, from }).send(outgoing()));
    expect(refused).toMatchObject({ scope: 'server', reply: expect.stringMatching(/^ETLS/) });
    expect(smtp.received).toEqual([]);
  });

  it.each([
    ['451 4.3.0 try later', 'mail', 'EENVELOPE 451'],
    ['452 4.2.2 full', 'mail', 'EENVELOPE 452'],
    ['550 5.7.1 not from you', 'mail', 'EENVELOPE 550'],
    ['550 5.1.1 no such user', 'mailbox', 'EENVELOPE 550'],
    ['553 5.1.3 no address', 'mailbox', 'EENVELOPE 553'],
    ['421 4.7.0 too many', 'server', 'ECONNECTION 421'],
  ])('that are refused with %s are refused for the %s', async (reply, scope, code) => {
    const smtp = await startSmtp();
    smtp.refuse(reply);
    const refused = await refusalOf(smtpTransport({ url: smtp.url, from }).send(outgoing()));
    expect(refused).toMatchObject({ scope, reply: code });
    expect(`${refused.stack}`).not.toContain('grace@mail.test');
  });

  it('are refused for the whole server if nothing listens there', async () => {
    const smtp = await startSmtp();
    await smtp.stop();
    const refused = await refusalOf(smtpTransport({ url: smtp.url, from }).send(outgoing()));
    expect(refused).toMatchObject({ scope: 'server', reply: 'ESOCKET ECONNREFUSED' });
  });
});

describe('what others choose in a message', () => {
  const evil = 'Grace\r\nBcc: victim@evil.test\r\n\r\n<h1>hello</h1>';

  it.each<[string, OutgoingMail]>([
    ['a full name', outgoing({ values: { fullName: evil } })],
    ['the name of a tenant', outgoing({}, tenantRecord('a', { name: evil }))],
    ['a value', outgoing({ name: 'newTv', values: { client: evil, device: evil } })],
    ['a language', outgoing({ language: evil })],
  ])('%s cannot add a header or a recipient', async (_what, mail) => {
    const smtp = await startSmtp();
    await smtpTransport({ url: smtp.url, from }).send(mail);
    expect(smtp.received).toMatchObject([{ to: ['grace@mail.test'] }]);
    const { message } = smtp.received[0] ?? {};
    expect(message?.bcc ?? []).toEqual([]);
    expect(message?.headers.map(({ key }) => key)).not.toContain('bcc');
    expect(message?.html).not.toContain('<h1>hello');
  });

  it.each([
    'grace@mail.test, victim@evil.test',
    'grace@mail.test\r\nBcc: victim@evil.test',
    'grace@mail.test>\r\nRCPT TO:<victim@evil.test',
    '"victim@evil.test x"@mail.test',
  ])('the address %j is refused before it becomes another one', async (to) => {
    const smtp = await startSmtp();
    const refused = await refusalOf(smtpTransport({ url: smtp.url, from }).send(outgoing({ to })));
    expect(refused).toMatchObject({ scope: 'mailbox', reply: 'no address' });
    expect(smtp.received).toEqual([]);
  });

  it.each(["o'hara+news/a=b@mail.test", 'грейс@почта.test', 'grace@bücher.test', 'grace@[192.0.2.7]'])(
    'the address %s is an address',
    async (to) => {
      const smtp = await startSmtp();
      await smtpTransport({ url: smtp.url, from }).send(outgoing({ to }));
      expect(smtp.received).toHaveLength(1);
    },
  );
});

describe('the queue and a mail server', () => {
  it('a mail that the server refuses with 451 waits, and arrives when it is taken', async () => {
    const smtp = await startSmtp();
    const store = await storeWithMember();
    const clock = testClock();
    const mailer = newMailer(store, clock, smtpTransport({ url: smtp.url, from }));
    smtp.refuse('451 4.3.0 try later');
    await mailer.post();
    await mailer.deliver();
    expect(await mailRows(store)).toMatchObject([
      { state: 'waiting', attempts: 1, lastError: 'EENVELOPE 451' },
    ]);
    smtp.refuse(null);
    await mailer.elapse();
    expect(smtp.received).toHaveLength(1);
    expect(await mailRows(store)).toMatchObject([{ state: 'sent', message: null, lastError: null }]);
    expect(JSON.stringify(mailer.lines)).not.toContain('grace@mail.test');
  });

  it('mails wait while no server listens, and arrive when one does', async () => {
    const smtp = await startSmtp();
    await smtp.stop();
    const store = await storeWithMember();
    const clock = testClock();
    const mailer = newMailer(store, clock, smtpTransport({ url: smtp.url, from }));
    await mailer.post();
    await mailer.post({ to: 'second@mail.test' });
    await mailer.deliver();
    expect((await mailRows(store)).map(({ state }) => state)).toEqual(['waiting', 'waiting']);
    const back = await startSmtp(null, smtp.port);
    clock.advance(hour);
    await mailer.deliver();
    expect(back.received.flatMap(({ to }) => to).sort()).toEqual(['grace@mail.test', 'second@mail.test']);
    expect(mailer.lines.map(({ text }) => text)).toEqual([
      'the mail server takes no mails; they wait',
      'the mail server takes mails again',
    ]);
  });

  it('a mail to a mailbox that does not exist is given up at once', async () => {
    const smtp = await startSmtp();
    smtp.refuse('550 5.1.1 no such user');
    const store = await storeWithMember();
    const mailer = newMailer(store, testClock(), smtpTransport({ url: smtp.url, from }));
    await mailer.post();
    await mailer.deliver();
    expect(await mailRows(store)).toMatchObject([{ state: 'failed', attempts: 1, message: null }]);
    expect(mailer.lines.map(({ text }) => text)).toEqual(['a mail was given up']);
    expect(mailer.planned()).toBeNull();
  });
});

describe('the outbox of the development start', () => {
  it('holds each mail as a message that only its owner may read', async () => {
    const folder = join(temporaryFolder(), 'outbox');
    await outboxTransport(folderOutbox(folder), from).send(outgoing({ language: 'nb' }));
    const [file = '', ...others] = readdirSync(folder);
    expect(others).toEqual([]);
    expect(file).toBe('1772600767000-7.tenant-a.eml');
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const message = await PostalMime.parse(readFileSync(join(folder, file)));
    expect(message).toMatchObject({
      subject: 'Bekreft e-postadressen din for Tenant A',
      to: [{ address: 'grace@mail.test' }],
    });
    expect(message.text).toContain(signUpMail.link);
  });
});
