import type { FastifyInstance } from 'fastify';
import { isActive, type MemberSubscription } from '../../../core/access/subscription.ts';
import { accountListLength } from '../../../core/members/limits.ts';
import { walkedPage } from '../../../operations/page.ts';
import { listSomeConsents } from '../../../storage/access/consent.ts';
import { listNewestSubscriptions } from '../../../storage/access/subscription.ts';
import type { Deps } from '../../deps.ts';
import { sealConfirmation } from '../../oidc/logout.ts';
import { accountPage, sendAccountPage, type Visit } from './page.ts';
import { dayOf } from './times.ts';

/** GET /account: who is signed in here, what they have, and the way to everything else (pages 17, 18). */
export function overviewPage(app: FastifyInstance, deps: Deps): void {
  accountPage(app, deps, '/account', { show });
}

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

async function show(visit: Visit) {
  const { reply, member, language, deps } = visit;
  const now = deps.clock();
  const { subscriptions, consents } = await deps.store.transaction(async (tx) => ({
    subscriptions: await walkedPage<MemberSubscription, MemberSubscription, number>(
      { limit: accountListLength },
      ({ subscriptionId }) => subscriptionId,
      (from) => listNewestSubscriptions(tx, member.id, from),
      async (subscription) => (isActive(subscription, now) ? subscription : null),
    ),
    consents: await listSomeConsents(tx, member.tenantId, { limit: 1 }),
  }));
  return sendAccountPage(visit, {
    template: 'overview',
    title: 'account.title',
    data: {
      member,
      deletionDay: member.deletionDueAt === null ? null : dayOf(member.deletionDueAt, language.tag),
      subscriptions: subscriptions.page
        .toSorted((a, b) => a.subscriptionId - b.subscriptionId)
        .map(({ packageName, expiresAt }) => ({
          name: packageName,
          until: language.t('account.subscriptions.until', { date: dayOf(expiresAt ?? now, language.tag) }),
        })),
      pages: pages.filter((page) => page !== 'consents' || consents.length > 0),
      confirm: sealConfirmation(reply, deps),
    },
  });
}
