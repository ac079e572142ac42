import { beforeAll, describe, expect, it } from 'vitest';
import { findMember } from '../../../src/storage/members/member.ts';
import { tenantOf, textOf } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { type AccountVisitor, accountOf, expectDone } from '../../support/members/account.ts';
import { useService } from '../../support/use-service.ts';
import { field } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
let browser: AccountVisitor;

beforeAll(async () => {
  browser = await accountOf(service, hosts.a);
});

const url = '/account/details';

const memberNow = async (host: string = hosts.a) => {
  const { id: tenantId } = tenantOf(service, host);
  return service.store.transaction(async (tx) => {
    const { id } = await tx
      .selectFrom('members')
      .select('id')
      .where('tenantId', '=', tenantId)
      .where('normalisedEmail', '=', 'u1@example.test')
      .executeTakeFirstOrThrow();
    const member = await findMember(tx, tenantId, id);
    if (member === null) throw new Error('u1 is gone');
    return member;
  });
};

const form = { fullName: ' Åse Ørn ', nickName: 'Åse', phone: '0047 912 34 567', language: 'nb' };

const addressUrl = '/account/address';
const addressForm = {
  name: 'Å. Ørn',
  line1: 'Storgata 1',
  postCode: '0155',
  postOffice: 'OSLO',
  city: 'Oslo',
  country: 'norway',
};

describe('my details', () => {
  it('pages 18: the form shows what is stored', async () => {
    const page = await browser.send(url);
    expect(field(page, 'fullName')).toBe('Member 1');
    expect(field(page, 'phone')).toBe('+47 90 00 00 01');
    expect(field(await browser.send(addressUrl), 'country')).toBe('Norway');
    expect(page.text).toMatch(/<option value="en" lang="en" selected>/);
  });

  it('pages 18: all of them can be changed; the address of the mail and the numbers stay', async () => {
    const before = await memberNow();
    expectDone(await browser.submit(url, form), url, 'details');
    const between = await memberNow();
    expect(between.address).toEqual(before.address);
    expectDone(await browser.submit(addressUrl, addressForm), url, 'details');
    const after = await memberNow();
    expect(after).toEqual({
      ...before,
      fullName: 'Åse Ørn',
      nickName: 'Åse',
      phone: '+4791234567',
      phoneVerified: false,
      locale: 'nb',
      address: {
        line1: 'Storgata 1',
        city: 'Oslo',
        postCode: '0155',
        postOffice: 'OSLO',
        country: 'NO',
        name: 'Å. Ørn',
        email: 'post1@example.test',
      },
      updatedAt: after.updatedAt,
    });
    expect(after.updatedAt).toBeGreaterThan(before.updatedAt);
    expect((await browser.send('/account')).headers['content-language']).toBe('nb');
  });

  it('pages 18: what is emptied is taken away', async () => {
    const emptied = { fullName: 'Åse', nickName: '', phone: '', language: '' };
    expectDone(await browser.submit(url, emptied), url, 'details');
    expectDone(await browser.submit(addressUrl, { country: '' }), url, 'details');
    expect(textOf(await browser.send(url))).toContain('Postal address Not given yet');
    const { address, ...member } = await memberNow();
    expect(member).toMatchObject({ fullName: 'Åse', nickName: '', phone: '', locale: null });
    expect(address).toEqual({
      line1: null,
      city: null,
      postCode: null,
      postOffice: null,
      country: null,
      name: null,
      email: 'post1@example.test',
    });
  });

  it('pages 6: every problem is named at its field, what was typed is kept, and nothing is stored', async () => {
    const before = await memberNow();
    const wrong = {
      [url]: {
        fullName: ['', 'Enter your name'],
        nickName: ['n'.repeat(101), 'Use at most 100 characters'],
        phone: ['12345', 'Enter a phone number with its country code'],
      },
      [addressUrl]: {
        line1: ['x'.repeat(201), 'Use at most 200 characters'],
        city: ['a\u0000b', 'Remove the invisible characters'],
        country: ['Atlantis', 'Enter the name of a country'],
      },
    } as const;
    for (const [page, fields] of Object.entries(wrong)) {
      const sent = Object.fromEntries(Object.entries(fields).map(([name, [value]]) => [name, value]));
      const answer = await browser.submit(page, sent);
      expect(answer.status).toBe(422);
      expect(answer.text).toContain('<title>Error: ');
      for (const [name, [, text]] of Object.entries(fields)) {
        expect(textOf(answer)).toContain(text);
        expect(answer.text).toMatch(new RegExp(`href="#${name}"`));
        expect(answer.text).toMatch(new RegExp(`id="${name}"[^>]*aria-invalid="true"`));
      }
      if (page === addressUrl) expect(field(answer, 'country')).toBe('Atlantis');
    }
    expect(await memberNow()).toEqual(before);
  });

  it.each([
    ['+46 70 123 45 67', '+46701234567'],
    ['+1 (202) 555-0123', '+12025550123'],
    ['0046701234567', '+46701234567'],
  ])('a phone number may be written as %s', async (phone, stored) => {
    expectDone(await browser.submit(url, { ...form, phone }), url, 'details');
    expect((await memberNow()).phone).toBe(stored);
  });

  it.each(['91234567', '+47', '+47 1', 'call me', '+4791234567 ext. 5', '+999 123456789'])(
    'a phone number is not %s',
    async (phone) => {
      expect((await browser.submit(url, { ...form, phone })).status).toBe(422);
    },
  );

  it.each([
    ['NO', 'NO'],
    ['se', 'SE'],
    ['Tyskland', 'DE'],
    ['République dominicaine', 'DO'],
    ['مصر', 'EG'],
  ])('a country may be written as %s', async (country, code) => {
    expectDone(await browser.submit(addressUrl, { ...addressForm, country }), url, 'details');
    expect((await memberNow()).address.country).toBe(code);
  });

  it('a number that stays the same stays verified, and a language that is not ours is none', async () => {
    const { id } = await memberNow();
    await service.store.transaction((tx) =>
      tx
        .updateTable('members')
        .set({ phone: '+4791234567', phoneVerified: 1 })
        .where('id', '=', id)
        .execute(),
    );
    await browser.submit(url, { ...form, language: 'tlh' });
    expect(await memberNow()).toMatchObject({ phoneVerified: true, locale: null });
  });

  it('X1: the member of the same address on another tenant keeps theirs', async () => {
    expect(await memberNow(hosts.b)).toMatchObject({ fullName: 'Member 1', phone: '+4790000001' });
  });
});
