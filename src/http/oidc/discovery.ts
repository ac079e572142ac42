// Discovery and JWKS.
import type { FastifyInstance } from 'fastify';
import { hasTwoFactors } from '../../core/members/second-factor.ts';
import { dpopAlgorithms } from '../../core/oidc/dpop.ts';
import { knownScopes } from '../../core/oidc/scope.ts';
import { oneFactor, twoFactors } from '../../core/strength.ts';
import type { OpenTenant } from '../../operations/tenant/open-tenants.ts';
import { offeredLanguages } from '../../text/language.ts';
import { servePublicDocument } from '../cors.ts';
import { registrationUrl } from './registration/registration.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** Only where a client may have its answers signed (JARM §4). */
const signedModes = ['jwt', 'query.jwt', 'form_post.jwt'];

/** How clients say who they are: by assertions only where one of them does (interop 53). */
function clientAuthenticationOf({ assertionAlgorithms }: OpenTenant) {
  const isSigned = assertionAlgorithms.length > 0;
  return {
    methods: ['client_secret_basic', 'client_secret_post', 'none', ...(isSigned ? ['private_key_jwt'] : [])],
    signedBy: (endpoint: string): object =>
      isSigned ? { [`${endpoint}_endpoint_auth_signing_alg_values_supported`]: assertionAlgorithms } : {},
  };
}

/** How strongly members can be authenticated (decision 47). */
const acrsOf = (tenant: OpenTenant) => (hasTwoFactors(tenant) ? [twoFactors, oneFactor] : [oneFactor]);

/** The claims that an id_token or UserInfo can have. */
const claimsOf = ({ claimsParameter }: OpenTenant): readonly string[] => [
  'sub',
  'iss',
  'aud',
  'exp',
  'iat',
  'auth_time',
  'nonce',
  'sid',
  'at_hash',
  ...(claimsParameter ? ['acr', 'amr'] : []),
  'name',
  'given_name',
  'family_name',
  'nickname',
  'preferred_username',
  'picture',
  'locale',
  'updated_at',
  'email',
  'email_verified',
  'phone_number',
  'phone_number_verified',
  'address',
];

/** The endpoints, each with how clients prove there who they are; one that no client of the tenant uses is left out. */
function endpointsOf(tenant: OpenTenant): object {
  const { issuer, backchannelLogout, deviceFlow, idTokenAlgorithms, introspection } = tenant;
  const { pushedRequests, revocationListed } = tenant;
  const { methods, signedBy } = clientAuthenticationOf(tenant);
  return {
    issuer,
    authorization_endpoint: `${issuer}/api/oidc/auth`,
    token_endpoint: `${issuer}/api/oidc/token`,
    userinfo_endpoint: `${issuer}/api/oidc/me`,
    end_session_endpoint: `${issuer}/api/oidc/session/end`,
    jwks_uri: `${issuer}/api/oidc/jwks`,
    // Listed only where a client has the device flow (contract, "Discovery document")...
    ...(deviceFlow ? { device_authorization_endpoint: `${issuer}/api/oidc/device/auth` } : {}),
    // ... or where the tenant wants revocation listed without it (decision 44).
    ...(deviceFlow || revocationListed
      ? {
          revocation_endpoint: `${issuer}/api/oidc/token/revocation`,
          revocation_endpoint_auth_methods_supported: methods,
          ...signedBy('revocation'),
        }
      : {}),
    // Only where the address of a document may be a client_id (interop 62).
    ...(tenant.clientMetadataDocuments === 'off' ? {} : { client_id_metadata_document_supported: true }),
    // Only where clients may register themselves (RFC 7591; interop 63).
    ...(tenant.clientRegistration === 'off' ? {} : { registration_endpoint: `${issuer}${registrationUrl}` }),
    // Only where a client may introspect tokens (interop 52).
    ...(introspection
      ? {
          introspection_endpoint: `${issuer}/api/oidc/introspect`,
          introspection_endpoint_auth_methods_supported: methods.filter((method) => method !== 'none'),
          ...signedBy('introspection'),
          introspection_signing_alg_values_supported: idTokenAlgorithms,
        }
      : {}),
    // Only where a client may push its requests (RFC 9126 §5).
    ...(pushedRequests === 'off'
      ? {}
      : {
          pushed_authorization_request_endpoint: `${issuer}/api/oidc/par`,
          require_pushed_authorization_requests: pushedRequests === 'required',
        }),
    // Each client chooses whether it hears of sign-outs (Back-Channel Logout §2.1).
    ...(backchannelLogout
      ? { backchannel_logout_supported: true, backchannel_logout_session_supported: true }
      : {}),
  };
}

/** What the service answers with: responses, grants, tokens and their claims. */
function answersOf(tenant: OpenTenant): object {
  const { clientCredentials, deviceFlow, dpop, idTokenAlgorithms, responseAlgorithms } = tenant;
  const { methods, signedBy } = clientAuthenticationOf(tenant);
  return {
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'form_post', ...(responseAlgorithms.length > 0 ? signedModes : [])],
    ...(responseAlgorithms.length > 0
      ? { authorization_signing_alg_values_supported: responseAlgorithms }
      : {}),
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      ...(deviceFlow ? [deviceGrant] : []),
      ...(clientCredentials ? ['client_credentials'] : []),
    ],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: idTokenAlgorithms,
    scopes_supported: knownScopes,
    claims_supported: claimsOf(tenant),
    token_endpoint_auth_methods_supported: methods,
    ...signedBy('token'),
    // Listed only where a client may have tokens that are bound to a key (RFC 9449 §5.1; interop 49).
    ...(dpop ? { dpop_signing_alg_values_supported: dpopAlgorithms } : {}),
  };
}

/** What authorization requests may say, and how. */
function requestsOf(tenant: OpenTenant): object {
  const { claimsParameter, languages, requestObjects, requestObjectAlgorithms } = tenant;
  return {
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account', 'create'],
    ui_locales_supported: offeredLanguages(languages),
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: claimsParameter,
    ...(claimsParameter ? { acr_values_supported: acrsOf(tenant) } : {}),
    request_parameter_supported: requestObjects !== 'off',
    // Only where a client may sign its requests (RFC 9101 §10.5).
    ...(requestObjects === 'off'
      ? {}
      : {
          request_object_signing_alg_values_supported: requestObjectAlgorithms,
          require_signed_request_object: requestObjects === 'required',
        }),
    request_uri_parameter_supported: false,
  };
}

/** The discovery document of a tenant (contract; Discovery §3, RFC 8414 §2; decision 3). */
const discoveryOf = (tenant: OpenTenant): object => ({
  ...endpointsOf(tenant),
  ...answersOf(tenant),
  ...requestsOf(tenant),
});

/** The public keys of a tenant (RFC 7517 §5): those that sign, those that will, those that did. */
function jwksOf({ keys }: OpenTenant): object {
  return { keys: keys.map(({ publicJwk }) => publicJwk) };
}

/**
 * Discovery, at its three addresses, and JWKS. The bytes are made once for each tenant as it is in memory:
 * a change makes a new tenant object there, and with it new bytes.
 */
export function discoveryEndpoints(app: FastifyInstance): void {
  const serve = (url: string, write: (tenant: OpenTenant) => object) =>
    servePublicDocument(app, url, { metadata: true }, ({ tenant }) => tenant, write);
  serve('/.well-known/openid-configuration', discoveryOf);
  serve('/api/oidc/.well-known/openid-configuration', discoveryOf);
  serve('/.well-known/oauth-authorization-server', discoveryOf);
  serve('/api/oidc/jwks', jwksOf);
}
