// The account area: its first page, and the pages that it leads to.
import type { FastifyInstance } from 'fastify';
import {
  type MemberSubscription,
  type SubscriptionState,
  standingOf,
} from '../../../core/access/subscription.ts';
import { accountListLength } from '../../../core/members/limits.ts';
import { walkedPage } from '../../../operations/page.ts';
import { listConsents } from '../../../storage/access/consent.ts';
import { listNewestSubscriptions } from '../../../storage/access/subscription.ts';
import type { Tx } from '../../../storage/store.ts';
import type { Deps } from '../../deps.ts';
import type { Answer } from '../../pages/guarded-page.ts';
import { dayOf } from '../times.ts';
import { consentsPage } from './consents.ts';
import { dataPage, deletePage, keepPage } from './data.ts';
import { detailsPage } from './details.ts';
import { devicesPage } from './devices.ts';
import { emailPages } from './email.ts';
import { noticePage } from './notice.ts';
import { type AccountPage, accountPage, sendAccountPage, type Visit } from './page.ts';
import { passwordPage, passwordWellKnown } from './password.ts';
import { sessionsPage } from './sessions.ts';
import { standingText, subscriptionsPage } from './subscriptions.ts';

/** GET /account: who is signed in here, what they have, and the way to everything else (pages 17, 18). */
const overviewPage: AccountPage = { url: '/account', show };

/** The subscriptions that are shown: those that run, then those that will, when their day or the payment comes. */
const shown: readonly SubscriptionState[] = ['active', 'cancelled', 'pending'];

async function show(tx: Tx, visit: Visit): Promise<Answer> {
  const { member, language, deps } = visit;
  const now = deps.clock();
  const { page: running } = await walkedPage(
    { limit: accountListLength },
    ({ subscriptionId }: MemberSubscription) => subscriptionId,
    (from) => listNewestSubscriptions(tx, member.id, from),
    async (subscription) => {
      const standing = standingOf(subscription, now);
      return shown.includes(standing) ? { ...subscription, standing } : null;
    },
  );
  const consents = await listConsents(tx, member.tenantId, { limit: 1 });
  const subscriptions = running.toSorted(
    (a, b) => shown.indexOf(a.standing) - shown.indexOf(b.standing) || a.subscriptionId - b.subscriptionId,
  );
  return () =>
    sendAccountPage(visit, {
      template: 'overview',
      title: 'account.title',
      data: {
        deletionDay: member.deletionDueAt === null ? null : dayOf(member.deletionDueAt, language.tag),
        subscriptions: subscriptions.map((subscription) => ({
          name: subscription.packageName,
          note: standingText(visit, subscription, subscription.standing, now),
        })),
        asksConsents: consents.length > 0,
      },
    });
}

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
  noticePage(app, deps);
}
