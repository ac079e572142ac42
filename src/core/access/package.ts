// Packages and products, with their prices, currencies and periods.
import { type Problem, problem, within } from '../problem.ts';
import { mostSeats, networksOfPackage, packageTextLength, taxNameLength } from './limits.ts';
import { networkProblems } from './network.ts';
import { isTaxPercent, type Tax } from './tax.ts';

/** What a package opens (contract, "subscriptionProducts"); content channels are tied to it. */
export interface Product {
  readonly id: number;
  readonly name: string;
}

/** How long a subscription runs before it is renewed or over. Months and years are the calendar's. */
export interface Period {
  readonly unit: 'day' | 'week' | 'month' | 'year';
  readonly count: number;
}

/** What something costs, in the smallest unit of an ISO 4217 currency. */
export interface Price {
  readonly amount: number;
  readonly currency: string;
}

/** What a member can subscribe to. */
export interface Package extends Tax {
  readonly id: number;
  readonly tenantId: string;
  readonly name: string;
  readonly description: string;
  readonly products: readonly Product[];
  readonly price: Price;
  readonly period: Period;
  /** The payment method by its name: `free`, `invoice`, or a payment provider of the service. */
  readonly payment: string;
  /** Whether a subscriber must give a postal address. */
  readonly needsAddress: boolean;
  /** Whether the operator renews its subscriptions until they are cancelled: the service itself renews none. */
  readonly renews: boolean;
  /** How many members a subscription gives access to beside its holder; null for the holder alone. */
  readonly seats: number | null;
  /** Whether the checkout offers it; subscriptions go on either way. */
  readonly offered: boolean;
  /** The ranges of IP addresses it is open for, in their canonical form: a visitor from there needs no subscription. */
  readonly networks: readonly string[];
}

/** What an operator says of a package. */
export type PackageFacts = Omit<Package, 'id' | 'tenantId' | 'products'>;

/** The fields of a package that an operator may leave out. */
export const packageDefaults = {
  description: '',
  taxName: '',
  taxPercent: null,
  renews: false,
  needsAddress: false,
  seats: null,
  offered: true,
  networks: [],
} as const satisfies Partial<PackageFacts>;

/** These facts, and nothing else of what was handed in. */
export function packageFacts({
  name,
  description,
  price,
  taxName,
  taxPercent,
  period,
  renews,
  payment,
  needsAddress,
  seats,
  offered,
  networks,
}: PackageFacts): PackageFacts {
  return {
    name,
    description,
    price,
    taxName,
    taxPercent,
    period,
    renews,
    payment,
    needsAddress,
    seats,
    offered,
    networks,
  };
}

/** An invoice goes to an address, so it needs one whatever the package says. */
export function asksForAddress({
  needsAddress,
  payment,
}: Pick<Package, 'needsAddress' | 'payment'>): boolean {
  return needsAddress || payment === 'invoice';
}

/**
 * The end of a period that begins at a moment (ms), in UTC. A month that lacks the day ends on its last one:
 * 31 January and one month is 28 February.
 *
 * @param day the day of the month to end on, where that is not the one of the beginning
 */
export function endOfPeriod(from: number, { unit, count }: Period, day = dayOfMonth(from)): number {
  const date = new Date(from);
  if (unit === 'day' || unit === 'week') {
    date.setUTCDate(date.getUTCDate() + count * (unit === 'week' ? 7 : 1));
    return date.getTime();
  }
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + count * (unit === 'year' ? 12 : 1));
  date.setUTCDate(Math.min(day, lastDayOfMonth(date.getTime())));
  return date.getTime();
}

/**
 * The end of the period that follows one which ends at `end`, of what began at `begin` (ms). A short month
 * takes days away once, not for good: 31 January, 28 February, 31 March.
 */
export function endOfNextPeriod(begin: number, end: number, period: Period): number {
  const day = dayOfMonth(end);
  const wasCut = day === lastDayOfMonth(end) && dayOfMonth(begin) > day;
  return endOfPeriod(end, period, wasCut ? dayOfMonth(begin) : day);
}

