// What one click may change on a development tenant, so that a request that was refused goes through.
import type { Client } from '../client.ts';
import { isLoopbackHttp } from '../oidc/client/outbound-url.ts';
import { logoutUriProblem, redirectUriProblem } from '../oidc/client/redirect-uri.ts';
import { isWebOrigin } from '../oidc/client/web-origin.ts';
import type { Rule } from './rule.ts';
import { type SentRequest, wholeValue } from './sent.ts';

export const mendKinds = ['redirect_uri', 'post_logout_uri', 'web_origin', 'device_flow'] as const;
export type MendKind = (typeof mendKinds)[number];

/** A change of a client that is offered. */
export interface Mend {
  readonly kind: MendKind;
  readonly clientId: string;
  /** What is added to its registration; null where something is turned on. */
  readonly value: string | null;
}

/** What a mend rests on: never what is sent with the click, but what was sent before it. */
interface MendFacts {
  readonly rule: Rule;
  readonly sent: SentRequest | null;
  /** null where the request is of no client that an operator registered. */
  readonly client: Pick<Client, 'clientId' | 'deviceFlow'> | null;
  readonly isDevelopment: boolean;
}

/** The mend of a rule, where there is one that is safe: on development tenants alone, of what can be registered. */
export function mendOf({ rule, sent, client, isDevelopment }: MendFacts): Mend | null {
  if (!isDevelopment || client === null) return null;
  const { clientId } = client;
  const adding = (
    kind: MendKind,
    value: string | null,
    isAllowed: (value: string) => boolean,
  ): Mend | null => (value !== null && isAllowed(value) ? { kind, clientId, value } : null);
  const { parameters = {}, headers = {} } = sent ?? {};
  switch (rule) {
    case 'redirect_uri_unregistered':
      return adding(
        'redirect_uri',
        wholeValue(parameters, 'redirect_uri'),
        (uri) => redirectUriProblem(uri) === null,
      );
    case 'post_logout_uri_unregistered':
      return adding(
        'post_logout_uri',
        wholeValue(parameters, 'post_logout_redirect_uri'),
        (uri) => logoutUriProblem(uri) === null,
      );
    case 'web_origin_unregistered':
      return adding('web_origin', wholeValue(headers, 'origin'), isWebOrigin);
    case 'device_flow_off':
      return client.deviceFlow ? null : { kind: 'device_flow', clientId, value: null };
    default:
      return null;
  }
}

/** How an address that was sent differs from the registered one that is most like it, in words; null where none is. */
export function differenceOf(sent: string, registered: readonly string[]): string | null {
  const found = registered.flatMap((uri) => {
    const words = wordsFor(sent, uri);
    return words === null ? [] : [`${words}: ${uri}`];
  });
  return found[0] ?? null;
}

function wordsFor(sent: string, uri: string): string | null {
  if (sent.toLowerCase() === uri.toLowerCase())
    return 'capital letters alone differ from one that is registered';
  if (sent === `${uri}/` || `${sent}/` === uri)
    return 'a slash at the end alone differs from one that is registered';
  if (!URL.canParse(sent) || !URL.canParse(uri)) return null;
  const [one, other] = [new URL(sent), new URL(uri)];
  // Of a loopback address the port may differ.
  const anyPort = isLoopbackHttp(one) && isLoopbackHttp(other);
  const parts = (['protocol', 'hostname', 'port', 'pathname', 'search', 'hash'] as const).filter(
    (part) => one[part] !== other[part] && !(anyPort && part === 'port'),
  );
  const [only, ...others] = parts;
  return only === undefined || others.length > 0
    ? null
    : `${partWords[only]} alone differs from one that is registered`;
}

const partWords = {
  protocol: 'http or https',
  hostname: 'the host',
  port: 'the port',
  pathname: 'the path',
  search: 'the query',
  hash: 'the fragment',
} as const;
