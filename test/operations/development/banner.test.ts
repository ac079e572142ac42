import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { banner, ownBanner } from '../../../src/operations/development/banner.ts';

const issuers = {
  Acme: 'http://localhost:3000',
  Globex: 'http://127.0.0.1:3000',
  Initech: 'http://initech.localhost:3000',
};
const tenants = Object.entries(issuers).map(([name, issuer]) => ({ name, issuer }));
const printed = (smtpUrl: string | null) =>
  banner({ dataFolder: '/data', mail: { smtpUrl, from: 'x@localhost' } }, tenants).split('\n');

describe('the banner of the development start', () => {
  it('begins with the rehearsal room, the account, the portal and its administrators, the outbox, the documents and the data', () => {
    expect(printed(null).slice(1, 11)).toEqual([
      'Memberdoor, development start. Nothing here is secret; none of it loads into production.',
      '',
      '  Rehearsal  http://localhost:3000/rehearsal  a TV, a phone, and what goes over the wire',
      '  Account    http://localhost:3000/account    as ada@example.com',
      '  Portal     http://localhost:3000/admin      as sam@example.com, or tina@example.com for Acme alone',
      '  Outbox     http://localhost:3000/outbox     every mail, as its reader sees it',
      '  Docs       docs/client-developers.md        begin with "Your first sign-in"',
      '  Data       /data                            delete it to begin anew',
      '',
      '  The password of every member is memberdoor-development',
    ]);
  });

  it('names no outbox where mails leave', () => {
    expect(printed('smtp://127.0.0.1').join('\n')).not.toContain('outbox');
  });

  it('fits a terminal of a hundred characters but for addresses', () => {
    const long = printed(null).filter((line) => line.length > 100 && !line.includes('callback'));
    expect(long).toEqual([]);
  });

  it('begins with the rehearsal room of the first of tenants of one’s own, too', () => {
    const shop = [{ name: 'Shop', issuer: 'http://localhost:3000' }];
    const mail = { smtpUrl: null, from: 'x@localhost' };
    expect(ownBanner({ dataFolder: null, mail }, shop).split('\n').slice(6, 10)).toEqual([
      '  Rehearsal  http://localhost:3000/rehearsal  a TV, a phone, and what goes over the wire',
      '  Account    http://localhost:3000/account',
      '  Outbox     http://localhost:3000/outbox',
      '  Data       in memory',
    ]);
  });

  it.each(['README.md', 'docs/client-developers.md'])('says what %s says', (name) => {
    const text = readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
    for (const named of [
      '/rehearsal',
      '/admin',
      '/outbox',
      'sam@example.com',
      'tina@example.com',
      'ada@example.com',
    ]) {
      expect(text).toContain(named);
      expect(printed(null).join('\n')).toContain(named);
    }
    expect(text.toLowerCase()).toContain('your first sign-in');
  });
});
