/** A value of a tenant's own subscription property (contract, "Subscription object"). */
export type CustomPropertyValue = number | string;

/** A member's subscription to a package. Times are ms since the epoch. */
export interface Subscription {
  readonly subscriptionId: number;
  readonly packageId: number;
  readonly packageName: string;
  readonly products: readonly { readonly id: number; readonly name: string }[];
  readonly createdAt: number;
  readonly activatedAt: number;
  readonly expiresAt: number;
  readonly customPropertyValues: Readonly<Record<string, CustomPropertyValue>>;
}

/** Whether a subscription gives access at this moment; the clock decides, not a job (decision 20). */
export function isActive(subscription: Subscription, now: number): boolean {
  return subscription.activatedAt <= now && now < subscription.expiresAt;
}
