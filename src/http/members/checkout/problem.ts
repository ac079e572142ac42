// The page of a checkout that does not open.
import type { FastifyReply } from 'fastify';
import { auditTextLength } from '../../../core/limits.ts';
import { noteRefusal } from '../../audit.ts';
import { requestLanguage } from '../../pages/pages.ts';
import { sendProblem } from '../../pages/problem.ts';
import type { RefusedRequest } from './order.ts';

/** No more of an address than this is shown: it is there to be recognised, and may be anything. */
const shownLength = 300;

/**
 * The page of a checkout that does not open: it says what was sent, as text, and leads nowhere (K2). On a
 * development tenant it says what would be allowed.
 */
export function sendRefusedRequest(reply: FastifyReply, refused: RefusedRequest): Promise<FastifyReply> {
  const { tenant } = reply.request;
  const language = requestLanguage(reply.request, []);
  const { reason } = refused;
  const parameter = 'parameter' in refused ? refused.parameter : '';
  if (refused.reason === 'address') {
    const words = `${refused.parameter} leads to ${originOf(refused.sent)}, which is not allowed`;
    noteRefusal(reply.request, { event: 'return_address_refused', reason: words });
  }
  const sent = { label: language.t('problem.request.sent'), values: [shortened(refused)] };
  const allowed = {
    label: language.t('problem.checkout.allowed'),
    values: tenant.returnOrigins.length > 0 ? tenant.returnOrigins : ['–'],
  };
  return sendProblem(reply, 'checkout', {
    language,
    reason: language.t(`problem.checkout.reason.${reason}`, { parameter }),
    details: reason === 'address' ? [sent, ...(tenant.development ? [allowed] : [])] : [],
  });
}

function shortened(refused: RefusedRequest): string {
  const sent = refused.reason === 'address' ? refused.sent.toWellFormed() : '';
  return sent.length > shownLength ? `${sent.slice(0, shownLength)}…` : sent;
}

/** Without its path and query, which can hold anything; clipped, since a stranger wrote it. */
function originOf(sent: string): string {
  const origin = URL.canParse(sent) ? new URL(sent).origin : 'null';
  return origin === 'null' ? 'no web address' : origin.slice(0, auditTextLength);
}
