// How the answer to an authorization request goes to its client.
import type { Client } from '../../client.ts';

/** How an answer goes to its client. */
export interface ResponseMode {
  readonly by: 'query' | 'form_post';
  readonly isSigned: boolean;
}

const responseModes: Readonly<Record<string, ResponseMode>> = {
  query: { by: 'query', isSigned: false },
  form_post: { by: 'form_post', isSigned: false },
  // What a code has by default (JARM §2.3.4).
  jwt: { by: 'query', isSigned: true },
  'query.jwt': { by: 'query', isSigned: true },
  'form_post.jwt': { by: 'form_post', isSigned: true },
};

/** @returns null for a mode that there is not, or not for this client, or not to this address. */
export function responseModeOf(
  sent: string | undefined,
  redirectUri: string,
  { signedResponses }: Client,
): ResponseMode | null {
  const name = sent ?? 'query';
  const mode = Object.hasOwn(responseModes, name) ? responseModes[name] : undefined;
  if (mode === undefined || (mode.isSigned && !signedResponses)) return null;
  return mode.by === 'query' || isWeb(redirectUri) ? mode : null;
}

const isWeb = (uri: string) => /^https?:/.test(uri);
