// The first page of the account area.
import {
  type MemberSubscription,
  type SubscriptionState,
  standingOf,
} from '../../../core/access/subscription.ts';
import { accountListLength } from '../../../core/members/limits.ts';
import { walkedPage } from '../../../operations/page.ts';
import { listSomeConsents } from '../../../storage/access/consent.ts';
import { listNewestSubscriptions } from '../../../storage/access/subscription.ts';
import type { Tx } from '../../../storage/store.ts';
import { sealConfirmation } from '../../oidc/logout.ts';
import type { Answer } from '../../pages/guarded-page.ts';
import { standingText } from './access/subscriptions.ts';
import { type AccountPage, sendAccountPage, type Visit } from './page.ts';
import { dayOf } from './times.ts';

/** GET /account: who is signed in here, what they have, and the way to everything else (pages 17, 18). */
export const overviewPage: AccountPage = { url: '/account', show };

/** The pages of the menu, in its order; consents are there for a tenant that asks for some. */
const pages = [
  'subscriptions',
  'devices',
  'sessions',
  'details',
  'consents',
  'email',
  'password',
  'data',
  'delete',
] as const;

/** The subscriptions that are shown: those that run, then those that will, when their day or the payment comes. */
const shown: readonly SubscriptionState[] = ['active', 'cancelled', 'pending'];

async function show(tx: Tx, visit: Visit): Promise<Answer> {
  const { reply, member, language, deps } = visit;
  const now = deps.clock();
  const subscriptions = await walkedPage<MemberSubscription, MemberSubscription, number>(
    { limit: accountListLength },
    ({ subscriptionId }) => subscriptionId,
    (from) => listNewestSubscriptions(tx, member.id, from),
    async (subscription) => (shown.includes(standingOf(subscription, now)) ? subscription : null),
  );
  const consents = await listSomeConsents(tx, member.tenantId, { limit: 1 });
  return () =>
    sendAccountPage(visit, {
      template: 'overview',
      title: 'account.title',
      data: {
        member,
        deletionDay: member.deletionDueAt === null ? null : dayOf(member.deletionDueAt, language.tag),
        subscriptions: subscriptions.page
          .map((subscription) => ({ subscription, standing: standingOf(subscription, now) }))
          .toSorted(
            (a, b) =>
              shown.indexOf(a.standing) - shown.indexOf(b.standing) ||
              a.subscription.subscriptionId - b.subscription.subscriptionId,
          )
          .map(({ subscription, standing }) => ({
            name: subscription.packageName,
            standing: standingText(visit, subscription, standing, now),
          })),
        pages: pages.filter((page) => page !== 'consents' || consents.length > 0),
        confirm: sealConfirmation(reply, deps),
      },
    });
}