const dayOfMonth = (at: number) => new Date(at).getUTCDate();

function lastDayOfMonth(at: number): number {
  const date = new Date(at);
  return dayOfMonth(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0));
}

/** What a text must not have that stands on pages, in mails and in JSON; a description may have lines. */
const unfit = { name: /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u, description: /[^\P{Cc}\t\r\n]|\p{Cs}/u } as const;

/** What is wrong with the texts of a package, product, channel or consent, beside a name that is missing. */
export function textProblems(texts: {
  readonly name: string;
  readonly description?: string;
}): readonly Problem[] {
  const { name, description = '' } = texts;
  const most = packageTextLength;
  return [
    name.length > most.name && problem('name', 'too_long', { most: most.name }),
    unfit.name.test(name) && problem('name', 'unfit'),
    description.length > most.description && problem('description', 'too_long', { most: most.description }),
    unfit.description.test(description) && problem('description', 'unfit'),
  ].filter((found) => found !== false);
}

/** What a price for a period comes to in a month of a common year, which is a part of the smallest unit more or less. */
export function monthlyAmount(amount: number, { unit, count }: Period): number {
  return (amount * periodsInMonth[unit]) / count;
}

/** How many such periods begin in a month. */
const periodsInMonth = { day: 365 / 12, week: 365 / 7 / 12, month: 1, year: 1 / 12 } as const;

/**
 * Everything that is wrong with a package; empty if nothing is.
 *
 * @param development whether it is of a development tenant
 */
export function packageProblems(facts: PackageFacts, development: boolean): readonly Problem[] {
  const { name, description, price, taxName, taxPercent, period, payment, networks, seats } = facts;
  const most = longestPeriod[period.unit];
  const isPeriod = Number.isSafeInteger(period.count) && period.count >= 1 && period.count <= most;
  const isAmount = Number.isSafeInteger(price.amount) && price.amount >= 0;
  return [
    name.trim() === '' && problem('name', 'missing'),
    ...textProblems({ name, description }),
    !isAmount && problem(['price', 'amount'], 'not_an_amount'),
    !currencies.includes(price.currency) && problem(['price', 'currency'], 'not_a_currency'),
    taxName.length > taxNameLength && problem('taxName', 'too_long', { most: taxNameLength }),
    unfit.name.test(taxName) && problem('taxName', 'unfit'),
    taxPercent !== null && !isTaxPercent(taxPercent) && problem('taxPercent', 'not_a_percent'),
    !isPeriod && problem(['period', 'count'], 'out_of_range', { least: 1, most }),
    seats !== null && !isSeatNumber(seats) && problem('seats', 'out_of_range', { least: 1, most: mostSeats }),
    payment.trim() === '' && problem('payment', 'missing'),
    payment === 'free' && price.amount > 0 && problem('payment', 'free_with_price'),
    payment !== 'free' && price.amount === 0 && problem('payment', 'paid_without_price'),
    networks.length > networksOfPackage && problem('networks', 'too_many', { most: networksOfPackage }),
    ...within(['networks'], networkProblems(networks.slice(0, networksOfPackage), development)),
  ].filter((found) => found !== false);
}

/** Whether a subscription may have so many seats. */
export const isSeatNumber = (seats: number): boolean =>
  Number.isSafeInteger(seats) && seats >= 1 && seats <= mostSeats;

/** Ten years; in days, a few more than those have. */
const longestPeriod = { day: 3_660, week: 520, month: 120, year: 10 } as const;

/**
 * ISO 4217, list one, as of 2026: the currencies in which something can be paid. Not the codes of funds, metals and
 * units of account, nor those for tests and for none.
 */
export const currencies: readonly string[] = (
  'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY ' +
  'COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ' +
  'ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK ' +
  'MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF ' +
  'SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU ' +
  'UZS VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG'
).split(' ');
