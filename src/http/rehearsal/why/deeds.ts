// Says why a request was refused, to programs and on a page, and mends it with one click where that is safe.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Mend, mendKinds } from '../../../core/refusals/mend.ts';
import type { WhyAnswer } from '../../../operations/admin/refusals.ts';
import { oneOf, someOf, text } from '../../../operations/json-schema.ts';
import { chooseLanguage } from '../../../text/language.ts';
import type { Deps } from '../../deps.ts';
import { sendPage } from '../../pages/pages.ts';
import { type Deed, DeedRefused, deed, roomUrl } from '../deeds.ts';
import { askWhy, doMend } from './ask.ts';

/** Where it is said of a reference. */
export const whyUrl = (reference: string) => `${roomUrl}/why/${reference}`;

const reference = {
  ...text('What the header Request-Id of the answer, or the page, showed', 'k7p293qd'),
  maxLength: 40,
};

/** GET /rehearsal/why/:reference, a page for browsers; POST /rehearsal/why/:reference/mend. */
export function whyDeeds(deps: Deps): readonly Deed[] {
  const about = (request: FastifyRequest, given: string) => ({
    tenant: request.tenant.host,
    reference: given,
    address: request.address,
  });
  return [
    deed({
      method: 'GET',
      path: '/why/:reference',
      fields: someOf('Which request', {
        reference,
        mended: oneOf('MendKind', 'What was mended just now', mendKinds),
      }),
      async run({ reference: given = '', mended }, request, reply) {
        const asked = await askWhy(about(request, given), deps).catch((error: unknown) => {
          if (!(error instanceof DeedRefused) || !wantsPage(request)) throw error;
          return { ...unknown, reference: given };
        });
        return wantsPage(request) ? sendWhy(reply, asked, mended ?? null) : asked;
      },
    }),
    deed({
      method: 'POST',
      path: '/why/:reference/mend',
      fields: {
        ...someOf('What is mended', { reference, mend: oneOf('MendKind', 'What is offered', mendKinds) }),
        required: ['mend'],
      },
      async run({ reference: given = '', mend = 'redirect_uri' }, request, reply) {
        const mended: Mend = await doMend(about(request, given), mend, deps);
        // A form is led to the page, which says what was done.
        if (request.body instanceof Map) return reply.redirect(`${whyUrl(given)}?mended=${mend}`, 303);
        return { mended };
      },
    }),
  ];
}

const unknown = { clientId: null, clientName: null, reasons: [], sent: null };

const wantsPage = ({ headers }: FastifyRequest) => /\btext\/html\b/.test(headers.accept ?? '');

/** Developers read the documents in English, and so what says where in them to look. */
function sendWhy(
  reply: FastifyReply,
  asked: Omit<WhyAnswer, 'events'>,
  mended: string | null,
): Promise<FastifyReply> {
  return sendPage(reply, {
    template: 'rehearsal/why.eta',
    language: chooseLanguage(['en'], undefined),
    title: 'rehearsal.why.title',
    titleValues: { reference: asked.reference },
    status: asked.sent === null && asked.reasons.length === 0 ? 404 : 200,
    data: { asked, mended, mendUrl: `${whyUrl(encodeURIComponent(asked.reference))}/mend` },
  });
}
