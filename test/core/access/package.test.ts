import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  asksForAddress,
  endOfNextPeriod,
  endOfPeriod,
  type PackageFacts,
  type Period,
  packageProblems,
  textProblems,
} from '../../../src/core/access/package.ts';
import { told } from '../../support/expected/told.ts';
import { packageFacts } from '../../support/records/access-records.ts';
import { day } from '../../support/records/records.ts';

const at = (text: string) => Date.parse(`${text}T10:20:30.456Z`);
const iso = (ms: number) => new Date(ms).toISOString();

describe('end of a period, in UTC', () => {
  it.each<[string, number, Period['unit'], string]>([
    ['2026-01-15', 1, 'day', '2026-01-16'],
    ['2026-12-31', 1, 'day', '2027-01-01'],
    ['2026-02-20', 2, 'week', '2026-03-06'],
    ['2026-01-15', 1, 'month', '2026-02-15'],
    ['2026-01-31', 1, 'month', '2026-02-28'],
    ['2028-01-31', 1, 'month', '2028-02-29'],
    ['2026-02-28', 1, 'month', '2026-03-28'],
    ['2026-03-31', 1, 'month', '2026-04-30'],
    ['2026-12-31', 2, 'month', '2027-02-28'],
    ['2026-11-30', 3, 'month', '2027-02-28'],
    ['2026-08-31', 18, 'month', '2028-02-29'],
    ['2028-02-29', 1, 'year', '2029-02-28'],
    ['2028-02-29', 4, 'year', '2032-02-29'],
    ['2026-05-05', 10, 'year', '2036-05-05'],
    // 2100 is no leap year, 2000 was one.
    ['2096-02-29', 4, 'year', '2100-02-28'],
    ['2100-01-31', 1, 'month', '2100-02-28'],
    ['2100-02-28', 1, 'day', '2100-03-01'],
    ['1996-02-29', 4, 'year', '2000-02-29'],
    ['2099-12-31', 1, 'day', '2100-01-01'],
  ])('%s and %i %s is %s, at the same time of day', (from, count, unit, expected) => {
    expect(iso(endOfPeriod(at(from), { unit, count }))).toBe(`${expected}T10:20:30.456Z`);
  });

  it.each(['2026-03-28', '2026-03-29', '2026-10-24', '2026-10-25'])(
    'a day from %s has 24 hours, also where clocks are put forward or back',
    (from) => {
      expect(endOfPeriod(at(from), { unit: 'day', count: 1 })).toBe(at(from) + day);
    },
  );

  const time = fc.integer({ min: Date.UTC(1970, 0), max: Date.UTC(2200, 0) });
  const count = fc.integer({ min: 1, max: 120 });

  it('of months: that many months later, on the same day or the last, at the same time', () => {
    fc.assert(
      fc.property(time, count, (from, months) => {
        const begin = new Date(from);
        const end = new Date(endOfPeriod(from, { unit: 'month', count: months }));
        const monthOf = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth();
        expect(monthOf(end) - monthOf(begin)).toBe(months);
        expect(end.getTime() % day).toBe(from % day);
        const isLastDay = new Date(end.getTime() + day).getUTCDate() === 1;
        expect(
          end.getUTCDate() === begin.getUTCDate() || (isLastDay && end.getUTCDate() < begin.getUTCDate()),
        ).toBe(true);
      }),
    );
  });

  it('of years is that of twelve times as many months, and of weeks that of seven times as many days', () => {
    fc.assert(
      fc.property(time, count, (from, times) => {
        const end = (unit: Period['unit'], factor: number) =>
          endOfPeriod(from, { unit, count: times * factor });
        expect(end('year', 1)).toBe(end('month', 12));
        expect(end('week', 1)).toBe(end('day', 7));
        expect(end('day', 1)).toBe(from + times * day);
      }),
    );
  });
});

describe('end of the next period', () => {
  it.each<[string, string, number, Period['unit'], string]>([
    ['2026-01-31', '2026-02-28', 1, 'month', '2026-03-31'],
    ['2026-01-31', '2026-03-31', 1, 'month', '2026-04-30'],
    ['2026-01-30', '2026-02-28', 1, 'month', '2026-03-30'],
    ['2026-01-28', '2026-02-28', 1, 'month', '2026-03-28'],
    ['2026-01-15', '2026-02-28', 1, 'month', '2026-03-28'],
    ['2026-01-31', '2026-02-27', 1, 'month', '2026-03-27'],
    ['2028-02-29', '2031-02-28', 1, 'year', '2032-02-29'],
    ['2026-01-31', '2026-02-28', 1, 'day', '2026-03-01'],
    ['2026-01-31', '2026-02-28', 1, 'week', '2026-03-07'],
  ])(
    'begun on %s, a period that ends on %s is followed by %i %s until %s',
    (begin, end, count, unit, next) => {
      expect(iso(endOfNextPeriod(at(begin), at(end), { unit, count }))).toBe(`${next}T10:20:30.456Z`);
    },
  );

  it('period after period ends where one of their whole length would', () => {
    const begin = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2110, 0) });
    fc.assert(
      fc.property(begin, fc.integer({ min: 1, max: 24 }), fc.constantFrom(1, 3, 12), (from, times, count) => {
        let end = endOfPeriod(from, { unit: 'month', count });
        for (let period = 1; period < times; period += 1) {
          end = endOfNextPeriod(from, end, { unit: 'month', count });
        }
        expect(iso(end)).toBe(iso(endOfPeriod(from, { unit: 'month', count: count * times })));
      }),
    );
  });
});

