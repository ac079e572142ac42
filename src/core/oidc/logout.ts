/** Where a logout ends: the table of decision 36. */
import type { Client } from '../client.ts';
import type { Session } from '../session.ts';

/** What an id_token_hint says: it was signed by this tenant, and may have expired. */
export interface IdTokenHint {
  readonly memberId: string;
  readonly sessionId: string;
  readonly clientId: string;
}

/** A logout request (RP-Initiated Logout §2). */
export interface LogoutCommand {
  /** undefined if none was sent, null if what was sent is not one of ours. */
  readonly hint: IdTokenHint | null | undefined;
  /** The client_id, as it was sent. */
  readonly clientId: string | undefined;
  /** The client of that client_id, or else of the hint; null if it names none of ours. */
  readonly client: Client | null;
  /** The session of this browser that may be used, or null. */
  readonly session: Session | null;
  readonly postLogoutRedirectUri: string | undefined;
  /** Whether the member pressed the button of our own question. */
  readonly confirmed: boolean;
}

/** Why a logout that names a client does not lead to it: its address is not registered, or its hint proves nothing. */
export type LogoutRefusal = 'address' | 'hint';

export type LogoutAnswer =
  | { readonly kind: 'ask' | 'signed-out'; readonly refused: LogoutRefusal | null }
  | { readonly kind: 'redirect'; readonly uri: string };

/**
 * Decides where a logout ends (decision 36). Only a registered address is ever followed, and never on a hint
 * alone. Any page of the web can link here: a request that names no client of ours, or whose hint is not about
 * this session, ends nothing before the member says so.
 */
export function logout(command: LogoutCommand): LogoutAnswer {
  const { hint, clientId, client, postLogoutRedirectUri: sent } = command;
  if (hint !== undefined && !isValid(hint, command)) return stay(command, 'hint');
  if (hint === undefined && client === null) return stay(command, null);
  if (sent === undefined) {
    const uri = clientId === undefined ? undefined : client?.postLogoutRedirectUris[0];
    return uri === undefined ? { kind: 'signed-out', refused: null } : { kind: 'redirect', uri };
  }
  const uri = client?.postLogoutRedirectUris.find((registered) => registered === sent);
  return uri === undefined ? stay(command, 'address') : { kind: 'redirect', uri };
}

/** Whether a hint is of the client that is named beside it, and of this browser's session where it has one. */
function isValid(hint: IdTokenHint | null, { clientId, session }: LogoutCommand): boolean {
  if (hint === null) return false;
  if (clientId !== undefined && clientId !== hint.clientId) return false;
  return session === null || (hint.memberId === session.memberId && hint.sessionId === session.id);
}

/** Our own page: it asks where there is a session to end and the member has not said so. */
function stay({ session, confirmed }: LogoutCommand, refused: LogoutRefusal | null): LogoutAnswer {
  return { kind: session !== null && !confirmed ? 'ask' : 'signed-out', refused };
}
