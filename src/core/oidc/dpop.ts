// Judges DPoP proofs: how a client shows that it holds the key that its tokens are bound to (RFC 9449).
import type { Client } from '../client.ts';
import { type Refusal, refusal } from '../decision.ts';
import { equalInConstantTime, hmac, type MacKey, sha256 } from '../hash.ts';
import { clockTolerance } from '../operators/limits.ts';
import { dpopNonceSlot, dpopProofLife, longestHtu, longestJti } from './limits.ts';

/** What proofs may be signed by, as discovery lists them: asymmetric ones alone (RFC 9449 §5.1; interop 49). */
export const dpopAlgorithms = ['ES256', 'PS256', 'EdDSA', 'RS256'] as const;

/** A proof whose signature is right: what it says, and the thumbprint of the key in its header (RFC 7638). */
export interface SignedProof {
  readonly jkt: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The request that a proof has to be for. */
export interface ProvenRequest {
  readonly method: string;
  /** Its address as its clients know it, without a query. */
  readonly url: string;
  /** The access token that it brings; null where it brings none, as at the token endpoint. */
  readonly accessToken: string | null;
  /** ms */
  readonly now: number;
}

/** A proof that is right for its request, as long as its `jti` was not used before. */
export interface DpopProof {
  readonly jkt: string;
  readonly jti: string;
  readonly nonce: string | null;
  /** From when on it is too old at every process, so that its `jti` need not be remembered (ms). */
  readonly expiresAt: number;
}

/** What is answered to a wrong proof, in words of ours that hold nothing of it (RFC 9449 §5). */
export const invalidProof = (problem: string): Refusal =>
  refusal('invalid_dpop_proof', `the DPoP proof is refused: ${problem}`);

/** What is answered to a proof without the nonce that was asked for; `DPoP-Nonce` brings it (RFC 9449 §8, §9). */
export const nonceNeeded: Refusal = refusal(
  'use_dpop_nonce',
  'the DPoP proof must carry the nonce that this answer brings',
);

/** A proof came a second time (RFC 9449 §11.1). */
export const proofReplayed: Refusal = invalidProof('its jti was used before');

/** Judges what a proof says (RFC 9449 §4.3, 4 to 11). Its nonce is `nonceProblem`'s, and its jti is used up by `useOnce`. */
export function judgeProof(
  { jkt, claims }: SignedProof,
  { method, url, accessToken, now }: ProvenRequest,
): DpopProof | Refusal {
  const { jti, htm, htu, iat, ath, nonce } = claims;
  if (typeof jti !== 'string' || jti === '' || jti.length > longestJti) {
    return invalidProof(`its jti must be a text of 1 to ${longestJti} characters`);
  }
  if (htm !== method) return invalidProof('its htm is not the method of the request');
  if (typeof htu !== 'string' || !isSameUrl(htu, url)) {
    return invalidProof('its htu is not the address of the request');
  }
  if (typeof iat !== 'number' || !Number.isFinite(iat)) return invalidProof('its iat must be a number');
  const age = now - iat * 1_000;
  if (age > dpopProofLife.behind) return invalidProof('its iat is too long ago');
  if (age < -dpopProofLife.ahead) return invalidProof('its iat is in the future');
  if (accessToken !== null && ath !== sha256(accessToken)) {
    return invalidProof('its ath is not the hash of the access token');
  }
  if (nonce !== undefined && typeof nonce !== 'string') return invalidProof('its nonce must be a text');
  // Another process may be behind by so much.
  const expiresAt = Math.ceil(iat * 1_000) + dpopProofLife.behind + clockTolerance;
  return { jkt, jti, nonce: nonce ?? null, expiresAt };
}

/** Whether a URI is that of a request but for its query and fragment, both normalised (RFC 3986 §6.2.2, §6.2.3). */
function isSameUrl(htu: string, url: string): boolean {
  const one = normalised(htu);
  return one !== null && one === normalised(url);
}

/** Scheme, host, port and path; null for what is no plain http address. */
function normalised(uri: string): string | null {
  // What the parser of browsers would mend or leave out is not guessed at.
  if (uri.length > longestHtu || !/^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/i.test(uri)) return null;
  const read = URL.parse(uri);
  if (read === null || read.username !== '' || read.password !== '') return null;
  const path = read.pathname.replace(/%[0-9a-f]{2}/gi, (octet) => {
    const character = decodeURIComponent(Number.parseInt(octet.slice(1), 16) < 0x80 ? octet : '%21');
    return /[\w.~-]/.test(character) ? character : octet.toUpperCase();
  });
  return `${read.origin}${path}`;
}

/**
 * Decides what key the tokens of a request are bound to.
 *
 * @param proof the proof of the request, or why it is refused; null where it brought none
 * @param key what the nonces of the tenant are made with
 * @returns the proof, null for bearer tokens, or why the request is refused; nothing of it may be used up then
 */
export function proofFor(
  { dpop, dpopNonce }: Pick<Client, 'dpop' | 'dpopNonce'>,
  proof: DpopProof | Refusal | null,
  key: MacKey,
  now: number,
): DpopProof | Refusal | null {
  // As if it had not been sent: this client's tokens are bearer tokens.
  if (dpop === 'off') return null;
  if (proof === null) return dpop === 'required' ? invalidProof('this client must send one') : null;
  if ('kind' in proof) return proof;
  return dpopNonce && !isLiveNonce(key, proof.nonce, now) ? nonceNeeded : proof;
}

const slotOf = (time: number) => Math.floor(time / dpopNonceSlot);

const nonceOf = (key: MacKey, slot: number) => hmac(key, 'DPoP nonce', String(slot)).toString('base64url');

/** The nonce that proofs shall carry now: the same at all processes, and after a restart (interop 59). @param now ms */
export const currentNonce = (key: MacKey, now: number): string => nonceOf(key, slotOf(now));

/** Whether a nonce is the current one or the one before it; or the next, of a process whose clock is ahead. */
export function isLiveNonce(key: MacKey, nonce: string | null, now: number): boolean {
  if (nonce === null) return false;
  const slots = new Set([slotOf(now), slotOf(now - dpopNonceSlot), slotOf(now + clockTolerance)]);
  return [...slots].some((slot) => equalInConstantTime(nonce, nonceOf(key, slot)));
}

/** Whether a text can be the SHA-256 thumbprint of a key (RFC 7638; `dpop_jkt`, RFC 9449 §10). */
export const isThumbprint = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text);
