// What the page of a problem says besides, to the developer at the machine: by which rule, and how to mend it.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Mend, mendOf } from '../../../core/refusals/mend.ts';
import { citedIn } from '../../../core/refusals/section.ts';
import { reasonOf } from '../../../core/refusals/why.ts';
import { told } from '../../../core/rehearsal/masking.ts';
import type { RefusalFacts } from '../../audit.ts';
import { sentForm } from '../../form.ts';
import type { PageReason } from '../../pages/problem.ts';
import { standingOf } from '../guard.ts';
import { whyUrl } from './deeds.ts';

/** Lets the pages of problems ask for it, of requests that come from those who may use the room. */
export function explainProblems(app: FastifyInstance): void {
  app.decorateRequest('explain');
  app.addHook('onRequest', (request, _reply, done) => {
    if (standingOf(request) === 'ours') request.explain = (refused) => explained(request, refused);
    done();
  });
}

function explained(request: FastifyRequest, refused: RefusalFacts): PageReason | null {
  const { event, rule = null } = refused;
  const reason = reasonOf({ event, rule });
  if (reason === null) return null;
  const url = whyUrl(request.id);
  return {
    rule: reason.rule,
    mend: reason.mend,
    sections: citedIn(reason.section),
    offered: offeredTo(request, refused),
    url,
    mendUrl: `${url}/mend`,
  };
}

/** As far as the request itself says: the click asks again, by what the wire log has of it. */
function offeredTo(request: FastifyRequest, { rule, clientId = null }: RefusalFacts): Mend | null {
  if (rule === undefined || clientId === null) return null;
  const sent = [...(sentForm(request) ?? [])].map(([name, values]) => [
    name,
    values.length === 1 ? told(values[0] ?? '') : values.map(told),
  ]);
  const of = { parameters: Object.fromEntries(sent), headers: {} };
  const known = { at: 0, method: '', path: '', clientId, status: 0, isReadable: null, refusal: null };
  const client = { clientId, deviceFlow: false };
  return mendOf({ rule, sent: { ...known, ...of }, client, isDevelopment: request.tenant.development });
}