describe('what is wrong with a package', () => {
  const problemsOf = (changes: Partial<PackageFacts>) => told(packageProblems(packageFacts(changes), true));
  const priced = (amount: number, currency = 'NOK') => ({ price: { amount, currency } });
  const period = (unit: Period['unit'], count: number) => ({ period: { unit, count } });

  it.each<[string, Partial<PackageFacts>]>([
    ['as it is', {}],
    ['a name of 100 characters', { name: 'x'.repeat(100) }],
    ['no description', { description: '' }],
    ['a description of 1,000 characters in lines', { description: `${'x'.repeat(997)}\r\n\t` }],
    ['a name in other letters, and a picture', { name: 'كل شيء 👩‍👩‍👧', description: '全部 🎬' }],
    ['the smallest price', priced(1)],
    ['the largest price', priced(Number.MAX_SAFE_INTEGER)],
    ['a currency without decimals', priced(1, 'JPY')],
    ['a currency of 2024', priced(1, 'ZWG')],
    ['no price, and free', { ...priced(0), payment: 'free' }],
    ['3660 days', period('day', 3_660)],
    ['520 weeks', period('week', 520)],
    ['120 months', period('month', 120)],
    ['10 years', period('year', 10)],
    ['no tax', { taxName: '', taxPercent: null }],
    ['a tax of 8.25 %', { taxPercent: 8.25 }],
  ])('nothing: %s', (_what, changes) => {
    expect(problemsOf(changes)).toEqual([]);
  });

  const amount = 'price.amount must be a whole number of the smallest unit';
  const currency = 'price.currency must be three capital letters of ISO 4217, such as NOK';

  it.each<[string, Partial<PackageFacts>, string]>([
    ['no name', { name: '' }, 'name is missing'],
    ['a name of spaces', { name: ' \u00a0' }, 'name is missing'],
    ['a longer name', { name: 'x'.repeat(101) }, 'name has more than 100 characters'],
    ['a name in two lines', { name: 'Gold\nSilver' }, 'name has a character that cannot be seen'],
    ['a name with half a letter', { name: 'Gold \ud800' }, 'name has a character that cannot be seen'],
    [
      'a name with a line separator',
      { name: 'Gold\u2028Silver' },
      'name has a character that cannot be seen',
    ],
    ['a longer description', { description: 'x'.repeat(1_001) }, 'description has more than 1000 characters'],
    ['a NUL in the description', { description: 'a\0b' }, 'description has a character that cannot be seen'],
    [
      'half a letter in the description',
      { description: '\udc00' },
      'description has a character that cannot be seen',
    ],
    ['a price below nothing', priced(-1), amount],
    ['a broken price', priced(199.5), amount],
    ['no number as a price', priced(Number.NaN), amount],
    ['an endless price', priced(Number.POSITIVE_INFINITY), amount],
    ['a price beyond exact numbers', priced(2 ** 53), amount],
    ['a currency in small letters', priced(1, 'nok'), currency],
    ['letters that are no currency', priced(1, 'QQQ'), currency],
    ['a currency that is no more', priced(1, 'DEM'), currency],
    ['a currency for tests', priced(1, 'XTS'), currency],
    ['a metal as currency', priced(1, 'XAU'), currency],
    ['a sign as currency', priced(1, '€'), currency],
    ['four letters as currency', priced(1, 'NOKK'), currency],
    ['a currency and a line end', priced(1, 'NOK\n'), currency],
    ['a longer name of the tax', { taxName: 'x'.repeat(21) }, 'taxName has more than 20 characters'],
    ['a name of the tax in two lines', { taxName: 'V\nAT' }, 'taxName has a character that cannot be seen'],
    ['a tax below nothing', { taxPercent: -1 }, 'taxPercent must be 0 to 100, with at most two decimals'],
    ['0 months', period('month', 0), 'period.count must be 1 to 120'],
    ['-1 days', period('day', -1), 'period.count must be 1 to 3660'],
    ['half a week', period('week', 0.5), 'period.count must be 1 to 520'],
    ['no number of weeks', period('week', Number.NaN), 'period.count must be 1 to 520'],
    ['521 weeks', period('week', 521), 'period.count must be 1 to 520'],
    ['121 months', period('month', 121), 'period.count must be 1 to 120'],
    ['11 years', period('year', 11), 'period.count must be 1 to 10'],
    ['no payment method', { payment: '' }, 'payment is missing'],
    ['a price, and free', { ...priced(1), payment: 'free' }, 'a free package has no price'],
    ['no price, and an invoice', priced(0), 'a package without a price is free'],
  ])('%s', (_what, changes, problem) => {
    expect(problemsOf(changes)).toEqual([problem]);
  });

  it('is listed all at once', () => {
    const wrong = { name: ' ', description: '\0', ...priced(-1, 'x'), ...period('day', 0), payment: '' };
    expect(problemsOf(wrong)).toHaveLength(6);
  });

  it('texts of products, channels and consents are held to the same', () => {
    expect(
      told(textProblems({ name: `${'x'.repeat(100)}\0`, description: `${'x'.repeat(1_000)}\0` })),
    ).toEqual([
      'name has more than 100 characters',
      'name has a character that cannot be seen',
      'description has more than 1000 characters',
      'description has a character that cannot be seen',
    ]);
    expect(textProblems({ name: 'Film' })).toEqual([]);
  });
});

describe('a postal address', () => {
  it.each([
    [true, 'free', true],
    [true, 'invoice', true],
    [false, 'invoice', true],
    [false, 'free', false],
    [false, 'card', false],
  ])('asked for by the package: %s, paid by %s: needed: %s', (needsAddress, payment, needed) => {
    expect(asksForAddress({ needsAddress, payment })).toBe(needed);
  });
});
