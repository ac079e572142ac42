// What a refusal means by its event of the audit alone: there the words beside it say the rest.
import type { RefusalEvent } from '../operators/audit-event.ts';
import type { Reason } from './reason.ts';

const told = 'The words of the audit say what was wrong: mend that.';

export const eventReasons: Readonly<Record<RefusalEvent, Reason>> = {
  admin_denied: {
    rule: 'An administrator or a token asked for what is not theirs, or is not there.',
    mend: 'Give the role or the token the permission that the words name, if it is to have it.',
    section: 'architecture, rule 19',
  },
  admin_sign_in_refused: {
    rule: 'A sign-in to the portal was refused.',
    mend: 'Sign in with the password of an administrator; the member’s page says what stands against it.',
    section: 'security, Defaults',
  },
  api_denied: {
    rule: 'An access token was refused, or did not allow a call.',
    mend: 'Refresh once and try again; if that fails too, have the member sign in anew.',
    section: 'RFC 6750 §3.1',
  },
  authorization_refused: {
    rule: 'A client’s request to sign a member in was refused.',
    mend: told,
    section: 'decision 9',
    compares: ['redirectUris'],
  },
  client_authentication_failed: {
    rule: 'A client did not prove which it is.',
    mend: 'Check the client_id, and send the proof that it is registered with: a secret, an assertion, or none.',
    section: 'decision 15',
    compares: ['type', 'authenticationMethod', 'disabledAt'],
  },
  code_refused: {
    rule: 'A code was not exchanged.',
    mend: 'Begin anew at the authorization endpoint; a code is redeemed once, within ten minutes.',
    section: 'decision 18',
  },
  code_reused: {
    rule: 'A code came twice, so what it began has ended.',
    mend: 'Redeem a code once.',
    section: 'decision 18',
  },
  device_code_refused: {
    rule: 'A TV got no code, or no tokens for it.',
    mend: told,
    section: 'contract, Errors',
    compares: ['deviceFlow'],
  },
  device_code_reused: {
    rule: 'A device code came again after it gave tokens, so the sign-in that it began has ended.',
    mend: 'Stop polling when tokens come, and store them before anything else.',
    section: 'decision 23',
  },
  device_code_wrong: {
    rule: 'A member entered a code that no TV waits with.',
    mend: 'Compare it with the one on the TV; a code lasts 15 minutes, and the TV shows a new one after that.',
    section: 'decision 29',
  },
  form_refused: {
    rule: 'A form came that no page of ours gave to this browser and session.',
    mend: 'Open the page itself and send its form.',
    section: 'security, Defaults',
  },
  limit_reached: {
    rule: 'There were too many requests of this kind, and a limit was reached.',
    mend: 'Wait as long as Retry-After says; limits are settings of the tenant.',
    section: 'security, Defaults; decision 16',
  },
  page_refused: {
    rule: 'A page said what went wrong.',
    mend: told,
    section: 'pages 7',
  },
  passkey_refused: {
    rule: 'A passkey proved who it is, and yet it may be a copy.',
    mend: 'Have the member remove it and make a new one.',
    section: 'security, Defaults',
  },
  payment_refused: {
    rule: 'A payment provider reported what cannot be taken.',
    mend: 'Check the secret that its reports are signed with, and the price of the checkout.',
    section: 'decision 40',
  },
  refresh_refused: {
    rule: 'A refresh token gave nothing.',
    mend: 'Delete the tokens and have the member sign in again; never send the same one twice.',
    section: 'decision 25',
  },
  refresh_reused: {
    rule: 'A refresh token came that had been replaced before, so the whole sign-in has ended.',
    mend: 'Refresh one at a time, and keep the old token until the new one is stored.',
    section: 'contract, "Refresh token"; decision 24',
    compares: ['replayWindowSeconds'],
  },
  registration_refused: {
    rule: 'A client was not registered, or came with a wrong token.',
    mend: told,
    section: 'decision 50',
  },
  return_address_refused: {
    rule: 'A checkout or a logout was to lead to an address that is not allowed.',
    mend: 'Add the address: of a logout to the client, of a checkout to the tenant.',
    section: 'decision 36; contract, "Checkout page search parameters"',
    compares: ['postLogoutRedirectUris'],
  },
  sign_in_refused: {
    rule: 'A member did not prove who it is, or may not sign in.',
    mend: 'The member’s page says what stands against it, and what helps.',
    section: 'security, Defaults',
  },
  token_request_refused: {
    rule: 'A request of a client is malformed.',
    mend: told,
    section: 'decision 11; RFC 6749 §5.2',
  },
};
