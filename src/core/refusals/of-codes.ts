// What each error code of the protocol means to the developer of a client, where no rule says it more exactly.
import type { Reason } from './reason.ts';
import type { ErrorCode } from './rule.ts';

export const codeReasons: Readonly<Record<ErrorCode, Reason>> = {
  access_denied: {
    rule: 'The member turned back, or rejected the TV.',
    mend: 'Say so and offer to begin again; do not ask again by itself.',
    section: 'contract, Errors; RFC 6749 §4.1.2.1',
  },
  authorization_pending: {
    rule: 'The member has not decided on the code of the TV yet: nothing is wrong.',
    mend: 'Poll again after the interval.',
    section: 'contract, "POST /api/oidc/token"; RFC 8628 §3.5',
  },
  consent_required: {
    rule: 'With prompt=none no page may be shown, and the member has not allowed this client its scopes.',
    mend: 'Ask again without prompt=none, so that the member can agree.',
    section: 'decision 13; Core §3.1.2.6',
  },
  expired_token: {
    rule: 'The device code expired before a member approved it.',
    mend: 'Ask for a new code and show that.',
    section: 'decision 22; RFC 8628 §3.5',
  },
  interaction_required: {
    rule: 'With prompt=none no page may be shown, and one would have to be.',
    mend: 'Ask again without prompt=none.',
    section: 'decision 13; Core §3.1.2.6',
  },
  invalid_client: {
    rule: 'The client did not prove which it is.',
    mend: 'Check the client_id, and send the proof that it is registered with: a secret, an assertion, or none.',
    section: 'decision 15; RFC 6749 §5.2',
    compares: ['type', 'authenticationMethod', 'disabledAt'],
  },
  invalid_client_metadata: {
    rule: 'What the client says of itself cannot be had here.',
    mend: 'Mend the metadata: the description names what is wrong with it.',
    section: 'decision 50; RFC 7591 §3.2.2',
  },
  invalid_dpop_proof: {
    rule: 'The DPoP proof is missing, malformed, for another request, too old, or was sent before.',
    mend: 'Make a new proof for each request, of its very method and address, and set the clock of the device right.',
    section: 'RFC 9449 §4.3',
    compares: ['dpop'],
  },
  invalid_grant: {
    rule: 'What the client redeems gives nothing any more, or never did.',
    mend: 'Delete the tokens and send the member to sign in; never send the same one again.',
    section: 'contract, Errors; RFC 6749 §5.2',
  },
  invalid_redirect_uri: {
    rule: 'A redirect URI of this kind may not be registered.',
    mend: 'Use https, http on a loopback address, or a scheme of the app.',
    section: 'decision 8; RFC 7591 §3.2.2',
  },
  invalid_request: {
    rule: 'A parameter is missing, malformed, too long, or was sent twice.',
    mend: 'The description names the parameter: mend the client, since trying again does not help.',
    section: 'decision 11; RFC 6749 §5.2',
  },
  invalid_request_object: {
    rule: 'The request object is not signed as this client signs, is for another service, too old, or good for too long.',
    mend: 'Sign it anew, by a key and an algorithm that are registered, for the issuer of this tenant.',
    section: 'RFC 9101 §6.3',
    compares: ['requestObjects', 'jwksUri', 'signingAlgorithms'],
  },
  invalid_scope: {
    rule: 'The scope asks for what this client, or this sign-in, cannot have.',
    mend: 'Ask for what was granted; for more, have the member sign in anew.',
    section: 'decision 25; RFC 6749 §5.2',
    compares: ['serviceScopes'],
  },
  invalid_software_statement: {
    rule: 'Software statements are not taken here.',
    mend: 'Leave the software_statement out.',
    section: 'RFC 7591 §3.2.2',
  },
  invalid_target: {
    rule: 'The resource names no API that this client may ask for, one that was not granted, or several at once.',
    mend: 'Name one API that the client has, or give it the API.',
    section: 'RFC 8707 §2',
    compares: ['apis'],
  },
  invalid_token: {
    rule: 'The token is expired, has stopped working, or is none of ours.',
    mend: 'Refresh once and try again; if that fails too, have the member sign in anew.',
    section: 'decision 27; RFC 6750 §3.1',
  },
  login_required: {
    rule: 'With prompt=none no page may be shown, and the member who was asked for is not signed in.',
    mend: 'Ask again without prompt=none.',
    section: 'decision 13; Core §3.1.2.6',
  },
  request_not_supported: {
    rule: 'This client may send no request object.',
    mend: 'Send the parameters themselves, or have its requestObjects allowed.',
    section: 'decision 13; Core §3.1.2.6',
    compares: ['requestObjects'],
  },
  request_uri_not_supported: {
    rule: 'This client may send no request_uri, or none of this kind.',
    mend: 'Send the parameters themselves, or push them first where its pushedRequests are allowed.',
    section: 'decision 13; RFC 9126 §4',
    compares: ['pushedRequests', 'requestObjects'],
  },
  server_error: {
    rule: 'The service had trouble of its own, and changed nothing.',
    mend: 'Keep the tokens and try again after Retry-After; the log says more under this reference.',
    section: 'decision 16',
  },
  slow_down: {
    rule: 'The TV polled before its interval was over.',
    mend: 'Add 5 seconds to the interval for good, and begin to wait when the answer has come.',
    section: 'contract, "POST /api/oidc/token"; decision 20; RFC 8628 §3.5',
  },
  temporarily_unavailable: {
    rule: 'There were too many requests of this kind, and a limit was reached.',
    mend: 'Wait as long as Retry-After says, and double the interval where it goes on; limits are settings of the tenant.',
    section: 'security, Defaults; decision 16',
  },
  unauthorized_client: {
    rule: 'This client is not registered for what it asks.',
    mend: 'Turn it on for the client, if it is to have it.',
    section: 'RFC 6749 §5.2',
    compares: ['clientCredentials', 'introspection', 'pushedRequests', 'type'],
  },
  unmet_authentication_requirements: {
    rule: 'The request demands an acr that no sign-in has here.',
    mend: 'Ask for it without essential, and look at the acr of the id_token.',
    section: 'decision 47',
    compares: ['claimsParameter'],
  },
  unsupported_grant_type: {
    rule: 'The grant_type is misspelt, or this tenant has no such.',
    mend: 'Send authorization_code, refresh_token, or the whole name of the device grant: urn:ietf:params:oauth:grant-type:device_code.',
    section: 'contract, "POST /api/oidc/token"; RFC 6749 §5.2',
  },
  unsupported_response_type: {
    rule: 'Only response_type=code is supported.',
    mend: 'Send response_type=code: tokens come from the token endpoint.',
    section: 'contract, "GET /api/oidc/auth"; RFC 6749 §4.1.2.1',
  },
  use_dpop_nonce: {
    rule: 'The DPoP proof must carry a nonce that this service gave.',
    mend: 'Send the request again with a proof that has the DPoP-Nonce of this answer.',
    section: 'RFC 9449 §8',
    compares: ['dpop', 'dpopNonce'],
  },
};
