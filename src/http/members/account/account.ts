// Registers the pages of the account area.
import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.ts';
import { consentsPage } from './access/consents.ts';
import { subscriptionsPage } from './access/subscriptions.ts';
import { dataPage } from './data.ts';
import { deletePage, keepPage } from './delete.ts';
import { detailsPage } from './details.ts';
import { devicesPage } from './devices.ts';
import { emailPages } from './email.ts';
import { notMePage } from './not-me.ts';
import { overviewPage } from './overview.ts';
import { accountPage } from './page.ts';
import { passwordPage, passwordWellKnown } from './password.ts';
import { sessionsPage } from './sessions.ts';

const pages = [
  overviewPage,
  subscriptionsPage,
  devicesPage,
  sessionsPage,
  detailsPage,
  consentsPage,
  ...emailPages,
  passwordPage,
  dataPage,
  deletePage,
  keepPage,
];

/** The account area, page by page (pages 17, 18). */
export function accountPages(app: FastifyInstance, deps: Deps): void {
  // Who types the bare domain wants in.
  app.get('/', (_request, reply) => reply.redirect('/account', 303));
  for (const page of pages) accountPage(app, deps, page);
  passwordWellKnown(app);
  notMePage(app, deps);
}
