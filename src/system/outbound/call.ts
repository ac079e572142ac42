// A call that we make, and what comes of it.
import type { IncomingHttpHeaders } from 'node:http';

/** A call to an address that others gave us. */
export interface OutboundCall {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Beside those that every call has: `host`, `accept`, `accept-encoding`, `user-agent`, `connection`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The media type that is wanted; any unless given. What came is for the caller to look at. */
  readonly accept?: string;
  /**
   * It may arrive twice: so it may take a connection that an earlier such call left, to the same addresses and no others,
   * and leaves its own to the next. What the other side has closed meanwhile is tried once more on a new one.
   */
  readonly mayArriveTwice?: boolean;
  /** How long it may take (ms), where that is less than any call may. */
  readonly time?: number;
  /** Whether a development tenant asks (`tenant.development`): its calls may go to its own machine, by http too. */
  readonly development: boolean;
}

/** An address of a host, as the resolver found it. */
export interface Resolved {
  readonly address: string;
  /** 4 or 6 */
  readonly family: number;
}

/**
 * Why there is no answer: the address is none that we call, or leads where we do not dial; the name is not known; it
 * took too long; more came than is read; it leads elsewhere; the certificate is wrong; it came packed; no connection,
 * or one that broke off; too many calls are under way, which says nothing of the other side.
 */
export type OutboundFailure =
  | 'address'
  | 'resolution'
  | 'time'
  | 'size'
  | 'redirect'
  | 'tls'
  | 'encoding'
  | 'connection'
  | 'busy';

/** What a call brought. Any status but a redirect's is an answer. */
export type OutboundResult =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: string;
    }
  | { readonly kind: 'failed'; readonly reason: OutboundFailure };
