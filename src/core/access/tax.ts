// The tax that a price includes.

/** What a price includes of a tax. */
export interface Tax {
  /** Such as "VAT"; empty where the pages use the word of their own language. */
  readonly taxName: string;
  /** Percent of the price without tax, with at most two decimals; null if the price names no tax. */
  readonly taxPercent: number | null;
}

/** Whether a number is a rate of a tax: 0 to 100, in hundredths at the finest. */
export function isTaxPercent(percent: number): boolean {
  return percent >= 0 && percent <= 100 && percent === Math.round(percent * 100) / 100;
}

/**
 * How much of a price is its tax, in the smallest unit of the currency: what is nearest, and a half goes up. What is
 * left is the price without it, so the two always add up to the price.
 */
export function taxWithin({ amount }: { readonly amount: number }, percent: number): number {
  // Amounts reach up to 2^53, and their products beyond it.
  const rate = BigInt(Math.round(percent * 100));
  const whole = 10_000n + rate;
  return Number((2n * BigInt(amount) * rate + whole) / (2n * whole));
}
