import type { FastifyReply } from 'fastify';
import { chooseLanguage } from '../../../language.ts';
import { sendProblem } from '../../problem.ts';
import type { RefusedRequest } from './order.ts';

/** No more of an address than this is shown: it is there to be recognised, and may be anything. */
const shownLength = 300;

/**
 * The page of a checkout that does not open: it says what was sent, as text, and leads nowhere (K2). On a
 * development tenant it says what would be allowed.
 */
export function sendRefusedRequest(reply: FastifyReply, refused: RefusedRequest): Promise<FastifyReply> {
  const { tenant, headers } = reply.request;
  const language = chooseLanguage([], headers['accept-language']);
  const { reason } = refused;
  const parameter = 'parameter' in refused ? refused.parameter : '';
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
