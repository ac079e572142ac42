// The account page of subscriptions.
import {
  isActive,
  type MemberSubscription,
  type SubscriptionState,
  standingOf,
} from '../../../core/access/subscription.ts';
import { accountListLength } from '../../../core/members/limits.ts';
import { changeSubscription } from '../../../operations/access/subscription.ts';
import { listUnpaidInvoices } from '../../../storage/access/invoice.ts';
import { findSubscription, listNewestSubscriptions } from '../../../storage/access/subscription.ts';
import type { Tx } from '../../../storage/store.ts';
import { memoized } from '../../../text/memoized.ts';
import { pageForm } from '../../form.ts';
import type { Answer } from '../../pages/guarded-page.ts';
import { sendProblem } from '../../pages/problem.ts';
import { showPrice } from '../checkout/description.ts';
import { dayOf } from '../times.ts';
import { type AccountPage, beforeIn, listLinks, redirectDone, sendAccountPage, type Visit } from './page.ts';

const url = '/account/subscriptions';

const lists = memoized((language) => new Intl.ListFormat(language));

/**
 * GET and POST /account/subscriptions: every subscription, what is owed, and the buttons that cancel one or
 * keep it after all (pages 18). Nothing here leads to what else could be bought: a store may forbid it (pages 12).
 */
export const subscriptionsPage: AccountPage = { url, show, submit };

/** What a member may do to a subscription in each state; running ones come first, those that are over last. */
const states = {
  active: { rank: 0, action: 'cancel' },
  cancelled: { rank: 0, action: 'resume' },
  pending: { rank: 1, action: 'cancel' },
  expired: { rank: 2, action: null },
  ended: { rank: 2, action: null },
} as const satisfies Readonly<Record<SubscriptionState, unknown>>;

async function show(tx: Tx, visit: Visit): Promise<Answer> {
  const { member, language, deps } = visit;
  const now = deps.clock();
  const before = Number(beforeIn(visit) ?? Number.NaN);
  const read = await listNewestSubscriptions(tx, member.id, {
    limit: accountListLength + 1,
    ...(Number.isSafeInteger(before) ? { before } : {}),
  });
  const invoices = await listUnpaidInvoices(tx, member.id, accountListLength);
  const subscriptions = read.slice(0, accountListLength);
  const next = read.length > accountListLength ? (subscriptions.at(-1)?.subscriptionId ?? null) : null;
  return () =>
    sendAccountPage(visit, {
      template: 'subscriptions',
      title: 'account.subscriptions.title',
      data: {
        // Those of one rank stay in the order of the list: the newest first.
        subscriptions: subscriptions
          .map((subscription) => ({ subscription, standing: standingOf(subscription, now) }))
          .toSorted((a, b) => states[a.standing].rank - states[b.standing].rank)
          .map(({ subscription, standing }) => ({
            id: subscription.subscriptionId,
            name: subscription.packageName,
            standing: standingText(visit, subscription, standing, now),
            facts: factsOf(visit, subscription),
            action: states[standing].action,
            cancelling: cancellingText(visit, subscription, now),
          })),
        links: listLinks(visit, url, next),
        invoices: invoices.map(({ number, price, dueAt }) => ({
          number: language.t('account.invoices.number', { number }),
          amount: showPrice(price, language.tag),
          due: language.t(`account.invoices.${now < dueAt ? 'due' : 'overdue'}`, {
            date: dayOf(dueAt, language.tag),
          }),
        })),
      },
    });
}

/** What it includes. Not what it costs or how long a period is: a store may forbid that too (pages 12). */
function factsOf({ language: { t, tag } }: Visit, { products }: MemberSubscription) {
  const names = products.map(({ name }) => name);
  if (names.length === 0) return [];
  return [{ label: t('account.subscriptions.products'), value: lists(tag).format(names) }];
}

/** What a subscription does now, in words. */
export function standingText(
  { language: { t, tag } }: Visit,
  { activatedAt, expiresAt, endedAt }: MemberSubscription,
  standing: SubscriptionState,
  now: number,
): string {
  const text = (name: string, time: number | null) =>
    t(`account.subscriptions.standing.${name}`, { date: dayOf(time ?? now, tag) });
  switch (standing) {
    case 'pending':
      return activatedAt === null
        ? t('account.subscriptions.standing.waiting')
        : text('beginning', activatedAt);
    case 'active':
    case 'cancelled':
      return text(standing, expiresAt);
    case 'expired':
      return text('ended', expiresAt);
    case 'ended':
      return text('ended', endedAt);
  }
}

/** What cancelling does, said before it is done: one that has not begun has no period to wait for. */
function cancellingText({ language: { t, tag } }: Visit, subscription: MemberSubscription, now: number) {
  return isActive(subscription, now)
    ? t('account.subscriptions.cancel.active', { date: dayOf(subscription.expiresAt ?? now, tag) })
    : t('account.subscriptions.cancel.pending');
}

async function submit(tx: Tx, visit: Visit): Promise<Answer> {
  const { request, reply, member, language, deps } = visit;
  const { subscription: id = '', action } = pageForm(request, ['subscription', 'action']);
  const isAction = action === 'cancel' || action === 'resume';
  const found = /^\d{1,15}$/.test(id) ? await findSubscription(tx, member.tenantId, Number(id)) : null;
  if (!isAction || found?.memberId !== member.id) return () => sendProblem(reply, 'notFound', { language });
  const isChanged = await changeSubscription(tx, member.tenantId, Number(id), action, deps.clock());
  // It ended while the page was open: the page says so itself, and has no button for it any more.
  const done = action === 'cancel' ? 'cancelled' : 'resumed';
  return () => (isChanged ? redirectDone(visit, url, done) : reply.redirect(url, 303));
}
