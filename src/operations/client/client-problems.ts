// What is wrong with the settings of a client.
import type { Client } from '../../core/client.ts';
import { idIn } from '../../core/id.ts';
import { accessTokenSeconds, liveSecrets, replayWindow, signInsPerMember } from '../../core/limits.ts';
import { nameProblem } from '../../core/members/details.ts';
import { pictureProblem } from '../../core/members/picture.ts';
import { keySetProblem } from '../../core/oidc/client/client-keys.ts';
import { readOutboundUrl } from '../../core/oidc/client/outbound-url.ts';
import { profileProblems } from '../../core/oidc/client/profile.ts';
import { logoutUriProblem, redirectUriProblem } from '../../core/oidc/client/redirect-uri.ts';
import { isWebOrigin } from '../../core/oidc/client/web-origin.ts';
import { permissions } from '../../core/operators/permission.ts';
import { type Problem, problem, within } from '../../core/problem.ts';
import { listApis } from '../../storage/clients/api.ts';
import type { Tx } from '../../storage/store.ts';

/**
 * Every problem of a client's settings.
 *
 * @param before what it has already, which is not looked at again; null for a new client
 * @param development whether its tenant is a development tenant, whose clients may be on one's own machine
 */
export function registrationProblems(
  client: Client,
  before: Pick<
    Client,
    'name' | 'redirectUris' | 'postLogoutRedirectUris' | 'webOrigins' | 'backchannelLogoutUri'
  > | null,
  development: boolean,
): readonly Problem[] {
  const { secrets, type, logo, backchannelLogoutUri } = client;
  const inList = (
    list: 'redirectUris' | 'postLogoutRedirectUris' | 'webOrigins',
    problemOf: (value: string) => Problem | null,
  ) =>
    client[list].flatMap((value, index) => {
      const found = before?.[list].includes(value) === true ? null : problemOf(value);
      return found === null ? [] : within([list, index], [found]);
    });
  const found = [
    /^[A-Za-z0-9_-]{1,64}$/.test(client.clientId) ? null : problem('clientId', 'not_a_client_id'),
    client.name === before?.name ? null : nameProblem(client.name),
    logo === null ? null : pictureProblem('logo', logo, 'clientLogo'),
    type === 'public' && secrets.length > 0 ? problem('secret', 'public_client_secret') : null,
    needsSecret(client) && secrets.length === 0 ? problem('secret', 'secret_needed') : null,
    secrets.length > liveSecrets ? problem('secret', 'too_many_secrets', { most: liveSecrets }) : null,
    client.introspection && type === 'public' ? problem('introspection', 'introspection_of_public') : null,
    ...keyProblems(client),
    client.requestObjects !== 'off' && client.jwks === null && client.jwksUri === null
      ? problem('requestObjects', 'keys_needed')
      : null,
    ...profileProblems(client),
    ...inList('redirectUris', redirectUriProblem),
    ...inList('postLogoutRedirectUris', logoutUriProblem),
    backchannelLogoutUri === null ||
    backchannelLogoutUri === before?.backchannelLogoutUri ||
    readOutboundUrl(backchannelLogoutUri, development) !== null
      ? null
      : problem('backchannelLogoutUri', 'not_callable', { value: backchannelLogoutUri }),
    ...inList('webOrigins', (value) => (isWebOrigin(value) ? null : problem([], 'not_an_origin', { value }))),
    ...serviceProblems(client),
    rangeProblem('accessTokenSeconds', client.accessTokenSeconds, 1, accessTokenSeconds.most),
    rangeProblem('replayWindowSeconds', client.replayWindow / 1_000, 0, replayWindow.most / 1_000),
    rangeProblem('signInsPerMember', client.signInsPerMember, 1, signInsPerMember.most),
    rangeProblem('refreshTokenIdleSeconds', client.refreshTokenIdle / 1_000, 1, longestLifetime),
    rangeProblem('refreshTokenAbsoluteSeconds', client.refreshTokenAbsolute / 1_000, 1, longestLifetime),
  ];
  return found.filter((one) => one !== null);
}

/** Whether a client proves by a secret who it is. */
export const needsSecret = ({ type, authenticationMethod }: Pick<Client, 'type' | 'authenticationMethod'>) =>
  type === 'confidential' && authenticationMethod === 'client_secret';

/** What is wrong with a client's keys, and with what it signs by them (interop 53; RFC 7591 §2). */
function keyProblems(client: Client): readonly (Problem | null)[] {
  const { type, authenticationMethod, jwks, jwksUri, signingAlgorithms } = client;
  const isSigned = authenticationMethod === 'private_key_jwt';
  const inKeys = jwks === null ? null : keySetProblem(jwks);
  return [
    isSigned && type === 'public' ? problem('authenticationMethod', 'assertions_of_public') : null,
    isSigned && jwks === null && jwksUri === null ? problem('authenticationMethod', 'keys_needed') : null,
    jwks !== null && jwksUri !== null ? problem('jwksUri', 'keys_twice') : null,
    ...(inKeys === null ? [] : within(['jwks'], [inKeys])),
    jwksUri === null || readOutboundUrl(jwksUri, true) !== null ? null : problem('jwksUri', 'not_https'),
    signingAlgorithms.length === 0 ? problem('signingAlgorithms', 'empty') : null,
  ];
}

/** A client with tokens in its own name has a secret or a key, and no id like a member’s (RFC 9068 §5). */
function serviceProblems({ clientCredentials, type, clientId }: Client): readonly (Problem | null)[] {
  if (!clientCredentials) return [];
  return [
    type === 'public' ? problem('clientCredentials', 'confidential_only') : null,
    idIn(clientId) === null ? null : problem('clientCredentials', 'client_id_like_member'),
  ];
}

/** The longest lifetime that can be counted exactly, in seconds. */
const longestLifetime = Math.floor(Number.MAX_SAFE_INTEGER / 1_000);

function rangeProblem(field: string, value: number, least: number, most: number): Problem | null {
  const isWithin = Number.isSafeInteger(value) && value >= least && value <= most;
  return isWithin ? null : problem(field, 'out_of_range', { least, most });
}

/** A client may ask for what its tenant has. @param before what it could ask for already */
export async function apiSettingProblems(
  tx: Tx,
  { tenantId, apis, serviceScopes }: Client,
  before: Pick<Client, 'apis' | 'serviceScopes'>,
): Promise<readonly Problem[]> {
  const isOld = (now: readonly string[], then: readonly string[]) => now.every((one) => then.includes(one));
  if (isOld(apis, before.apis) && isOld(serviceScopes, before.serviceScopes)) return [];
  const known = await listApis(tx, tenantId);
  const scopes = known
    .filter(({ identifier }) => apis.includes(identifier))
    .flatMap((api) => Object.keys(api.scopes))
    .concat(permissions);
  return [
    ...apis.flatMap((identifier, index) =>
      known.some((api) => api.identifier === identifier)
        ? []
        : [problem(['apis', index], 'no_such_api', { identifier })],
    ),
    ...serviceScopes.flatMap((scope, index) =>
      scopes.includes(scope) ? [] : [problem(['serviceScopes', index], 'no_such_service_scope', { scope })],
    ),
  ];
}
