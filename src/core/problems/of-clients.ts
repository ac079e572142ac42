// The words of problems with what a tenant is connected to: clients, other providers, APIs, webhooks.
export const wordsOfClients = {
  // Clients and tokens.
  client_type_fixed: 'the client is {type}, and stays so: another kind is another client',
  not_a_client_id: '{it} must be 1 to 64 letters, digits, _ or -',
  secret_needed: 'a confidential client needs a secret',
  assertions_of_public: 'a public client keeps no key to itself: {it} is for confidential ones',
  introspection_of_public: 'a public client cannot prove who asks: {it} is for confidential ones',
  keys_needed: 'a client that signs assertions or requests needs jwks or jwksUri',
  keys_twice: 'jwks and jwksUri stand here both: one of them is enough',
  keys_malformed: '{it} is no JWKS: a JSON object with a list named keys, in which every name stands once',
  keys_alike: 'two keys of {it} have the same kid',
  key_malformed: 'key {number} of {it} is malformed',
  key_private:
    'key {number} of {it} is a private or a shared one: make another, since this one is known now, and give its public part',
  key_unsupported:
    'key {number} of {it} is of a type that is not taken: RSA, EC with P-256 and OKP with Ed25519 are',
  key_size: 'key {number} of {it} must have {least} to {most} bits, and a short exponent',
  key_not_for_us:
    'key {number} of {it} is for something else than signatures by ES256, PS256, EdDSA or RS256',
  profile_needs: 'with the profile fapi2 {it} must be {needed}',
  profile_needs_https: '"{uri}" is no https address, as each must be with the profile fapi2',
  too_many_secrets: 'a client has at most {most} live secrets',
  uri_space: '"{uri}" has white space, a backslash or a control character',
  uri_not_encoded: '"{uri}" has a character that must be percent-encoded',
  uri_fragment: '"{uri}" has a fragment',
  uri_wildcard: '"{uri}" has a wildcard',
  uri_not_absolute: '"{uri}" is not an absolute URI',
  uri_credentials: '"{uri}" has credentials',
  uri_host: '"{uri}" has a host that is no host name',
  uri_http: '"{uri}" uses http, which is allowed only for 127.0.0.1, [::1] and localhost',
  uri_scheme: '"{uri}" uses a scheme that is neither https nor a reversed domain name',
  uri_parameter: '"{uri}" has {parameter} in its query, which is ours to add',
  client_exists: 'there is a client {clientId} already',
  not_on_stage: 'the device flow of this client is not on at the stage tenant {host}; force turns it on here',
  public_client_secret: 'a public client has no secret',
  secrets_used_up: 'the client has {most} live secrets: remove one first',
  only_secret: 'it is the only secret of the client: add another first',
  past: '{it} is in the past',
  token_revoked: 'a token that is revoked makes none',
  token_exceeds_maker: 'a token makes no token that can do more, or lasts longer',
  token_exceeds_revoker: 'a token revokes no token that can do more',
  // Other providers whose accounts members sign in with.
  not_a_provider_key:
    '{it} must be 1 to 32 small letters, digits and hyphens, and begin and end with neither hyphen',
  not_a_foreign_issuer:
    '{it} must be the https address of the provider, as it calls itself, with neither ? nor # (http on loopback at a development tenant)',
  issuer_of_preset: '{it} is {issuer}, and no other one, for this preset',
  not_a_foreign_client_id: '{it} must be the ID that the provider gave, without spaces',
  not_an_apple_id: '{it} must be 10 capital letters and digits, as Apple shows it',
  of_apple_alone: '{it} is for Apple alone',
  not_an_apple_key:
    '{it} must be the private key that Apple gave as a .p8 file, from -----BEGIN PRIVATE KEY----- to -----END PRIVATE KEY-----',
  not_scopes: '{it} must be words without spaces',
  openid_needed: '{it} must have openid among them',
  provider_exists: 'there is a provider {key} already',
  too_many_providers: 'the tenant has {most} providers: delete one first',
  provider_lacks: 'it cannot be on yet: {it} is missing',
  preset_fixed: 'its preset is {preset}, and stays: delete the provider and make another',
  // APIs of a tenant.
  not_an_api_identifier:
    '{it} must be an https address as browsers write it (http on loopback at a development tenant), without a fragment, or a urn; urn:memberdoor: is ours',
  api_exists: 'there is an API {identifier} already',
  too_many_apis: 'the tenant has {most} APIs: delete one first',
  not_a_scope: '{it} must be 1 to {most} letters, digits, ., _, :, / or -',
  scope_of_ours: 'the scope {scope} is one of ours',
  scope_of_another_api: 'the scope {scope} is of the API {api}',
  confidential_only: 'a public client has no secret to show: {it} is for confidential ones',
  client_id_like_member:
    'its client_id looks like the id of a member, and tokens of its own would pass for the member’s',
  no_such_service_scope: 'no API that the client may ask for has the scope {scope}, and it is no permission',
  client_exceeds_changer:
    'a client with permissions is changed by those alone who have them too: {permissions}',
  client_makes_no_tokens: 'a client makes no API tokens: they would outlast its own',
  no_such_api: 'there is no API {identifier}',
  // Webhooks.
  too_many_webhooks: 'the tenant has {most} webhooks: delete one first',
  webhook_without_secret: 'the secret of the webhook was lost with the master key: give it another one first',
  webhook_is_off: 'the webhook is off: turn it on first',
  too_many_tests: 'more than {most} tests and repetitions a minute: wait a moment',
} as const;
