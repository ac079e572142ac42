// The account page of subscriptions.
import type { Invoice } from '../../../../core/access/invoice.ts';
import {
  isActive,
  type MemberSubscription,
  type SubscriptionState,
  standingOf,
} from '../../../../core/access/subscription.ts';
import { accountListLength } from '../../../../core/members/limits.ts';
import { invoiceUrl } from '../../../../operations/access/invoice.ts';
import { showPrice } from '../../../../operations/access/price.ts';
import { changeSubscription } from '../../../../operations/access/subscription.ts';
import { listUnpaidInvoices } from '../../../../storage/access/invoice.ts';
import { withSeats } from '../../../../storage/access/seat-group.ts';
import { findSubscription, listNewestSubscriptions } from '../../../../storage/access/subscription.ts';
import type { Tx } from '../../../../storage/store.ts';
import { memoized } from '../../../../text/memoized.ts';
import { pageForm } from '../../../form.ts';
import type { Answer } from '../../../pages/guarded-page.ts';
import { sendProblem } from '../../../pages/problem.ts';
import { dayOf } from '../../times.ts';
import { type AccountPage, beforeIn, listLinks, redirectDone, sendAccountPage, type Visit } from '../page.ts';
import { offersShown, seatsShown } from '../seats/offers.ts';
import { offersPlans, planOf } from './plan.ts';

const url = '/account/subscriptions';

const lists = memoized((language) => new Intl.ListFormat(language));

/**
 * GET and POST /account/subscriptions: every subscription, what is owed, and the buttons that cancel one or
 * keep it after all (pages 18).
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
  const isSelling = await offersPlans(tx, visit);
  const invoices = await listUnpaidInvoices(tx, member.id, accountListLength);
  const seats = { offers: await offersShown(tx, visit), seats: await seatsShown(tx, visit) };
  const subscriptions = read.slice(0, accountListLength);
  const ids = subscriptions.map(({ subscriptionId }) => subscriptionId);
  const grouped = await withSeats(tx, member.tenantId, ids);
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
            ...planOf(visit, subscription, isSelling, grouped),
            products: lists(language.tag).format(subscription.products.map(({ name }) => name)),
            action: states[standing].action,
            cancelling: cancellingText(visit, subscription, now),
          })),
        isSelling,
        ...seats,
        links: listLinks(visit, url, next),
        invoices: invoices.map((invoice) => invoiceRow(visit, invoice)),
      },
    });
}

/** What a member owes, in one line. */
export function invoiceRow({ language, deps }: Visit, { number, price, dueAt }: Invoice) {
  const { t, tag } = language;
  return {
    url: invoiceUrl({ number }),
    id: `invoice-${number}`,
    number: t('account.invoices.number', { number }),
    amount: showPrice(price, tag),
    due: t(`account.invoices.${deps.clock() < dueAt ? 'due' : 'overdue'}`, { date: dayOf(dueAt, language) }),
  };
}

/** What cancelling does, said before it is done: one that has not begun has no period to wait for. */
function cancellingText({ language }: Visit, subscription: MemberSubscription, now: number) {
  const { t } = language;
  return isActive(subscription, now)
    ? t('account.subscriptions.cancel.active', { date: dayOf(subscription.expiresAt ?? now, language) })
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
  if (isChanged !== true) return () => reply.redirect(url, 303);
  if (action === 'resume') return () => redirectDone(visit, url, 'resumed');
  const left = await findSubscription(tx, member.tenantId, Number(id));
  const canResume = left !== null && states[standingOf(left, deps.clock())].action === 'resume';
  const undo = { subscription: id, action: 'resume' };
  return () => redirectDone(visit, url, 'cancelled', canResume ? { undo } : null);
}
