import { describe, expect, it } from 'vitest';
import { memberClaims } from '../../../src/core/oidc/claims.ts';
import { memberRecord } from '../../support/records/records.ts';

const member = memberRecord();
const noAddress = {
  line1: null,
  city: null,
  postCode: null,
  postOffice: null,
  country: null,
  name: null,
  email: null,
};

describe('claims of a member (interop 37; Core §5.1, §5.4)', () => {
  it.each([
    [
      'profile',
      {
        name: 'Ada Berg',
        given_name: 'Ada',
        family_name: 'Berg',
        nickname: 'ada',
        preferred_username: 'ada',
        picture: 'https://example.test/ada.png',
        locale: 'nb',
        updated_at: member.updatedAt / 1_000,
      },
    ],
    ['email', { email: 'Ada@Example.test', email_verified: true }],
    ['phone', { phone_number: '+4790000001', phone_number_verified: false }],
    [
      'address',
      { address: { street_address: 'Storgata 1', postal_code: '1430', locality: 'ÅS', country: 'NO' } },
    ],
  ])('the scope %s opens its own claims and no others', (scope, claims) => {
    expect(memberClaims(member, `openid ${scope}`)).toEqual(claims);
  });

  it('openid and offline_access alone open none', () => {
    expect(memberClaims(member, 'openid offline_access')).toEqual({});
  });

  it('all scopes together open all claims', () => {
    const claims = memberClaims(member, 'openid profile email phone address');
    expect(Object.keys(claims).sort()).toEqual([
      'address',
      'email',
      'email_verified',
      'family_name',
      'given_name',
      'locale',
      'name',
      'nickname',
      'phone_number',
      'phone_number_verified',
      'picture',
      'preferred_username',
      'updated_at',
    ]);
  });

  it('Core §5.3.2: what the member has not given is left out, neither empty nor null', () => {
    const sparse = memberRecord({
      nickName: '',
      phone: '',
      phoneVerified: true,
      avatar: null,
      locale: null,
      address: noAddress,
    });
    expect(memberClaims(sparse, 'openid profile email phone address')).toEqual({
      name: 'Ada Berg',
      given_name: 'Ada',
      family_name: 'Berg',
      updated_at: member.updatedAt / 1_000,
      email: 'Ada@Example.test',
      email_verified: true,
    });
  });

  it.each([
    ['Åse Ødegård-Ní', 'Åse', 'Ødegård-Ní'],
    [" Conan O'Brien ", 'Conan', "O'Brien"],
    ['Ангела Меркель', 'Ангела', 'Меркель'],
  ])('given_name and family_name are the two words of %j', (fullName, given, family) => {
    const claims = memberClaims(memberRecord({ fullName }), 'openid profile');
    expect(claims).toMatchObject({ name: fullName, given_name: given, family_name: family });
  });

  it.each(['Madonna', '李小龍', 'Juan García Márquez', 'Member 1', 'Dee 🦊', 'Ada Berg, Jr.'])(
    'given_name and family_name are left out for %j, which cannot be split safely',
    (fullName) => {
      const claims = memberClaims(memberRecord({ fullName }), 'openid profile');
      expect(claims).toMatchObject({ name: fullName });
      expect(Object.keys(claims)).not.toContain('given_name');
      expect(Object.keys(claims)).not.toContain('family_name');
    },
  );

  it('an address is told as far as it is known; the city stands in for a missing post office', () => {
    const address = { ...noAddress, city: 'Ås', country: 'NO' };
    expect(memberClaims(memberRecord({ address }), 'openid address')).toEqual({
      address: { locality: 'Ås', country: 'NO' },
    });
  });

  it('updated_at is a whole number of seconds', () => {
    expect(memberClaims(memberRecord({ updatedAt: 1_999 }), 'openid profile')).toMatchObject({
      updated_at: 1,
    });
  });

  it('flags that are false are told as false', () => {
    expect(memberClaims(memberRecord({ emailVerified: false }), 'openid email')).toMatchObject({
      email_verified: false,
    });
  });
});
