// What a client's own values make of the settings of libraries, for people to copy into their apps.

import { permissions } from '../../../../core/operators/permission.ts';
import { callIfMay } from '../visit.ts';
import type { Facts, OperationVisit } from '../visitor.ts';

const isConfidential = ({ type }: Facts) => type === 'confidential';
const textsOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
const urisOf = ({ redirectUris }: Facts) => textsOf(redirectUris);
const isWeb = (client: Facts) => urisOf(client).some((uri) => uri.startsWith('http'));
const isApp = (client: Facts) => urisOf(client).some((uri) => /^(?!https:)/.test(uri));
const isTv = ({ deviceFlow }: Facts) => deviceFlow === true;
const isService = ({ clientCredentials }: Facts) => clientCredentials === true;
const isAssistant = (client: Facts) => client.thirdParty === true && !isConfidential(client) && isWeb(client);
const isOnServer = (client: Facts) => isConfidential(client) && isWeb(client);

/** The settings for a library, about to be rendered by `templates/admin/settings/<file>.eta`. */
export interface Settings {
  readonly file: string;
  readonly title: string;
  readonly facts: Facts;
}

/** The libraries, and which clients each is for. */
const libraries: readonly {
  readonly file: string;
  readonly title: string;
  readonly fits: (client: Facts) => boolean;
}[] = [
  { file: 'env', title: '.env', fits: isConfidential },
  { file: 'mcp', title: 'MCP SDK (TypeScript)', fits: isAssistant },
  { file: 'openid-client', title: 'openid-client (Node)', fits: isWeb },
  { file: 'auth-js', title: 'Auth.js', fits: isOnServer },
  { file: 'express-openid-connect', title: 'express-openid-connect', fits: isOnServer },
  {
    file: 'oidc-client-ts',
    title: 'oidc-client-ts (browser)',
    fits: (client) => !isConfidential(client) && isWeb(client),
  },
  { file: 'mod-auth-openidc', title: 'mod_auth_openidc (Apache)', fits: isOnServer },
  { file: 'spring', title: 'Spring Security', fits: isOnServer },
  {
    file: 'appauth',
    title: 'AppAuth (Android, iOS)',
    fits: (client) => !isConfidential(client) && isApp(client),
  },
  { file: 'curl-web', title: 'curl, web', fits: isWeb },
  { file: 'tv', title: 'JavaScript, TV', fits: isTv },
  { file: 'curl-tv', title: 'curl, TV', fits: isTv },
  { file: 'job', title: 'Node, server job', fits: isService },
  { file: 'curl-job', title: 'curl, server job', fits: isService },
];

/** The settings that fit a client of a tenant. @param secret where it has just been made */
export async function settingsOf(
  visit: OperationVisit,
  client: Facts,
  secret: string | null = null,
): Promise<readonly Settings[]> {
  const { issuer } = (await callIfMay(visit, 'tenants.read', { tenant: visit.known.tenant })) ?? {};
  return libraries
    .filter(({ fits }) => fits(client))
    .map(({ file, title }) => ({
      file,
      title,
      facts: { ...factsOf(client, String(issuer), file === 'appauth'), secret },
    }));
}

/** What the settings of a library are filled with. */
function factsOf(client: Facts, issuer: string, isForApps: boolean) {
  const uris = urisOf(client);
  // An app comes back to a scheme of its own, where it has one.
  const own = isForApps ? uris.find((uri) => !uri.startsWith('http')) : undefined;
  const redirectUri = uris.find((uri) => uri.startsWith('http')) ?? uris[0] ?? '';
  const [logout = null] = textsOf(client.postLogoutRedirectUris);
  const scopes = textsOf(client.serviceScopes);
  const [api = null] = textsOf(client.apis);
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : null;
  return {
    issuer,
    clientId: String(client.clientId),
    isConfidential: isConfidential(client),
    /** Development alone: most libraries have to be told that http is meant. */
    isHttp: issuer.startsWith('http:'),
    redirectUri: own ?? redirectUri,
    /** The redirect URI's origin, such as `https://app.example.com`, and what comes behind it. */
    appOrigin: url?.origin ?? '',
    redirectPath: url?.pathname ?? '',
    postLogoutRedirectUri: logout,
    scope: 'openid offline_access profile email',
    /** What it asks for in its own name, and the API that this is of; null where it is of ours. */
    serviceScope: scopes.join(' '),
    serviceApi: scopes.every((scope) => permissions.some((ours) => ours === scope)) ? null : api,
    api,
    webOrigins: textsOf(client.webOrigins),
    idTokenAlgorithm: String(client.idTokenAlgorithm),
    claimsInIdToken: client.claimsInIdToken === true,
  };
}
