/** What the rehearsal room does to answers of a development tenant, so that a client meets it before its members do. */
import type { Endpoint } from './endpoint.ts';

/**
 * An answer that comes late, that is made and never sent, a limit, an error of the service, a page where JSON should be, a
 * poll that is told to slow down, and a code that comes back with another state than was sent.
 */
export const faultKinds = ['delay', 'drop', '429', '500', 'non_json', 'slow_down', 'wrong_state'] as const;
export type FaultKind = (typeof faultKinds)[number];

/** A fault that waits for answers. What is null is not looked at. */
export interface Fault {
  readonly id: number;
  readonly kind: FaultKind;
  readonly endpoint: Endpoint | null;
  readonly client: string | null;
  readonly memberId: string | null;
  /** How many answers it still meets; null for all of them. */
  readonly times: number | null;
  /** How late an answer comes, or after how long a client may come again; null for what is usual. */
  readonly seconds: number | null;
}

/** A request that a fault may meet. */
export interface Asked {
  readonly endpoint: Endpoint;
  readonly client: string | null;
  /** Whether a TV asks for its tokens. */
  readonly isPoll: boolean;
  /** Whether its answer leads a browser back to the client, with a code and a state. */
  readonly isCallback: boolean;
}

/** What a browser is led through: no client asks it, so a fault meets it only where it says so. */
const ofBrowsers: ReadonlySet<Endpoint> = new Set(['authorization', 'logout', 'page']);

/** Whether a fault is for a request, without a look at its member. */
export function isFor(
  fault: Omit<Fault, 'memberId'>,
  { endpoint, client, isPoll, isCallback }: Asked,
): boolean {
  if (fault.kind === 'slow_down' && !isPoll) return false;
  if ((fault.kind === 'wrong_state') !== isCallback) return false;
  if (fault.client !== null && fault.client !== client) return false;
  if (isCallback && fault.endpoint === null) return true;
  return fault.endpoint === null ? !ofBrowsers.has(endpoint) : fault.endpoint === endpoint;
}
