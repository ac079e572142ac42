// A way to a provider and back: what travels with the member's browser while she is there.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hmac } from '../../../core/hash.ts';
import type { IdentityProvider } from '../../../core/providers/identity-provider.ts';
import { awayLifetime } from '../../../core/providers/limits.ts';
import { redirectUriOf } from '../../../operations/admin/providers/provider.ts';
import type { Journey } from '../../../operations/providers/protocol.ts';
import { seal, unseal } from '../../../secrets/seal.ts';
import { useOnce } from '../../../storage/grants/used-id.ts';
import { transactionOf } from '../../audit.ts';
import { browserCookie, ensureBrowserCookie } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { type Flow, flowToKeep } from '../../oidc/flow.ts';

/** A member on the way to a provider. */
export interface Away {
  readonly id: string;
  /** The key of the provider, and who it was: an answer is taken from no other one (mix-up, RFC 9700 §4.4). */
  readonly provider: string;
  readonly issuer: string;
  /** ms */
  readonly startedAt: number;
  /** The flow to go on with. */
  readonly flow: Flow;
  /** The session of the member who links the account to hers; null where it signs in. */
  readonly linkTo: string | null;
}

/**
 * Begins a way: it travels as `state`, encrypted, sealed for this browser, and works once. What binds the provider's
 * answer to it follows from the browser's cookie: neither the nonce nor the PKCE verifier is kept anywhere.
 */
export function beginAway(
  reply: FastifyReply,
  { key, issuer }: Pick<IdentityProvider, 'key' | 'issuer'>,
  { flow, linkTo }: Pick<Away, 'flow' | 'linkTo'>,
  { random, clock }: Pick<Deps, 'random' | 'clock'>,
): { readonly away: Away; readonly state: string } {
  const now = clock();
  const kept = flowToKeep(flow);
  const away: Away = { id: random.id(now), provider: key, issuer, startedAt: now, flow: kept, linkTo };
  const { tokenKey } = reply.request.tenant;
  const browser = ensureBrowserCookie(reply, random);
  return { away, state: seal(tokenKey, 'away', browser, away, { isHidden: true }) };
}

/** What a provider's answer is compared with. @param browser the value of this browser's cookie */
export function journeyOf({ tenant }: FastifyRequest, away: Away, state: string, browser: string): Journey {
  const secretOf = (what: string) => hmac(tenant.tokenKey, what, browser, away.id).toString('base64url');
  return {
    redirectUri: redirectUriOf(tenant, away.provider),
    sealed: state,
    nonce: secretOf('nonce of a provider'),
    verifier: secretOf('verifier of a provider'),
  };
}

/** A stale one is too old, was begun in another browser, or was used: it begins anew. */
export type OpenedAway = { readonly kind: 'away' | 'stale'; readonly away: Away } | { readonly kind: 'none' };

/** Opens what a browser came back with. */
export function openAway(request: FastifyRequest, state: string | undefined, now: number): OpenedAway {
  if (state === undefined) return { kind: 'none' };
  const unsealed = unseal(request.tenant.tokenKey, 'away', browserCookie(request), state);
  if (unsealed.kind === 'broken') return { kind: 'none' };
  const away = unsealed.value as Away;
  const isStale = unsealed.kind === 'foreign' || now >= away.startedAt + awayLifetime;
  return { kind: isStale ? 'stale' : 'away', away };
}

/** Uses a way up, whatever comes of it. @returns whether it was not used before */
export function takeAway(request: FastifyRequest, { id, startedAt }: Away, deps: Deps): Promise<boolean> {
  const { id: tenantId } = request.tenant;
  return transactionOf(request, deps, (tx) =>
    useOnce(tx, { tenantId, purpose: 'way back', issuer: '', id, expiresAt: startedAt + awayLifetime }),
  );
}
