import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  inGroups,
  invoicingDefaults,
  invoicingProblems,
  paymentReference,
  showAccount,
} from '../../../src/core/access/invoicing.ts';
import { told } from '../../support/expected/told.ts';

const wrong = (changes: object) => told(invoicingProblems({ ...invoicingDefaults, ...changes }));

describe('the reference of a payment', () => {
  it.each([
    // ISO 11649, and what banks publish of it.
    ['539007547034', 'RF18539007547034'],
    ['000000000539007547034', 'RF18000000000539007547034'],
    ['G72UUR', 'RF45G72UUR'],
    ['18K5', 'RF6518K5'],
  ])('of %s is %s', (number, reference) => {
    expect(paymentReference(number)).toBe(reference);
  });

  it('changes with each digit, and with two neighbours that swap places', () => {
    const number = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    const checks = (text: string) => paymentReference(text.slice(4)) === text;
    fc.assert(
      fc.property(number, fc.nat(), fc.integer({ min: 1, max: 9 }), (of, place, by) => {
        const reference = paymentReference(of);
        expect(checks(reference)).toBe(true);
        const at = 4 + (place % (reference.length - 4));
        const digit = (Number(reference[at]) + by) % 10;
        expect(checks(`${reference.slice(0, at)}${digit}${reference.slice(at + 1)}`)).toBe(false);
        const [one = '', two = ''] = reference.slice(at, at + 2);
        if (two !== '' && one !== two) {
          expect(checks(`${reference.slice(0, at)}${two}${one}${reference.slice(at + 2)}`)).toBe(false);
        }
      }),
    );
  });

  it('is printed in groups of four', () => {
    expect(inGroups('RF18539007547034')).toBe('RF18 5390 0754 7034');
    expect(inGroups('RF6812')).toBe('RF68 12');
  });
});

describe('an account', () => {
  it.each([
    // The examples of the registry of IBANs.
    'NO9386011117947',
    'NO93 8601 1117 947',
    'GB29 NWBK 6016 1331 9268 19',
    'DE89370400440532013000',
    'FI2112345600000785',
    'MT84MALT011000012345MTLCAST001S',
    'SA0380000000608010167519',
    // As countries write their own.
    '8601.11.17947',
    '8601 11 17947',
    '0440-0532013000',
    '12345',
  ])('%s is taken', (account) => {
    expect(wrong({ account })).toEqual([]);
  });

  it.each([
    ['NO94 8601 1117 947', 'not_an_iban'],
    ['no9386011117947', 'not_an_iban'],
    ['NO93', 'not_an_iban'],
    ['NO93 8601 1117 9470', 'not_an_iban'],
    ['', 'not_an_account'],
    ['1234', 'not_an_account'],
    ['8601..11.17947', 'not_an_account'],
    ['<b>12345</b>', 'not_an_account'],
    ['1'.repeat(51), 'not_an_account'],
  ])('%s is refused: %s', (account, code) => {
    expect(invoicingProblems({ ...invoicingDefaults, account })).toMatchObject([{ path: ['account'], code }]);
  });

  it('is shown in groups where it is an IBAN, and as it was written where it is not', () => {
    expect(showAccount('NO9386011117947')).toBe('NO93 8601 1117 947');
    expect(showAccount('8601.11.17947')).toBe('8601.11.17947');
  });
});

it('what a tenant sets for its invoices names what is wrong, each at its field', () => {
  const all = { payee: 'A\nB', account: 'x', bic: 'dnbanokk', note: '\u0007', dueDays: 366 };
  expect(invoicingProblems({ ...invoicingDefaults, ...all }).map(({ path }) => path)).toEqual([
    ['payee'],
    ['note'],
    ['account'],
    ['bic'],
    ['dueDays'],
  ]);
  for (const bic of ['DNBANOKK', 'DEUTDEFF500']) expect(wrong({ bic })).toEqual([]);
  for (const dueDays of [0, 14, 365]) expect(wrong({ dueDays })).toEqual([]);
  for (const dueDays of [-1, 1.5, Number.NaN]) expect(wrong({ dueDays })).toHaveLength(1);
});
