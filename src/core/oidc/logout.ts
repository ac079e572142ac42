import type { Client } from '../client.ts';

/** A logout request, after its id_token_hint was verified (decision 36; RP-Initiated Logout §2). */
export interface LogoutCommand {
  /** The client of the request's client_id, else of a valid hint; null if neither names one of ours. */
  readonly client: Client | null;
  readonly postLogoutRedirectUri: string | undefined;
  /** Whether this browser has a session that may be used. */
  readonly signedIn: boolean;
  /** Whether the member pressed the button of our own question. */
  readonly confirmed: boolean;
}

export type LogoutAnswer =
  | { readonly kind: 'ask' }
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'redirect'; readonly uri: string };

/**
 * Decides where a logout ends. Only a registered address is ever followed. Without anything that names a
 * client of ours the member is asked first, since any page of the web can link here.
 */
export function logout(command: LogoutCommand): LogoutAnswer {
  const { client, postLogoutRedirectUri, signedIn, confirmed } = command;
  if (client === null) return { kind: signedIn && !confirmed ? 'ask' : 'signed-out' };
  const uri =
    postLogoutRedirectUri === undefined
      ? client.postLogoutRedirectUris[0]
      : client.postLogoutRedirectUris.find((registered) => registered === postLogoutRedirectUri);
  return uri === undefined ? { kind: 'signed-out' } : { kind: 'redirect', uri };
}
