import { readFileSync } from 'node:fs';
import { HtmlValidate } from 'html-validate';
import { describe, expect, it } from 'vitest';
import { looksOf } from '../../../src/core/members/branding.ts';
import { emailProofLifetime } from '../../../src/core/members/limits.ts';
import {
  composeMail,
  type Mail,
  type MailName,
  mailNames,
  mailsWithoutLink,
} from '../../../src/operations/mail/mail.ts';
import { languages } from '../../../src/text/language.ts';
import { fullMails } from '../../support/mails/mails.ts';
import { codeIn, linkIn } from '../../support/mails/outbox.ts';
import { largestPng, plainLogo, pngLogo } from '../../support/members/pages/logos.ts';
import { tenantRecord } from '../../support/records/records.ts';

const tenant = tenantRecord('a', { name: 'Acme & Söhne', languages: [] });
const link = 'https://a.test/somewhere/secret?a=1&b=2';

const mailOf = (name: MailName, changes: Partial<Mail> = {}): Mail => ({
  name,
  to: 'grace@mail.test',
  language: 'en',
  link,
  ...fullMails[name],
  ...changes,
});

const validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    'doctype-style': ['error', { style: 'lowercase' }],
    'void-style': ['error', { style: 'omit' }],
    'no-trailing-whitespace': 'off',
    'long-title': 'off',
    // Mail programs read styles on the elements, and some read no others.
    'no-inline-style': 'off',
    // Mail programs take elements away that they do not know.
    'prefer-native-element': ['error', { exclude: ['article'] }],
    // Outlook centres by the attribute alone.
    'no-deprecated-attr': 'off',
  },
});

const everyMail = mailNames.flatMap((name) => languages.map((language) => ({ name, language })));

