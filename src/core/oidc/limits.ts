/** The numbers of requests and of what clients sign: each once, with its source, as in `core/limits.ts`. Times are ms. */
import { day, hour, minute, second } from '../limits.ts';

/** A pushed request: long enough to send a browser with it (RFC 9126 §2.2). */
export const pushedRequestLifetime = minute;

/** Pushed requests of one client, and of one without a secret from one address: at most twice as many are pending. */
export const pushedRequestsPerMinute = { client: 10_000, address: 600 } as const;

/** A signed answer to an authorization request (JARM §2.1). */
export const signedResponseSeconds = 600;

/** Everything an authorization request brings, together: it travels in addresses, which proxies cut at 8 KB. */
export const authorizationRequestLength = 6_144;

/**
 * `state` is read as JSON only up to 2 KB (decision 12), and carried up to 4 KB. An id_token_hint may be an
 * id_token with the longest nonce and every claim in it.
 */
export const stateReadAsJson = 2_048;
export const parameterLength = { state: 4_096, nonce: 1_024, idTokenHint: 4_096, other: 2_048 } as const;

/** A JWT that another party signed: longer than any client needs, and too short for garbage to cost much. */
export const foreignJwtLength = 8 * 1_024;

/**
 * How long a DPoP proof may be on its way, and by how much its maker's clock may be ahead (RFC 9449 §11.1). Its jti, whose
 * maker chooses it, and its htu are no longer than a client needs.
 */
export const dpopProofLife = { behind: minute, ahead: 10 * second } as const;
export const longestJti = 256;
export const longestHtu = 2_048;

/** Every so often the nonce of DPoP proofs is another; the one before is taken too, so each works for 5 minutes at most (RFC 9449 §8). */
export const dpopNonceSlot = 2.5 * minute;

/**
 * RSA keys of others: of fewer bits they are weak (RFC 7518 §3.3), and of more, or with a longer exponent, they cost
 * the service more than the sender.
 */
export const foreignRsa = { leastBits: 2_048, mostBits: 4_096, exponentBytes: 4 } as const;

/** Keys of one client: two of each algorithm, so that one can follow the other, and room besides. Length in characters. */
export const clientKeys = { most: 10, length: 16 * 1_024 } as const;

/** An assertion expires at most 5 minutes after it is sent (interop 53); clocks of clients may be 10 s ahead. */
export const assertionLife = { most: 5 * 60_000, ahead: 10_000 } as const;

/** The parameter `claims`: `userinfo`, its claims, what is said of one, its values (Core §5.5), and one more. */
export const claimsDepth = 5;

/**
 * Keys that clients publish themselves are kept for as long as their answer says, within these bounds; a key that is not
 * among them, and an address that failed, is a reason to ask again, once in `pace`. `most` addresses are remembered, of
 * answers of so many characters.
 */
export const publishedKeys = {
  least: 5 * 60_000,
  longest: 24 * 60 * 60_000,
  pace: 60_000,
  most: 1_000,
  length: 64 * 1_024,
} as const;

/** A request object is good for an hour at most (interop 56); clocks of clients may be 10 s ahead. */
export const requestObjectLife = { most: 60 * 60_000, ahead: 10_000 } as const;

/**
 * What clients are told when members sign out: how long a logout token is good (Back-Channel Logout §4 asks for two
 * minutes at most), when it is sent again, how often one that the client calls wrong is sent in all, how many are taken
 * from the queue at once, how long one client is told before others are, and how often each of several processes looks for what one that is gone has left.
 */
export const logoutNotice = {
  tokenSeconds: 120,
  firstWait: 30 * second,
  longestWait: hour,
  giveUpAfter: day,
  refusals: 3,
  busyWait: second,
  turn: 5 * second,
  batch: 32,
  look: 10 * second,
} as const;

/** A code of a client that is held to FAPI 2.0 (FAPI 2.0 Security Profile §5.3.2.1; interop 58). */
export const fapiCodeLifetime = minute;

/** A client_id that is made from a name takes no more of it, so that a number fits behind it; so many are tried. */
export const clientIdOfName = 40;
export const clientIdTries = 100;
