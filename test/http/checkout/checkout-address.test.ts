import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Address, noAddress } from '../../../src/core/members/member.ts';
import { findMemberByEmail, updateMember } from '../../../src/storage/members/member.ts';
import {
  back,
  expectLeads,
  invoiced,
  newPackage,
  onward,
  type Shopper,
  shopper,
} from '../../support/access/shopper.ts';
import { tenantOf, textOf } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { problemsOf } from '../../support/members/sign-up.ts';
import { allRows } from '../../support/records/rows.ts';
import { useService } from '../../support/use-service.ts';
import { field, headingOf } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
let browser: Shopper;

const email = 'u2@example.test';
const complete: Address = {
  ...noAddress,
  line1: 'Storgata 1',
  postCode: '0155',
  city: 'Oslo',
  postOffice: 'SENTRUM',
  country: 'NO',
};
const typed = { name: '', line1: 'Kirkegata 2', postCode: '5003', city: 'Bergen', country: 'Norge' };

beforeAll(() => {
  browser = shopper(service, hosts.a);
});
beforeEach(() => setAddress(noAddress));

const memberNow = () =>
  service.store.transaction(async (tx) => {
    const found = await findMemberByEmail(tx, tenantOf(service, hosts.a).id, email);
    if (found === null) throw new Error('no member');
    return found.member;
  });

async function setAddress(address: Address): Promise<void> {
  const member = await memberNow();
  await service.store.transaction((tx) => updateMember(tx, { ...member, address }));
}

const order = async (changes: Parameters<typeof newPackage>[2]) =>
  browser.order(
    {
      packageId: await newPackage(service, hosts.a, changes),
      onCheckoutCompletedUrl: onward,
      callBackUrl: back,
    },
    email,
  );

const posted = { needsAddress: true };

describe('a package that asks for an address', () => {
  it.each<[string, Parameters<typeof newPackage>[2], Address, string]>([
    ['posted, no address', posted, noAddress, 'Your postal address'],
    ['invoiced, no address', invoiced, noAddress, 'Your postal address'],
    ['posted, no street', posted, { ...complete, line1: null }, 'Your postal address'],
    ['posted, no postal code', posted, { ...complete, postCode: null }, 'Your postal address'],
    ['posted, no city', posted, { ...complete, city: null }, 'Your postal address'],
    ['posted, no country', posted, { ...complete, country: null }, 'Your postal address'],
    [
      'posted, all but recipient and post town',
      posted,
      { ...complete, postOffice: null },
      'Review your order',
    ],
    ['free and not posted, no address', {}, noAddress, 'Review your order'],
  ])('%s', async (_what, changes, address, heading) => {
    await setAddress(address);
    expect(headingOf((await order(changes)).page)).toBe(heading);
  });

  it('cannot be confirmed without one', async () => {
    const ordering = await order(posted);
    const before = await allRows(service);
    expectLeads(await browser.submit(ordering, 'confirm'), ordering.path);
    expect(await allRows(service)).toEqual(before);
  });

  it('takes it, keeps it with the member, and shows it on the summary', async () => {
    const ordering = await order(invoiced);
    expect(field(ordering.page, 'name')).toBe('Member 2');
    expectLeads(await browser.submit(ordering, 'address', typed), ordering.path);
    expect((await memberNow()).address).toEqual({
      ...noAddress,
      line1: 'Kirkegata 2',
      postCode: '5003',
      city: 'Bergen',
      country: 'NO',
    });
    const page = await browser.send(ordering.path);
    expect(textOf(page)).toContain('Member 2 Kirkegata 2 5003 Bergen Norway');
    expectLeads(await browser.submit({ ...ordering, page }, 'confirm'), onward);
    const { invoices = [] } = await allRows(service);
    expect(JSON.parse((invoices.at(-1) as { addressee: string }).addressee)).toMatchObject({
      name: 'Member 2',
      line1: 'Kirkegata 2',
      email,
    });
  });

  it.each([
    ['where the phone number is from', '+46701740605', 'nb-NO', 'Sweden'],
    ['or else what the browser’s language says', '', 'fi-FI,fi;q=0.9', 'Finland'],
    ['or nothing, where the browser was told nothing', '', 'en-US,en;q=0.9', ''],
    ['or nothing, where there is no such country', '', 'en-ZZ', ''],
  ])('fills in the likely country: %s', async (_where, phone, language, country) => {
    const ordering = await order(posted);
    const member = await memberNow();
    await service.store.transaction((tx) => updateMember(tx, { ...member, phone }));
    const headers = { 'accept-language': language };
    const page = await browser.send(ordering.path, { headers });
    expect(field(page, 'country')).toBe(country);
    await setAddress({ ...noAddress, country: 'IS' });
    expect(field(await browser.send(ordering.path, { headers }), 'country')).toMatch(
      /^(?:Iceland|Island|Islanti)$/,
    );
    await service.store.transaction((tx) => updateMember(tx, member));
  });

  it('an invoice keeps the address that it was sent to', async () => {
    await setAddress(complete);
    await browser.submit(await order(invoiced), 'confirm');
    await setAddress({ ...complete, line1: 'Elsewhere 9' });
    const { invoices = [] } = await allRows(service);
    expect((invoices.at(-1) as { addressee: string }).addressee).toContain('Storgata 1');
  });

  it('pages 6: says what is missing or wrong, keeps what was typed, and saves nothing of it', async () => {
    const ordering = await order(posted);
    const before = await memberNow();
    const wrong = { ...typed, line1: ' ', postCode: 'x'.repeat(201), city: '', country: 'Atlantis' };
    const page = await browser.submit(ordering, 'address', wrong);
    expect(page.status).toBe(422);
    expect(problemsOf(page)).toEqual([
      'Enter the street and number',
      'Use at most 200 characters',
      'Enter the city',
      'Enter the name of a country',
    ]);
    expect(field(page, 'country')).toBe('Atlantis');
    expect(field(page, 'postCode')).toBe(wrong.postCode);
    expect(await memberNow()).toEqual(before);
    const half = await browser.submit(ordering, 'address', { ...typed, city: '' });
    expect(problemsOf(half)).toEqual(['Enter the city']);
    expect(await memberNow()).toEqual(before);
  });

  it('can be changed from the summary; a post town of another place goes, of the same place it stays', async () => {
    await setAddress(complete);
    const ordering = await order(posted);
    const form = await browser.send(`${ordering.path}?change=address`);
    expect(headingOf(form)).toBe('Your postal address');
    expect(field(form, 'country')).toBe('Norway');
    expect(form.text).toContain(`href="${ordering.path}"`);
    const same = { name: 'Me', line1: 'Storgata 2', postCode: '0155', city: 'Oslo', country: 'no' };
    expectLeads(await browser.submit(ordering, 'address', same), ordering.path);
    expect((await memberNow()).address).toMatchObject({
      name: 'Me',
      postOffice: 'SENTRUM',
      line1: 'Storgata 2',
    });
    await browser.submit(ordering, 'address', typed);
    expect((await memberNow()).address).toMatchObject({ name: null, postOffice: null, city: 'Bergen' });
  });

  it('changes nothing else of the member', async () => {
    const before = await memberNow();
    await browser.submit(await order(posted), 'address', { ...typed, fullName: 'X', phone: '1', email: 'x' });
    const { address: _, updatedAt: __, ...rest } = before;
    expect(await memberNow()).toMatchObject(rest);
  });

  it('is not sent when the order is cancelled at the form', async () => {
    expectLeads(await browser.submit(await order(posted), 'cancel'), back);
  });
});
