// Endpoints that a business is told of events at (Standard Webhooks), and when they are told again.
import type { EventType } from './event.ts';
import { webhook as limits } from './limits.ts';

/** An endpoint. Times are ms. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly url: string;
  /** Which types of events it is told of; null for all. */
  readonly types: readonly EventType[] | null;
  readonly createdAt: number;
  readonly disabledAt: number | null;
  /** Why it is off, where it was not an operator who turned it off. */
  readonly disabledReason: string | null;
  /** Until when the secret before this one signs too. */
  readonly previousUntil: number | null;
  /** Up to which number events were looked at for it. */
  readonly position: number;
}

/** What is sent to an endpoint: an event, one of them again, or a test. Only events wait for one another. */
export type DeliveryKind = 'event' | 'again' | 'test';

/** What came of sending it: it was taken; it was not; the endpoint is gone for good; or nothing reached it now. */
export type Sent = 'delivered' | 'refused' | 'gone' | 'unreachable';

/** What an answer means (Standard Webhooks, "Delivery"): 410 says that the endpoint is there no more. */
export function sentBy(status: number): Sent {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 410) return 'gone';
  return status === 429 || status === 502 || status === 503 || status === 504 ? 'unreachable' : 'refused';
}

/** When a delivery is tried again; null where its endpoint has had its time. @param attempts how often it was tried */
export function redeliverAt(
  { attempts, firstAt }: { readonly attempts: number; readonly firstAt: number },
  now: number,
): number | null {
  const lastAt = firstAt + limits.giveUpAfter;
  if (now >= lastAt) return null;
  return Math.min(now + Math.min(limits.firstWait * 2 ** (attempts - 1), limits.longestWait), lastAt);
}

/** Whether a delivery is to be sent, when its time comes. */
export const isWaiting = ({ state }: { readonly state: string }): boolean => state === 'waiting';
