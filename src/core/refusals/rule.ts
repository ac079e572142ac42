// The rules by which requests are refused, by name. `why.ts` says of each what it is, and how to mend it.

/** The error codes of the protocol endpoints (RFC 6749 §4.1.2.1 and §5.2, RFC 8628 §3.5, RFC 8707 §2, Core §3.1.2.6, RFC 9449 §5, §8). */
export const errorCodes = [
  'access_denied',
  'authorization_pending',
  'consent_required',
  'expired_token',
  'interaction_required',
  'invalid_client',
  'invalid_client_metadata',
  'invalid_dpop_proof',
  'invalid_grant',
  'invalid_redirect_uri',
  'invalid_request',
  'invalid_request_object',
  'invalid_scope',
  'invalid_software_statement',
  'invalid_target',
  'invalid_token',
  'login_required',
  'request_not_supported',
  'request_uri_not_supported',
  'server_error',
  'slow_down',
  'temporarily_unavailable',
  'unauthorized_client',
  'unmet_authentication_requirements',
  'unsupported_grant_type',
  'unsupported_response_type',
  'use_dpop_nonce',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** Rules of one error code of several, and of what has no code: pages, and what a browser does. */
export const ownRules = [
  // Where it asks, and which client does.
  'address_unknown',
  'client_assertion_missing',
  'client_assertion_refused',
  'client_document_refused',
  'client_missing',
  'client_secret_missing',
  'client_secret_sent',
  'client_secret_wrong',
  'client_unknown',
  // What it asks a browser to bring.
  'code_challenge_method',
  'code_challenge_missing',
  'openid_missing',
  'redirect_uri_missing',
  'redirect_uri_repeated',
  'redirect_uri_unregistered',
  'request_uri_unknown',
  // What it redeems.
  'code_ended',
  'code_expired',
  'code_redirect_uri_differs',
  'code_reused',
  'code_unknown',
  'code_verifier_missing',
  'code_verifier_wrong',
  'device_code_expired',
  'device_code_reused',
  'device_code_unknown',
  'device_code_withdrawn',
  'device_description',
  'device_flow_off',
  'device_rejected',
  'grant_of_another_client',
  'grant_of_another_key',
  'member_inactive',
  'refresh_token_foreign',
  'refresh_token_reused',
  'resource_not_granted',
  'scope_wider',
  'sign_in_ended',
  'sign_in_expired',
  'sign_in_unknown',
  // What it does with a token, and in a browser.
  'hint_foreign',
  'insufficient_scope',
  'post_logout_uri_unregistered',
  'web_origin_unregistered',
  // What a member meets on a page.
  'account_of_provider',
  'checkout_address',
  'flow_unknown',
  'form_foreign',
  'link_used',
  'page_stale',
  'provider_failed',
  'provider_gone',
  'request_unreadable',
  'sign_up_off',
] as const;
export type OwnRule = (typeof ownRules)[number];

/** Why a request was refused: the audit keeps it. An error code where no rule says it more exactly. */
export type Rule = ErrorCode | OwnRule;

export const isErrorCode = (rule: string): rule is ErrorCode => errorCodes.some((code) => code === rule);

export const isRule = (text: string): text is Rule =>
  isErrorCode(text) || ownRules.some((rule) => rule === text);
