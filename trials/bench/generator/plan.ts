/** What the load generator is told, and what it says: the same for both sides. */

/** Where both sides send codes to. */
export const redirectUri = 'https://app.bench.test/callback';

/** What a request is about: a token, a code or a cookie, at the host that knows it. */
export interface Item {
  readonly host: string;
  readonly value: string;
  /** What a right answer to it contains. */
  readonly expected?: string;
}

/** Where a side serves what is measured. */
export interface Addresses {
  readonly token: string;
  readonly authorization: string;
  readonly deviceAuthorization: string;
  readonly revocation: string;
  readonly discovery: string;
  readonly jwks: string;
  readonly profile: string;
}

export type OperationName =
  | 'refresh'
  | 'refresh-with-dpop'
  | 'sign-in'
  | 'device-authorization'
  | 'poll'
  | 'revocation'
  | 'discovery'
  | 'jwks'
  | 'profile'
  | 'wrong-sign-in'
  | 'bare'
  | 'bare-post';

/** One operation against one server. */
export interface Plan {
  readonly operation: OperationName;
  /** Its connections go to these in turn. */
  readonly ports: readonly number[];
  readonly addresses: Addresses;
  readonly clientId: string;
  readonly scope: string;
  /** The `alg` that an id_token must have. */
  readonly idTokenAlgorithm: 'ES256' | 'RS256';
  readonly items: readonly Item[];
}

/** A part of a round: closed loop where no rate is given. */
export interface Round {
  readonly milliseconds: number;
  readonly connections: number;
  /** Requests a second, begun by the clock and not by the answers. */
  readonly rate?: number;
}

/** What a round brought. Times of operations in ms. */
export interface RoundResult {
  readonly operations: number;
  readonly wrong: number;
  /** What was wrong first. */
  readonly firstWrong: string | null;
  readonly milliseconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  /** The processor time that the generator itself took, ms. */
  readonly ownMilliseconds: number;
}
