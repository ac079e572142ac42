/** The token of a form: no other page, browser or session can send the form (U14). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { seal, unseal } from '../../secrets/seal.ts';
import { browserCookie, ensureBrowserCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';

/** A form that this browser was given. */
interface GivenForm {
  /** Tells it from the same form on another page. */
  readonly id: string;
  /** What came along, unchanged. */
  readonly carried: unknown;
}

/**
 * Makes the token of a form on a page.
 *
 * @param purpose what the form is for, with the id of the session that alone may send it, if one may
 * @param carried what comes back with the form; it can be read, and not changed
 */
export function formToken(
  reply: FastifyReply,
  purpose: string,
  { clock, random }: Pick<Deps, 'clock' | 'random'>,
  carried?: unknown,
): string {
  const browser = ensureBrowserCookie(reply, random);
  const value = [purpose, random.id(clock()), ...(carried === undefined ? [] : [carried])];
  return seal(reply.request.tenant.tokenKey, 'form', browser, value);
}

/** The form that a token is of; null if this browser was given none for this purpose. */
export function givenForm(request: FastifyRequest, purpose: string, token?: string): GivenForm | null {
  if (token === undefined) return null;
  const unsealed = unseal(request.tenant.tokenKey, 'form', browserCookie(request), token);
  if (unsealed.kind !== 'opened' || !Array.isArray(unsealed.value)) return null;
  const [sealedFor, id, carried] = unsealed.value as readonly unknown[];
  return sealedFor === purpose ? { id: String(id), carried } : null;
}
