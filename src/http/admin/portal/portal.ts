// The portal: a page for every operation of the table.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bodyBytes } from '../../../core/limits.ts';
import type { Operation } from '../../../operations/admin/operation.ts';
import { withoutSlash } from '../../address.ts';
import { noStore } from '../../answers.ts';
import type { Deps } from '../../deps.ts';
import { addressFacts, partRoute, portalUrl, routesOf, takesForm } from './addresses.ts';
import { createCounts } from './counts.ts';
import { showForm, submitForm } from './form/form.ts';
import { partsOfForm } from './form/groups.ts';
import { submitBulk } from './list/bulk.ts';
import { sendFile } from './list/file.ts';
import { showList } from './list/list.ts';
import { portalScripts } from './look.ts';
import { overviewOf } from './menu.ts';
import { parseMultipart } from './multipart.ts';
import { portalErrorHandler, sendPortalProblem } from './page.ts';
import { showClient } from './pages/client.ts';
import { showDetail } from './pages/detail.ts';
import { showImport } from './pages/import.ts';
import { showMember } from './pages/member/page.ts';
import { showTimeline } from './pages/member/timeline.ts';
import { showFigures } from './pages/overview/figures.ts';
import { showOverview } from './pages/overview/overview.ts';
import { showSearch } from './pages/search.ts';
import { showWhy } from './pages/why.ts';
import { lookName, previewPath } from './preview/look-form.ts';
import { showPreview, submitPreview } from './preview/preview.ts';
import { signInPages } from './sign-in/sign-in-page.ts';
import { uploadName, uploadPage } from './upload/upload.ts';
import { type Answer, portalPage } from './visit.ts';
import type { Portal, Visit } from './visitor.ts';

/** The pages that are more than their operation. */
const handMade: Readonly<Record<string, Answer>> = {
  'clients.read': showClient,
  'figures.read': showFigures,
  'imports.read': showImport,
  'overview.read': showOverview,
  'members.read': showMember,
  'members.timeline': showTimeline,
  'refusals.why': showWhy,
  'search.find': showSearch,
  'tenants.read': showOverview,
};

/** A form is written longer than the JSON that it stands for. */
const formLength = 3;

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
  const all: Portal = { deps, operations, knownCounts: createCounts() };
  // Pages that take no files refuse these before they are read.
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: bodyBytes },
    async ({ headers }: FastifyRequest, body: Buffer) => parseMultipart(body, headers['content-type'] ?? ''),
  );
  for (const script of portalScripts) script.serve(app);
  signInPages(app, all);
  portalPage(app, all, {
    url: portalUrl,
    show: ({ request, reply }) => reply.redirect(overviewOf(request.tenant.host), 303),
  });
  for (const operation of operations) {
    if (operation.name === uploadName) uploadPage(app, all, operation);
    else operationPages(app, all, operation);
  }
  portalPage(app, all, {
    url: `${portalUrl}/*`,
    show: (visit) => sendPortalProblem(visit.reply, 'notFound', visit),
  });
}

function operationPages(app: FastifyInstance, all: Portal, operation: Operation): void {
  const at = (answer: Answer, part?: string) => (visit: Visit) =>
    answer({ ...visit, operation, known: addressFacts(visit, operation), part });
  const form = {
    bodyBytes: operation.bodyBytes && operation.bodyBytes * formLength,
    takesFiles: takesPictures(operation),
  };
  for (const url of routesOf(operation)) {
    if (!takesForm(operation)) {
      const submit = operation.portal?.list?.bulk === undefined ? undefined : at(submitBulk);
      portalPage(app, all, { url, show: at(showOf(operation)), ...(submit && { submit }) });
    } else portalPage(app, all, { ...form, url, show: at(showForm), submit: at(submitForm) });
  }
  for (const { name } of partsOfForm(operation)) {
    const url = partRoute(operation, name);
    portalPage(app, all, { ...form, url, show: at(showForm, name), submit: at(submitForm, name) });
    if (`${operation.name}/${name}` === lookName) {
      const page = { show: at(showPreview, name), submit: at(submitPreview, name) };
      portalPage(app, all, { ...form, ...page, url: url + previewPath });
    }
  }
}

const takesPictures = ({ input }: Operation) =>
  Object.values(input.properties).some(({ format }) => format === 'picture');

function showOf({ name, mediaType, portal: face }: Operation): Answer {
  if (mediaType !== undefined) return sendFile;
  return handMade[name] ?? (face?.list === undefined ? showDetail : showList);
}
