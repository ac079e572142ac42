import { describe, expect, it } from 'vitest';
import { changeDetails, type Details } from '../../../src/core/members/details.ts';
import { memberRecord, now } from '../../support/records/records.ts';

const details: Details = {
  fullName: ' Åse Ørn ',
  nickName: ' Åse ',
  phone: '+4791234567',
  address: { name: 'Å. Ørn', line1: 'Gata 2', postCode: '5003', postOffice: 'BERGEN', city: ' Bergen ' },
  country: 'SE',
  locale: 'sv',
};

describe('a change of details (pages 18)', () => {
  it('takes every field, trimmed, and leaves what it does not know', () => {
    const member = memberRecord({ phoneVerified: true });
    expect(changeDetails(member, details, now)).toEqual({
      kind: 'changed',
      member: {
        ...member,
        fullName: 'Åse Ørn',
        nickName: 'Åse',
        phone: '+4791234567',
        phoneVerified: false,
        locale: 'sv',
        address: {
          line1: 'Gata 2',
          city: 'Bergen',
          postCode: '5003',
          postOffice: 'BERGEN',
          country: 'SE',
          name: 'Å. Ørn',
          email: 'post@example.test',
        },
        updatedAt: now,
      },
    });
  });

  it('an empty text takes a detail away', () => {
    const none = { name: '', line1: ' ', postCode: '', postOffice: '', city: '' };
    const empty = { ...details, nickName: '', phone: '', address: none, country: '', locale: null };
    const changed = changeDetails(memberRecord(), empty, now);
    expect(changed).toMatchObject({
      kind: 'changed',
      member: {
        nickName: '',
        phone: '',
        locale: null,
        address: { line1: null, city: null, postCode: null, postOffice: null, country: null, name: null },
      },
    });
  });

  it.each([true, false])('a number that stays is as verified as before: %s', (phoneVerified) => {
    const member = memberRecord({ phoneVerified, phone: details.phone ?? '' });
    expect(changeDetails(member, details, now)).toMatchObject({ member: { phoneVerified } });
  });

  it.each([
    ['fullName', { fullName: ' ' }, 'missing'],
    ['fullName', { fullName: 'x'.repeat(201) }, 'long'],
    ['fullName', { fullName: 'a\u202eb' }, 'unfit'],
    ['nickName', { nickName: 'x'.repeat(101) }, 'long'],
    ['phone', { phone: null }, 'malformed'],
    ['line1', { address: { ...details.address, line1: 'x'.repeat(201) } }, 'long'],
    ['city', { address: { ...details.address, city: 'a\u0000' } }, 'unfit'],
    ['country', { country: null }, 'unknown'],
  ] as const)('%s is refused with its reason', (field, change, problem) => {
    expect(changeDetails(memberRecord(), { ...details, ...change }, now)).toEqual({
      kind: 'refused',
      problems: [{ field, problem }],
    });
  });

  it('pages 6: every problem is told at once, in the order of the form', () => {
    const wrong = { ...details, fullName: '', phone: null, country: null };
    expect(changeDetails(memberRecord(), wrong, now)).toMatchObject({
      problems: [{ field: 'fullName' }, { field: 'phone' }, { field: 'country' }],
    });
  });
});
