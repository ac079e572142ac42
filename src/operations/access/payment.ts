// What a payment method is, and the list of all: implement this to add a provider.
import type { IncomingHttpHeaders } from 'node:http';
import type { Price } from '../../core/access/package.ts';
import type { Address } from '../../core/members/member.ts';

/**
 * How a package can be paid. To add a provider of cards or wallets, write one file beside this one that makes
 * a `HostedMethod`, and put it into the list below; packages then name it as their payment.
 */
export type PaymentMethod = SettledMethod | HostedMethod;

/** Gives the subscription at once: nothing has to be paid first. */
export interface SettledMethod {
  readonly kind: 'settled';
  /** What packages call it. Pages have words for it: the texts `checkout.payment.<name>`. */
  readonly name: 'free' | 'invoice';
  /** Whether an invoice is written. */
  readonly isInvoiced: boolean;
}

/** Is paid on a page of a provider, which reports the payment twice: by the browser, and by itself. */
export interface HostedMethod {
  readonly kind: 'hosted';
  /** What packages call it, in `[a-z0-9-]`; the provider's notices come to `/checkout/payments/<name>`. */
  readonly name: string;
  /** What members call it, such as "card". @param language a tag of ours */
  label(language: string): string;
  /** The origins of the provider's page, and of redirects on the way to it, such as `https://pay.example.com`. */
  readonly origins: readonly string[];
  /**
   * Begins a payment. It may be called again for the same checkout, by a member who went back: then it must
   * not be paid twice, so hand `checkoutId` on as the provider's idempotency key.
   *
   * @param signal gives up after a while
   * @returns the address of the provider's page for the member, of one of `origins`
   * @throws whatever happens; the member is told that it does not work now, and may try again
   */
  begin(order: PaymentOrder, signal: AbortSignal): Promise<string>;
  /** Reads what the provider added to `returnUrl`. @returns null unless it is the provider who says so */
  readReturn(query: URLSearchParams): Promise<PaymentReport | null>;
  /** Reads a notice of the provider's server. @returns null unless it is the provider who says so */
  readNotice(headers: IncomingHttpHeaders, body: Buffer): Promise<PaymentReport | null>;
}

/** What is to be paid, as far as a provider needs to know it. */
export interface PaymentOrder {
  readonly checkoutId: string;
  readonly tenant: { readonly name: string; readonly issuer: string };
  readonly member: { readonly fullName: string; readonly email: string; readonly address: Address };
  readonly packageName: string;
  readonly price: Price;
  /** The tag of the member's language. */
  readonly language: string;
  /** Where the provider's page leads back to, whether it was paid or not. */
  readonly returnUrl: string;
}

/** What a provider reports of a checkout, once its signature was found right. */
export type PaymentReport =
  | {
      readonly kind: 'paid';
      readonly checkoutId: string;
      readonly price: Price;
      /** What the payment is called there. */
      readonly paymentReference: string;
    }
  /** The member turned back, or the card was refused. */
  | { readonly kind: 'unpaid'; readonly checkoutId: string };

/** The method of this name, or null if the service does not have it. */
export function paymentMethod(methods: readonly PaymentMethod[], name: string): PaymentMethod | null {
  return methods.find((method) => method.name === name) ?? null;
}

/**
 * Every payment method of the service. A package that names another one is not offered. What is free costs nothing;
 * what is invoiced is paid later: the subscription begins at once, and an invoice says until when it is to be paid.
 */
export const paymentMethods: readonly PaymentMethod[] = [
  { kind: 'settled', name: 'free', isInvoiced: false },
  { kind: 'settled', name: 'invoice', isInvoiced: true },
];
