import type { FastifyInstance } from 'fastify';
import type { Operation } from '../../../operations/admin/operation.ts';
import { withoutSlash } from '../../address.ts';
import { noStore } from '../../answers.ts';
import type { Deps } from '../../deps.ts';
import { portalUrl, routeOf, takesForm } from './addresses.ts';
import { createUsedForms, formPages } from './form/submit.ts';
import { overviewOf } from './menu.ts';
import { portalErrorHandler, portalScript, sendPortalProblem } from './page.ts';
import { showClient } from './pages/client.ts';
import { showDetail } from './pages/detail.ts';
import { sendFile, showList } from './pages/list.ts';
import { showOverview } from './pages/overview.ts';
import { signInPages } from './sign-in-page.ts';
import { type Portal, portalPage, type Visit } from './visit.ts';

/** The pages that are more than their operation. */
const handMade: Readonly<Record<string, typeof showDetail>> = {
  'clients.read': showClient,
  'tenants.read': showOverview,
};

/**
 * The portal: a page for every operation of the table, for administrators, on each tenant's domain
 * (decision 4). Those that read are lists, pages of one thing, and files; the others are forms.
 */
export function portal(app: FastifyInstance, operations: readonly Operation[], deps: Deps): void {
  app.setErrorHandler(portalErrorHandler);
  // Redirects too: whatever an administrator sees is kept nowhere (W2).
  app.addHook('onRequest', async (request, reply) => {
    noStore(reply);
    // The route of all that is left would take such an address for a page that is not there.
    const plain = ['GET', 'HEAD'].includes(request.method) ? withoutSlash(request) : null;
    return plain === null ? undefined : reply.redirect(plain, 303);
  });
  const all: Portal = { deps, operations, usedForms: createUsedForms() };
  portalScript.serve(app);
  signInPages(app, all);
  portalPage(app, all, portalUrl, {
    show: ({ request, reply }) => reply.redirect(overviewOf(request.tenant.host), 303),
  });
  for (const operation of operations) {
    if (takesForm(operation)) formPages(app, all, operation);
    else portalPage(app, all, routeOf(operation), { show: (visit) => pageOf(operation)(visit, operation) });
  }
  portalPage(app, all, `${portalUrl}/*`, {
    show: (visit) => sendPortalProblem(visit.reply, 'notFound', visit),
  });
}

function pageOf(operation: Operation): (visit: Visit, operation: Operation) => ReturnType<typeof showDetail> {
  if (operation.mediaType !== undefined) return sendFile;
  return handMade[operation.name] ?? (operation.portal?.list === undefined ? showDetail : showList);
}
