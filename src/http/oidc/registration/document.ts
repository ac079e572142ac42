// Looks at the document that a client_id is the address of, before an authorization goes on.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { countingWindow } from '../../../core/limits.ts';
import { documentsPerMinute } from '../../../core/registration/limits.ts';
import { refreshDocument } from '../../../operations/registration/document.ts';
import type { Language } from '../../../text/language.ts';
import { addressKey } from '../../address.ts';
import { noteRefusal, storeOf } from '../../audit.ts';
import type { Deps } from '../../deps.ts';
import { sendProblem } from '../../pages/problem.ts';

/**
 * Fetches the document of a client where it is not fresh (interop 62); at each step of a way through the sign-in, so that
 * one which changes under way is judged anew. A client that is none of a document costs nothing.
 *
 * @returns the page that ends the way, where the document cannot be used
 */
export async function refuseByDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { clientId, language }: { readonly clientId: string | undefined; readonly language: () => Language },
  deps: Deps,
): Promise<FastifyReply | null> {
  if (request.tenant.clientMetadataDocuments === 'off' || !clientId?.includes(':')) return null;
  const mayFetch = (host: string) => mayFetchFrom(request, host, deps);
  const standing = await refreshDocument(request.tenant, clientId, {
    ...deps,
    store: storeOf(request, deps),
    mayFetch,
  });
  if (standing.kind === 'usable') return null;
  noteRefusal(request, {
    event: 'registration_refused',
    rule: 'client_document_refused',
    reason: standing.reason,
  });
  const shown = language();
  return sendProblem(reply, 'request', {
    language: shown,
    reason: shown.t('problem.request.reason.client_unknown'),
    details: [{ label: shown.t('problem.request.sent'), values: [`client_id=${clientId}`] }],
  });
}

/** Counts a fetch: of the sender's address, of the host, and of the tenant. */
async function mayFetchFrom(
  { tenant, address }: FastifyRequest,
  host: string,
  { rateLimiter }: Pick<Deps, 'rateLimiter'>,
): Promise<boolean> {
  const { minute } = countingWindow;
  const { address: ofAddress, host: ofHost, tenant: ofTenant } = documentsPerMinute;
  const of = `document ${tenant.id}`;
  return (
    (await rateLimiter.take(`${of} from ${addressKey(address)}`, ofAddress, minute)) === null &&
    // All tenants together: the host is one.
    (await rateLimiter.take(`document at ${host}`, ofHost, minute)) === null &&
    (await rateLimiter.shared.take(of, ofTenant, minute)) === null
  );
}
