// What the FAPI 2.0 Security Profile asks of a client: of its settings, and of each decision (interop 58).
import type { Client } from '../../client.ts';
import { authorizationCodeLifetime } from '../../limits.ts';
import { type Problem, problem } from '../../problem.ts';
import { fapiCodeLifetime } from '../limits.ts';
import type { ForeignAlgorithm } from './foreign-key.ts';

/** What may sign anything for such a client, or of it (FAPI 2.0 Security Profile §5.4.1). */
const algorithms: readonly ForeignAlgorithm[] = ['PS256', 'ES256', 'EdDSA'];

const isFapi = ({ profile }: Pick<Client, 'profile'>): boolean => profile === 'fapi2';

/**
 * Every setting that the profile of a client does not go with: what is stored always says what the client does, so none
 * is read as another than it is (§5.3.2).
 */
export function profileProblems(client: Client): readonly Problem[] {
  if (!isFapi(client)) return [];
  const listed = algorithms.join(', ');
  const needs = (field: keyof Client, isRight: boolean, needed: string): readonly Problem[] =>
    isRight ? [] : [problem(field, 'profile_needs', { needed })];
  const isSigning = client.signingAlgorithms.every((algorithm) => algorithms.includes(algorithm));
  return [
    ...needs('type', client.type === 'confidential', 'confidential'),
    ...needs('authenticationMethod', client.authenticationMethod === 'private_key_jwt', 'private_key_jwt'),
    ...needs('signingAlgorithms', isSigning, `among ${listed}`),
    ...needs('pushedRequests', client.pushedRequests === 'required', 'required'),
    ...needs('dpop', client.dpop === 'required', 'required'),
    ...needs('idTokenAlgorithm', client.idTokenAlgorithm !== 'RS256', `one of ${listed}`),
    ...needs('accessTokenAlgorithm', client.accessTokenAlgorithm !== 'RS256', 'ES256'),
    ...client.redirectUris.flatMap((uri, index) =>
      uri.startsWith('https://') ? [] : [problem(['redirectUris', index], 'profile_needs_https', { uri })],
    ),
  ];
}

/** How long a code of a client works, in ms: with the profile a minute (§5.3.2.1). */
export const codeLifetimeOf = (client: Pick<Client, 'profile'>): number =>
  isFapi(client) ? fapiCodeLifetime : authorizationCodeLifetime;

/** Whether a request must name its redirect_uri, although one alone is registered (§5.3.2.2). */
export const mustNameRedirectUri = isFapi;

/** Whether an assertion must be meant for the issuer by its name alone, and not for an endpoint (§5.3.2.1). */
export const takesIssuerAlone = isFapi;

/** Whether its access tokens are ES256, whatever an API asks for (§5.4.1). */
export const needsEs256 = isFapi;
