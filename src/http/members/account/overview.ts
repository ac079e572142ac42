// The first page of the account area: what the member has, where it is used, and how it is kept safe.
import {
  type MemberSubscription,
  type SubscriptionState,
  standingOf,
} from '../../../core/access/subscription.ts';
import { noticeLifetime, overviewListLength } from '../../../core/members/limits.ts';
import type { Session } from '../../../core/session.ts';
import { walkedPage } from '../../../operations/page.ts';
import { browserName, noticeUrl, seenAt } from '../../../operations/session/notice.ts';
import { livingSessions } from '../../../operations/session/session.ts';
import { livingSignIns } from '../../../operations/sign-in/sign-in.ts';
import { listUnpaidInvoices } from '../../../storage/access/invoice.ts';
import { withSeats } from '../../../storage/access/seat-group.ts';
import { listNewestSubscriptions } from '../../../storage/access/subscription.ts';
import type { Tx } from '../../../storage/store.ts';
import { isFromReader } from '../../cookies.ts';
import type { Answer } from '../../pages/guarded-page.ts';
import { agoOf, beginning } from '../times.ts';
import { deviceRow } from './devices.ts';
import { type AccountPage, sendAccountPage, type Visit } from './page.ts';
import { passkeysInShort } from './passkeys/list.ts';
import { passwordWords } from './password.ts';
import { offersShown, seatsShown } from './seats/offers.ts';
import { offersPlans, planOf } from './subscriptions/plan.ts';
import { invoiceRow } from './subscriptions/subscriptions.ts';
import { twoStepRow } from './two-step/two-step.ts';

/** GET /account: the plan with its next date first, then the TVs and what keeps the account safe (pages 17 to 19). */
export const overviewPage: AccountPage = { url: '/account', show };

/** The subscriptions that are shown: those that run, then those that will, when their day or the payment comes. */
const shown: readonly SubscriptionState[] = ['active', 'cancelled', 'pending'];

async function show(tx: Tx, visit: Visit): Promise<Answer> {
  const { member, session, deps } = visit;
  const now = deps.clock();
  const isSelling = await offersPlans(tx, visit);
  const subscriptions = await walkedPage(
    { limit: overviewListLength },
    ({ subscriptionId }: MemberSubscription) => subscriptionId,
    (from) => listNewestSubscriptions(tx, member.id, from),
    async (subscription) => (shown.includes(standingOf(subscription, now)) ? subscription : null),
  );
  // A sum that is owed is a price, too: a member who comes from an app that may not sell finds it with the subscriptions.
  const invoices = isFromReader(visit.request)
    ? []
    : await listUnpaidInvoices(tx, member.id, overviewListLength);
  const grouped = await withSeats(
    tx,
    member.tenantId,
    subscriptions.page.map(({ subscriptionId }) => subscriptionId),
  );
  const plans = subscriptions.page.map((one) => planOf(visit, one, isSelling, grouped));
  const seats = { offers: await offersShown(tx, visit), seats: await seatsShown(tx, visit) };
  const devices = await livingSignIns(tx, member, { limit: overviewListLength }, now);
  const browsers = await livingSessions(tx, member, { limit: 1 }, now, session);
  const password = await passwordWords(tx, visit);
  const twoStep = await twoStepRow(tx, visit);
  const passkeys = await passkeysInShort(tx, visit);
  const [other = null] = browsers.page;
  return () =>
    sendAccountPage(visit, {
      template: 'overview',
      title: 'account.title',
      data: {
        greeted: member.nickName || member.fullName,
        plans: plans.toSorted((a, b) => shown.indexOf(a.standing) - shown.indexOf(b.standing) || a.id - b.id),
        hasMorePlans: subscriptions.next !== null,
        isSelling,
        ...seats,
        invoices: invoices.map((invoice) => invoiceRow(visit, invoice)),
        devices: devices.page.map((found) => deviceRow(visit, found, now)),
        hasMoreDevices: devices.next !== null,
        hasTvs: visit.request.tenant.deviceFlow,
        password,
        twoStep,
        ...passkeys,
        lastSignIn: lastSignInOf(visit, other ?? session, now),
      },
    });
}

/** The newest sign-in of another browser, or this one's: when, in which, where, and the way to say that it was not me. */
function lastSignInOf(visit: Visit, { id, userAgent, ipAddress, authenticatedAt }: Session, now: number) {
  const { request, member, session, language } = visit;
  const { place } = seenAt(visit, ipAddress);
  const isOwn = id === session.id;
  const isTakenBack = !isOwn && now < authenticatedAt + noticeLifetime;
  const notice = { memberId: member.id, at: authenticatedAt, what: { sessionId: id } };
  return {
    about: [
      beginning(agoOf(authenticatedAt, now, language), language.tag),
      isOwn ? language.t('account.sessions.own') : browserName(userAgent, language),
      place,
    ].filter((part) => part !== null),
    notMe: isTakenBack ? new URL(noticeUrl(request.tenant, notice)).pathname : null,
  };
}
