// What a page asks a browser to sign with a passkey, or to make one, and what comes back.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { challengeLifetime } from '../../core/members/limits.ts';
import type { Member } from '../../core/members/member.ts';
import { type Passkey, passkeyDomain } from '../../core/members/passkey.ts';
import type { Presented, Use } from '../../operations/passkey/assertion.ts';
import { type ChallengeFor, makeChallenge } from '../../operations/passkey/challenge.ts';
import { passkeyAlgorithms, userHandleOf } from '../../secrets/passkey.ts';
import { shareOf } from '../address.ts';
import { browserCookie, ensureBrowserCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';

type AskingDeps = Pick<Deps, 'random' | 'clock'>;

/** A challenge for the browser of a request, as text. */
export const challengeFor = (reply: FastifyReply, about: ChallengeFor, deps: AskingDeps): string =>
  makeChallenge(reply.request.tenant, ensureBrowserCookie(reply, deps.random), about, deps);

/** What the script of a page (`assets/passkeys/use.js`) reads: a challenge to sign; null where the tenant has no passkeys. */
export function askForPasskey(
  reply: FastifyReply,
  about: ChallengeFor,
  deps: AskingDeps,
  { fills = false, of = [] }: { readonly fills?: boolean; readonly of?: readonly Passkey[] } = {},
): string | null {
  const rpId = passkeyDomain(reply.request.tenant);
  if (rpId === null) return null;
  const challenge = challengeFor(reply, about, deps);
  const allow = of.map(({ credentialId }) => credentialId);
  return JSON.stringify({ challenge, rpId, timeout: challengeLifetime, fills, allow });
}

/** What `members/account/passkeys/use.eta` shows; null for nothing. */
export const passkeyOf = (asked: string | null) => (asked === null ? null : { asked });

/** The same for a new passkey (`assets/passkeys/new.js`): one that names its member, and that verifies its user (WebAuthn §5.4). */
export function askForNewPasskey(
  { request: { tenant } }: FastifyReply,
  challenge: string,
  { id, email, fullName }: Member,
  has: readonly Passkey[],
): string {
  return JSON.stringify({
    challenge,
    timeout: challengeLifetime,
    rp: { id: passkeyDomain(tenant), name: tenant.name },
    user: { id: userHandleOf(id), name: email, displayName: fullName },
    pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: 'public-key', alg })),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
    exclude: has.map(({ credentialId }) => credentialId),
  });
}

/** What a form brought that a passkey signed. @param memberId who it must be; null where the passkey says who it is */
export const presentedIn = (
  request: FastifyRequest,
  text: string,
  about: ChallengeFor,
  memberId: string | null,
): Presented => ({
  text,
  browser: browserCookie(request),
  address: shareOf(request).address,
  about,
  memberId,
});

/** Where it is used. */
export const useHere = (request: FastifyRequest, { clock }: Pick<Deps, 'clock'>): Use => ({
  userAgent: (request.headers['user-agent'] ?? '').slice(0, 256),
  ipAddress: request.address,
  now: clock(),
});
