import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.ts';
import { consentsPage } from './access/consents.ts';
import { subscriptionsPage } from './access/subscriptions.ts';
import { dataPage } from './data.ts';
import { deletePages } from './delete.ts';
import { detailsPage } from './details.ts';
import { devicesPage } from './devices.ts';
import { emailPages } from './email.ts';
import { notMePage } from './not-me.ts';
import { overviewPage } from './overview.ts';
import { passwordPages } from './password.ts';
import { sessionsPage } from './sessions.ts';

/** The account area, page by page (pages 17, 18). */
export function accountPages(app: FastifyInstance, deps: Deps): void {
  // Who types the bare domain wants in.
  app.get('/', (_request, reply) => reply.redirect('/account', 303));
  overviewPage(app, deps);
  subscriptionsPage(app, deps);
  devicesPage(app, deps);
  sessionsPage(app, deps);
  detailsPage(app, deps);
  consentsPage(app, deps);
  emailPages(app, deps);
  passwordPages(app, deps);
  dataPage(app, deps);
  deletePages(app, deps);
  notMePage(app, deps);
}
