import { describe, expect, it } from 'vitest';
import {
  factorsOfPasskey,
  nameOfPasskey,
  passkeyDomain,
  usePasskey,
} from '../../../src/core/members/passkey.ts';
import { isLastWayIn } from '../../../src/core/members/ways-in.ts';
import { strengthOf } from '../../../src/core/strength.ts';
import { now, passkeyRecord } from '../../support/records/records.ts';

const from = { userAgent: 'Safari', ipAddress: '192.0.2.9' };
const signed = { counter: 0, isSynced: true, isBackedUp: true };

describe('the use of a passkey', () => {
  it.each([
    { title: 'goes on where its authenticator does not count', stored: 0, counter: 0, goesOn: true },
    { title: 'goes on where the counter does', stored: 3, counter: 4, goesOn: true },
    { title: 'is refused where the counter stands still', stored: 3, counter: 3, goesOn: false },
    { title: 'is refused where the counter went back', stored: 3, counter: 2, goesOn: false },
    { title: 'is refused where the counter was lost', stored: 3, counter: 0, goesOn: false },
  ])('WebAuthn §7.2, step 22: $title', ({ stored, counter, goesOn }) => {
    const used = usePasskey(passkeyRecord({ counter: stored }), { ...signed, counter }, from, now);
    expect(used).toEqual(
      goesOn
        ? { passkey: passkeyRecord({ ...from, counter, lastUsedAt: now }) }
        : { refused: 'counter_went_back' },
    );
  });

  it('keeps whether it is kept elsewhere, and is refused where a key of one device became one of several', () => {
    const ofOne = passkeyRecord({ counter: 0, isSynced: false, isBackedUp: false });
    expect(usePasskey(ofOne, signed, from, now)).toEqual({ refused: 'kind_changed' });
    const moved = usePasskey(passkeyRecord({ counter: 0 }), { ...signed, isBackedUp: false }, from, now);
    expect(moved).toMatchObject({ passkey: { isBackedUp: false } });
  });

  it('decision 47: is as strong as two factors, and says whether the key is of one device', () => {
    const factors = [true, false].map((isSynced) => factorsOfPasskey({ isSynced }));
    expect(factors).toEqual([
      ['swk', 'user'],
      ['hwk', 'user'],
    ]);
    expect(strengthOf(factors[0] ?? [], now)).toEqual({ amr: 'swk user', strongAt: now });
  });
});

describe('the domain that passkeys are for', () => {
  it.each([
    ['https://login.example.com:8443', 'login.example.com'],
    ['http://localhost:3000', 'localhost'],
    ['http://127.0.0.1:3000', null],
    ['https://[2001:db8::1]', null],
  ])('of %s is %s', (issuer, domain) => {
    expect(passkeyDomain({ issuer, passkeys: 'on' })).toBe(domain);
    expect(passkeyDomain({ issuer, passkeys: 'off' })).toBeNull();
  });
});

it('a passkey is called after what keeps it, else after its browser', () => {
  expect(nameOfPasskey('fbfc3007-154e-4ecc-8c0b-6e020557d7bd', 'Safari on iOS')).toBe('iCloud Keychain');
  expect(nameOfPasskey('00000000-0000-0000-0000-000000000000', 'Safari on iOS')).toBe('Safari on iOS');
});

it('decision 46: the last way in cannot be removed, and each of two can', () => {
  const password = { way: 'password', id: null } as const;
  const [one, other] = ['1', '2'].map((id) => ({ way: 'passkey', id }) as const);
  if (one === undefined || other === undefined) throw new Error('there are two');
  expect([isLastWayIn([one], one), isLastWayIn([password], password)]).toEqual([true, true]);
  expect([isLastWayIn([password, one], one), isLastWayIn([one, other], other)]).toEqual([false, false]);
});
