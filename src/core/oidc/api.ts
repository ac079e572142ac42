// The APIs of a tenant that access tokens can be for, and what an operator may say of one.
import { apiLimits } from '../limits.ts';
import { nameProblem, textProblem } from '../members/details.ts';
import { permissions } from '../operators/permission.ts';
import { type Problem, problem, within } from '../problem.ts';
import type { AccessTokenAlgorithm } from '../tenant.ts';
import { isLoopbackHttp } from './client/outbound-url.ts';
import { isHostName } from './client/redirect-uri.ts';
import { knownScopes } from './scope.ts';

/** An API of a tenant: a resource server that takes access tokens of its own (RFC 8707; interop 54). */
export interface Api {
  readonly tenantId: string;
  /** What clients send as `resource`, and what its tokens say as `aud`: an https address, or a urn; on a development tenant http on loopback too. */
  readonly identifier: string;
  readonly name: string;
  /** What members read on the page that asks them, by the name of the scope. */
  readonly scopes: Readonly<Record<string, string>>;
  /** RS256 where the API reads nothing else (decision 42). */
  readonly accessTokenAlgorithm: AccessTokenAlgorithm;
  /** Whether clients that no operator registered may ask for its tokens, as those of MCP do (decisions 50 and 53). */
  readonly unverifiedClients: boolean;
}

/** Our own audience, under its default name; no API of a tenant is called like it. */
const reserved = /^urn:memberdoor:/i;
const urn = /^urn:[a-z0-9][a-z0-9-]{0,30}[a-z0-9]:[\w()+,.:=@;$!*'%/-]+$/i;
/** As in RFC 6749 §3.3, but for signs that mislead in a list of texts. */
const scopeName = /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/;

/**
 * Whether a text can name an API: an https address without user information and fragment, or a urn (RFC 8707 §2). Names
 * are compared as strings, so an address is written as browsers write it.
 *
 * @param development whether a development tenant has it, whose APIs may be on one's own machine, by http
 */
function isApiIdentifier(text: string, development: boolean): boolean {
  if (text.length > apiLimits.identifier || reserved.test(text)) return false;
  if (urn.test(text)) return true;
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(text) || /[#\\]/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  const { href, protocol, username, password, hostname } = url;
  if (protocol !== 'https:' && !(development && isLoopbackHttp(url))) return false;
  return username === '' && password === '' && isHostName(hostname) && (href === text || href === `${text}/`);
}

/** What an operator says of an API. */
export type ApiFacts = Omit<Api, 'tenantId'>;

/**
 * What is wrong with an API. The name of a scope says which API it is of, so that a member who allowed it has not allowed
 * another one's: it is neither one of ours nor one of another API of the tenant.
 *
 * @param others the other APIs of the tenant
 * @param development whether it is a development tenant
 */
export function apiProblems(
  { identifier, name, scopes }: ApiFacts,
  others: readonly Pick<Api, 'identifier' | 'scopes'>[],
  development: boolean,
): readonly Problem[] {
  const names = Object.keys(scopes);
  const found = [
    isApiIdentifier(identifier, development) ? null : problem('identifier', 'not_an_api_identifier'),
    nameProblem(name),
    names.length > apiLimits.scopes ? problem('scopes', 'too_many', { most: apiLimits.scopes }) : null,
    ...names.flatMap((scope) =>
      within(['scopes', scope], [scopeProblem(scope, scopes[scope] ?? '', others) ?? []].flat()),
    ),
  ];
  return found.filter((one) => one !== null);
}

const ours: ReadonlySet<string> = new Set([...knownScopes, ...permissions]);

function scopeProblem(
  scope: string,
  description: string,
  others: readonly Pick<Api, 'identifier' | 'scopes'>[],
): Problem | null {
  if (!scopeName.test(scope) || scope.length > apiLimits.scopeName) {
    return problem([], 'not_a_scope', { most: apiLimits.scopeName });
  }
  // Queries look for the word offline_access in a scope.
  if (ours.has(scope) || scope.includes('offline_access')) return problem([], 'scope_of_ours', { scope });
  const other = others.find((api) => Object.hasOwn(api.scopes, scope));
  if (other !== undefined) return problem([], 'scope_of_another_api', { scope, api: other.identifier });
  if (description.trim() === '') return problem([], 'empty');
  const found = textProblem(description, apiLimits.scopeDescription);
  if (found === 'long') return problem([], 'too_long', { most: apiLimits.scopeDescription });
  return found === null ? null : problem([], 'unfit_name');
}
