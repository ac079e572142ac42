// What the rules mean that a person meets on a page, and what a browser does by itself.
import type { RuleReason } from './reason.ts';

export const pageReasons = {
  account_of_provider: {
    code: null,
    rule: 'The account of the other provider belongs to a member who may not sign in, to another one, or is one too many.',
    mend: 'Look at the connected accounts of the member; one account is one member’s.',
    section: 'pages 20',
  },
  checkout_address: {
    code: null,
    rule: 'The address of a checkout names no package on offer, or leads back to where it may not.',
    mend: 'Copy the address from the package, and have its return address allowed by the tenant.',
    section: 'decision 40; contract, "Checkout page search parameters"',
  },
  flow_unknown: {
    code: null,
    rule: 'A page of a sign-in was opened that was not begun in this browser, or is over.',
    mend: 'Begin at the app again; a sign-in stays in the browser that it began in.',
    section: 'pages 7',
  },
  form_foreign: {
    code: null,
    rule: 'A form came that no page of ours gave to this browser and session.',
    mend: 'Open the page itself and send its form; other sites can send none.',
    section: 'security, Defaults',
  },
  hint_foreign: {
    code: null,
    rule: 'The id_token_hint is of another client, member or session than this browser’s.',
    mend: 'Send the id_token of this very sign-in, and its client_id, or no hint at all.',
    section: 'decision 36',
  },
  link_used: {
    code: null,
    rule: 'The link of a mail was used before, or is too old.',
    mend: 'Ask for a new mail; some mail programs open links by themselves.',
    section: 'pages 20',
  },
  page_stale: {
    code: null,
    rule: 'The page had been open for too long when its form was sent.',
    mend: 'Open it again; where an app led here, begin at the app.',
    section: 'pages 7',
  },
  post_logout_uri_unregistered: {
    code: null,
    rule: 'The post_logout_redirect_uri is not registered, letter by letter, so no browser is led there.',
    mend: 'Add it to the client, or send one that is there.',
    section: 'decision 36',
    compares: ['postLogoutRedirectUris'],
  },
  provider_failed: {
    code: null,
    rule: 'The other provider did not sign the member in.',
    mend: 'The log says why under this reference: check the client_id and the secret at the provider, and its redirect URI.',
    section: 'pages 7',
  },
  provider_gone: {
    code: null,
    rule: 'The other provider is off, or there no more.',
    mend: 'Turn it on again, or have the member sign in another way.',
    section: 'pages 7',
  },
  request_unreadable: {
    code: null,
    rule: 'The request cannot be read: it is malformed, or too long.',
    mend: 'Encode its parameters once, and push long ones first.',
    section: 'decision 11',
  },
  sign_up_off: {
    code: null,
    rule: 'No sign-up is offered here: the client has it off.',
    mend: 'Turn "Disable signup" off for the client, or have an operator invite the person.',
    section: 'decision 12; contract, "OIDC client"',
    compares: ['signupDisabled'],
  },
  web_origin_unregistered: {
    code: null,
    document: 'what-a-script-in-a-browser-may-read',
    rule: 'The request came from a script of an origin that no client has, so its browser hides the answer from it.',
    mend: 'Add the origin to the client.',
    section: 'security, Defaults',
    compares: ['webOrigins'],
  },
} as const satisfies Readonly<Record<string, RuleReason>>;
