// The account area: every page of it (pages 17, 18).
import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.ts';
import { linkedAccountPages } from '../providers/linked-accounts.ts';
import { consentsPage } from './consents.ts';
import { dataPage, deletePage, keepPage, privacyPage } from './data.ts';
import { detailsPages } from './details.ts';
import { devicesPage } from './devices.ts';
import { emailPages } from './email.ts';
import { noticePage } from './notice.ts';
import { overviewPage } from './overview.ts';
import { accountPage } from './page.ts';
import { passkeysPage } from './passkeys/list.ts';
import { newPasskeyPages } from './passkeys/new.ts';
import { removePasskeyPage } from './passkeys/remove.ts';
import { passwordPage, passwordWellKnown, removePasswordPage } from './password.ts';
import { seatsPage } from './seats/holder.ts';
import { seatOffersPage } from './seats/offers.ts';
import { waysPage } from './seats/ways.ts';
import { sessionsPage } from './sessions.ts';
import { invoicePage } from './subscriptions/invoice.ts';
import { subscriptionsPage } from './subscriptions/subscriptions.ts';
import { twoStepPages } from './two-step/two-step.ts';

const pages = [
  overviewPage,
  subscriptionsPage,
  seatOffersPage,
  seatsPage,
  waysPage,
  invoicePage,
  devicesPage,
  sessionsPage,
  ...detailsPages,
  consentsPage,
  ...emailPages,
  passwordPage,
  ...twoStepPages,
  removePasswordPage,
  passkeysPage,
  ...newPasskeyPages,
  removePasskeyPage,
  ...linkedAccountPages,
  privacyPage,
  dataPage,
  deletePage,
  keepPage,
];

/** The account area, page by page (pages 17, 18). */
export function accountPages(app: FastifyInstance, deps: Deps): void {
  // A visitor who types the bare domain wants to sign in.
  app.get('/', (_request, reply) => reply.redirect('/account', 303));
  for (const page of pages) accountPage(app, deps, page);
  passwordWellKnown(app);
  noticePage(app, deps);
}