describe('every mail in every language', () => {
  it.each(everyMail)(
    '$name in $language is complete: nothing is missing, nothing is left open',
    ({ name, language }) => {
      const { subject, text, html } = composeMail(tenant, mailOf(name, { language }));
      for (const part of [subject, text, html]) {
        expect(part.trim()).not.toBe('');
        expect(part).not.toMatch(/\b(?:undefined|null|NaN)\b|\[object|mail\.[a-z]+\./);
      }
      expect(`${subject}${text}`).not.toMatch(/[{}<>]/);
      expect(subject).toContain('Acme & Söhne');
      for (const value of Object.values(fullMails[name].values ?? {})) {
        if (typeof value === 'string') expect(text).toContain(value);
      }
      const isLinked = !mailsWithoutLink.has(name);
      if (isLinked) expect(linkIn({ text })).toBe(link);
      const links = html.split('href="https://a.test/somewhere/secret?a=1&amp;b=2"').length - 1;
      expect(links).toBe(isLinked ? 2 : 0);
      if (fullMails[name].code !== undefined) expect(codeIn({ text })).toBe('123 456');
      expect(text).toMatch(/\n.+: help@example\.test\n.+: https:\/\/example\.test\/terms\n.+privacy\n$/);
      expect(html.includes('123 456')).toBe(fullMails[name].code !== undefined);
    },
  );

  it.each(everyMail.filter(({ language }) => ['en', 'ar'].includes(language)))(
    '$name in $language is well-formed HTML',
    async ({ name, language }) => {
      const { html } = composeMail(tenant, mailOf(name, { language }));
      const { results } = await validator.validateString(html);
      expect(
        results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId}: ${message}`)),
      ).toEqual([]);
    },
  );

  it.each(mailNames)('%s says the same in both forms, without a link and a code too', (name) => {
    const { text, html } = composeMail(tenant, {
      ...mailOf(name),
      link: undefined as never,
      code: undefined as never,
    });
    const words = html
      .replace(/<style>.*?<\/style>|<title>.*?<\/title>|<[^>]*>/gs, ' ')
      .replaceAll('&amp;', '&')
      .replaceAll('&quot;', '"');
    const squeezed = (part: string) => part.replace(/\s+/g, ' ');
    const [said = '', foot = ''] = text.split('\n-- \n');
    const [footer = '', ...links] = foot.trim().split('\n');
    for (const line of [...said.split('\n'), footer].filter((one) => one.trim() !== '')) {
      for (const piece of line.split(': ')) expect(squeezed(words)).toContain(squeezed(piece));
    }
    expect(links).toEqual([
      'Help: help@example.test',
      'Terms: https://example.test/terms',
      'Privacy: https://example.test/privacy',
    ]);
    expect([...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
      'mailto:help@example.test',
      'https://example.test/terms',
      'https://example.test/privacy',
    ]);
  });

  it.each(everyMail)(
    '$name in $language brings all that it shows, in less than 30 KB',
    ({ name, language }) => {
      const mail = composeMail({ ...tenant, logo: largestPng }, mailOf(name, { language }));
      expect(Buffer.byteLength(JSON.stringify(mail))).toBeLessThan(30_000);
      expect(mail.html).not.toMatch(/\bsrc="(?!cid:logo@a\.test")|url\(|@import|<link/);
      expect(mail.html.match(/cid:logo@a\.test/g)).toHaveLength(1);
    },
  );
});

describe('how a mail speaks', () => {
  it('in the nearest language of ours', () => {
    expect(composeMail(tenant, mailOf('signUp', { language: 'nn-NO' })).language).toBe('nb');
    expect(composeMail(tenant, mailOf('signUp', { language: 'tlh' })).language).toBe('en');
  });

  it('from right to left in Arabic alone, with the digits from left to right', () => {
    const arabic = composeMail(tenant, mailOf('signUp', { language: 'ar' }));
    expect(arabic.html).toContain('<html lang="ar" dir="rtl">');
    expect(arabic.html).toMatch(/<p class="quiet" dir="ltr"[^>]*>123 456</);
    expect(composeMail(tenant, mailOf('signUp')).html).toContain('<html lang="en" dir="ltr">');
  });

  it('of times in words of its language, in UTC, and says so', () => {
    expect(composeMail(tenant, mailOf('newTv')).text).toContain('Time: March 4, 2026 at 05:06 AM UTC');
    expect(composeMail(tenant, mailOf('newTv', { language: 'de' })).text).toContain(
      'Zeitpunkt: 4. März 2026 um 05:06 UTC',
    );
    expect(composeMail(tenant, mailOf('deletionRequested')).text).toContain('on March 4, 2026, with');
  });

  it('of days without a time of day, where it is a day that counts', () => {
    expect(composeMail(tenant, mailOf('invoice')).text).toContain(
      'Runs until: April 4, 2026\nInvoice: 17\nAmount: NOK 199.00\nTax: NOK 39.80 (VAT 25% included)\nDue on: March 18, 2026\n',
    );
  });

  it('pages 21: of days as they are where its reader lives, as the pages tell them', () => {
    const told = (country: string | null) =>
      composeMail(tenant, mailOf('deletionRequested', { country })).text;
    expect(told('CR')).toContain('on March 3, 2026, with');
    expect(told(null)).toContain('on March 4, 2026, with');
  });

  it('of how long the link works, which is how long it works', () => {
    expect(emailProofLifetime).toMatchObject({ password_reset: 30 * 60_000, sign_up: 24 * 60 * 60_000 });
    expect(composeMail(tenant, mailOf('passwordReset')).text).toContain('This works for 30 minutes.');
    expect(composeMail(tenant, mailOf('signUp')).text).toContain('This works for 24 hours.');
    expect(composeMail(tenant, mailOf('emailChange')).text).toContain('This works for 24 hours.');
    expect(composeMail(tenant, mailOf('newTv')).text).not.toContain('This works');
  });

  it('of nothing that is not known', () => {
    const { text } = composeMail(tenant, mailOf('newTv', { values: { client: 'Acme TV', device: '' } }));
    expect(text).toContain('App: Acme TV');
    expect(text).not.toMatch(/Hello|Device|Place|Time:/);
  });

  it('a date that must stand in the sentence cannot be left out', () => {
    expect(() => composeMail(tenant, mailOf('deletionRequested', { values: {} }))).toThrow('date');
  });
});

describe('how a mail looks', () => {
  const { html } = composeMail(tenant, mailOf('newTv'));
  const palette = readFileSync(new URL('../../../templates/assets/palette.css', import.meta.url), 'utf8');

  it('pages 5: in the colours of the pages, light and dark, and in the tenant’s own', () => {
    const known = [...palette.matchAll(/#[0-9a-f]{6}/g)].map(([color]) => color);
    const { light, dark } = looksOf(tenant.brandColor);
    const own = [light, dark].flatMap(({ brand, onBrand, link: text }) => [brand, onBrand, text]);
    const [first = '', second = ''] = html.split('</style>').toReversed();
    for (const [part, look] of [
      [first, light],
      [second, dark],
    ] as const) {
      const colors = [...part.matchAll(/#[0-9a-f]{3,8}\b/g)].map(([color]) => color);
      expect(colors.filter((color) => !known.includes(color) && !own.includes(color))).toEqual([]);
      expect(colors).toContain(look.brand);
    }
  });

  it('in the tenant’s corners and font', () => {
    expect(html).toContain('border-radius:26px');
    expect(html).toContain('font-family:&#39;Iowan Old Style&#39;,Charter');
    const plain = composeMail({ ...tenant, corners: 'sharp', font: 'system' }, mailOf('newTv')).html;
    expect(plain).toContain('border-radius:2px');
    expect(plain).toContain('font-family:system-ui,');
  });

  it('with the letter of the tenant for a logo that mail programs do not show, and else with the logo inside', () => {
    const drawn = composeMail({ ...tenant, logo: plainLogo }, mailOf('signUp'));
    expect(drawn.logo).toBeNull();
    expect(drawn.html).toMatch(/<span class="brand" aria-hidden="true"[^>]*>A<\/span>/);
    const png = composeMail({ ...tenant, logo: pngLogo() }, mailOf('signUp'));
    expect(png.logo).toEqual({
      id: 'logo@a.test',
      type: 'image/png',
      base64: pngLogo().replace('data:image/png;base64,', ''),
    });
    expect(png.html).toContain('<img src="cid:logo@a.test" alt="" height="40"');
  });

  it('pages 23: without what the tenant has not set', () => {
    const bare = { ...tenant, supportAddress: null, termsUrl: null, privacyUrl: null };
    const mail = composeMail(bare, mailOf('deletionCancelled'));
    expect(mail.text).toMatch(/Replies are not read\.\n$/);
    expect(mail.html.match(/href="/g)).toHaveLength(2);
    const helped = composeMail({ ...bare, supportAddress: 'https://help.test/' }, mailOf('signUp'));
    expect(helped.text).toMatch(/\nHelp: https:\/\/help\.test\/\n$/);
    expect(helped.html).toMatch(/href="https:\/\/help\.test\/"[^>]*>Help<\/a>/);
  });
});

describe('what others choose in a mail', () => {
  it('is escaped in the HTML', () => {
    const device = '<img src=x onerror=alert(1)> "\'&';
    const { html } = composeMail(tenant, mailOf('newTv', { values: { device } }));
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; &quot;&#39;&amp;');
    expect(html).not.toContain('<img');
    expect(html).toContain('Acme &amp; Söhne');
  });

  it('a name is no message format', () => {
    expect(composeMail(tenant, mailOf('signUp', { values: { fullName: '{tenant} <b>' } })).text).toContain(
      'Hello {tenant} <b>,',
    );
  });

  it('a value never begins a line, nor turns the text around it', () => {
    const values = { client: 'TV\r\nBcc: x@evil.test\u2028next\u0085', device: '\u202egnp.exe\u2069' };
    const { text } = composeMail(tenant, mailOf('newTv', { values }));
    expect(text).toContain('App: TV Bcc: x@evil.test next\nDevice: gnp.exe\n');
  });

  it.each([
    'Win at https://evil.test',
    'evil.test',
    'Grace www.evil.test/now',
    'grace@evil.test',
    'evil\u3002test',
    'n'.repeat(61),
  ])('the name %j is no name to greet: an advertisement could be sent through us', (fullName) => {
    const { text, html } = composeMail(tenant, mailOf('signUp', { values: { fullName } }));
    expect(text).not.toContain('Hello');
    expect(text).not.toContain(fullName);
    expect(html).not.toContain(fullName);
  });

  it.each(['Dr. Grace B. Hopper', 'Ola Nordmann-Hansen', 'محمد', "O'Hara, Scarlett", 'J. R. R. Tolkien'])(
    'the name %j is a name to greet',
    (fullName) => {
      expect(composeMail(tenant, mailOf('signUp', { values: { fullName } })).text).toContain(
        `Hello ${fullName},`,
      );
    },
  );
});
