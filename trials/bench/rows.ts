import type { OperationName } from './generator/plan.ts';
import type { Calibration } from './machine/machine.ts';

/** A row of the table: one operation of both sides. */
export interface Row {
  readonly name: string;
  readonly operation: OperationName;
  readonly idTokenAlgorithm: 'ES256' | 'RS256';
  /** The least ratio to the peer that is to be reached, on one core; and on two, where that is another. */
  readonly target: number;
  readonly targetOnTwoCores?: number;
  /** How many items the load is about, a second of load (`each`), or in all. */
  readonly items: { readonly service: number; readonly peer: number; readonly eachSecond: boolean };
  /** What the operation cannot cost less than: processor time of signatures, commit and HTTP, µs. */
  readonly limit: (costs: Calibration) => number;
}

const inAll = (count: number) => ({ service: count, peer: count, eachSecond: false });

/** The least ratios are those of "What to reach" in the notes on performance: they are not lowered here. */
export const rows: readonly Row[] = [
  {
    name: 'refresh, RS256 id_token',
    operation: 'refresh',
    idTokenAlgorithm: 'RS256',
    target: 2.2,
    targetOnTwoCores: 3,
    items: inAll(10_000),
    limit: ({ rsa, es256, grouped, post }) => rsa + es256 + grouped + post,
  },
  {
    name: 'refresh, ES256 id_token',
    operation: 'refresh',
    idTokenAlgorithm: 'ES256',
    target: 4.5,
    items: inAll(10_000),
    limit: ({ es256, grouped, post }) => 2 * es256 + grouped + post,
  },
  {
    // The service looks at the proof, and keeps its jti beside the rotation.
    name: 'refresh with DPoP',
    operation: 'refresh-with-dpop',
    idTokenAlgorithm: 'ES256',
    target: 2,
    items: inAll(10_000),
    limit: ({ es256, grouped, post }) => 5 * es256 + grouped + post,
  },
  {
    name: 'sign-in at the protocol',
    operation: 'sign-in',
    idTokenAlgorithm: 'RS256',
    target: 5,
    items: inAll(1_000),
    limit: ({ rsa, es256, grouped, get, post }) => rsa + es256 + 2 * grouped + get + post,
  },
  {
    name: 'device authorization',
    operation: 'device-authorization',
    idTokenAlgorithm: 'RS256',
    target: 5,
    items: inAll(1),
    limit: ({ grouped, post }) => grouped + post,
  },
  {
    name: 'pending poll',
    operation: 'poll',
    idTokenAlgorithm: 'RS256',
    target: 4,
    // Each code may be polled every 5 s: so many last for 40,000 polls a second.
    items: { service: 40_000, peer: 10_000, eachSecond: true },
    limit: ({ post }) => post,
  },
  {
    name: 'revocation',
    operation: 'revocation',
    idTokenAlgorithm: 'RS256',
    target: 6,
    items: { service: 20_000, peer: 3_000, eachSecond: true },
    limit: ({ grouped, post }) => grouped + post,
  },
  {
    name: 'discovery',
    operation: 'discovery',
    idTokenAlgorithm: 'RS256',
    target: 4,
    items: inAll(1),
    limit: ({ get }) => get,
  },
  {
    name: 'JWKS',
    operation: 'jwks',
    idTokenAlgorithm: 'RS256',
    target: 2.3,
    items: inAll(1),
    limit: ({ get }) => get,
  },
  {
    name: 'profile with bearer token',
    operation: 'profile',
    idTokenAlgorithm: 'RS256',
    target: 2.5,
    items: inAll(1_000),
    limit: ({ get }) => get,
  },
];

/** Of the peer's p99 and memory after the load, ours are at most this part. */
export const mostOfPeer = { p99: 0.5, memory: 0.7 } as const;

/** A refresh with an RS256 id_token costs at most this many times the limit of the same run. */
export const mostOfLimit = 1.4;

/** Against the peer where an fsync takes 4 ms longer. */
export const slowDiskTarget = { microseconds: 4_000, ratio: 12 } as const;

/** With a million or five of refresh tokens stored, at least this part of the rate with ten thousand. */
export const storedTarget = { base: 10_000, ratio: 0.8 } as const;

/** On PostgreSQL, in the order of the rows. */
export const postgresTargets = {
  /** The least ratios to the peer; null where none was set. */
  peer: {
    'refresh, RS256 id_token': 2,
    'refresh, ES256 id_token': null,
    'sign-in at the protocol': null,
    'pending poll': 3,
    'profile with bearer token': 3,
  } as Readonly<Record<string, number | null>>,
  /** With a second process a request costs at most so many times the processor time, that of the database included. */
  secondProcess: 1.1,
  /** With the database so far away, at least this part of the rate. */
  away: { milliseconds: 1, ratio: 0.7 },
} as const;

/** What the machine could do may move by this part between the rounds of a row; beyond, there is no verdict. */
export const steadiness = 0.15;
