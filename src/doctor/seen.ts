/** How a call of the doctor arrived at the service. */
export interface Seen {
  /** The raw Host header, by which the tenant is found (decision 1). */
  readonly host: string | null;
  /** The other end of the connection: a proxy, or the doctor itself. */
  readonly peer: string;
  /** Whether X-Forwarded-For of this peer counts. */
  readonly isPeerTrusted: boolean;
  /** Whether an address that belongs to no machine would be trusted too. */
  readonly isAnybodyTrusted: boolean;
  /** The address that limits and pages take the caller to have. */
  readonly client: string;
  readonly forwardedFor: string | null;
  readonly forwardedProto: string | null;
  /** The service's clock, ms. */
  readonly now: number;
}
