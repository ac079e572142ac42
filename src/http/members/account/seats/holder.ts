// The account page on which the holder of a subscription gives its seats, and takes them back.
import { seatInvitations, seatsShown } from '../../../../core/access/limits.ts';
import { hasFreeSeat, type Seat, seatStanding } from '../../../../core/access/seats/seat.ts';
import {
  inviteAddresses,
  type MailRefusal,
  type RefusedLine,
  readAddresses,
  takeInvitation,
} from '../../../../operations/access/seat-invitations.ts';
import {
  giveSeatBack,
  type OpenedGroup,
  removeSeat,
  seatOf,
  sendInvitationAgain,
} from '../../../../operations/access/seats.ts';
import { listSeats, type NamedSeat } from '../../../../storage/access/seat.ts';
import type { Tx } from '../../../../storage/store.ts';
import { pageForm, pageQuery } from '../../../form.ts';
import { countedMember, noteLimit } from '../../../limit-reached.ts';
import type { Answer } from '../../../pages/guarded-page.ts';
import type { FieldProblem } from '../../../pages/pages.ts';
import { dayOf } from '../../times.ts';
import { type AccountPage, beforeIn, listLinks, redirectDone, sendAccountPage, type Visit } from '../page.ts';
import { notFound, openedAt, seatsUrl, waysUrl } from './group.ts';
import { waysInShort } from './ways.ts';

/** GET and POST /account/seats/:subscription: who has a seat of the member's own subscription, and who gets one (pages 18; GA1). */
export const seatsPage: AccountPage = { url: '/account/seats/:subscription', show: open, submit };

/** Which mails were not sent, since they were too many. */
interface Limited {
  readonly refusals: readonly MailRefusal[];
}

/** What was sent, where the page is shown again. */
interface Tried extends Limited {
  readonly emails: string;
  readonly problems: readonly FieldProblem[];
  /** How many of the addresses were invited all the same. */
  readonly sent: number;
}

/** So many lines that were not invited are told apart at once: a page of them stays light. */
const problemsShown = 5;

/** The longest text that seats are searched by: an address. */
const searchLength = 254;

const untried: Tried = { emails: '', problems: [], sent: 0, refusals: [] };

async function open(tx: Tx, visit: Visit): Promise<Answer> {
  const opened = await openedAt(tx, visit);
  return opened === null ? notFound(visit) : show(tx, visit, opened, untried);
}

async function show(tx: Tx, visit: Visit, opened: OpenedGroup, tried: Tried): Promise<Answer> {
  const { language } = visit;
  const { group, subscription, count, isActive } = opened;
  const url = seatsUrl(group);
  const list = tried.emails === '' ? await listed(tx, visit, opened) : null;
  const noneFree = hasFreeSeat(group, count) ? null : 'account.seats.noneFree';
  const closed = isActive ? noneFree : 'account.seats.paused';
  const { sent, refusals, ...form } = tried;
  const [first] = form.problems;
  const notice = { text: language.t('account.done.seatsInvited', { name: `${sent}` }), undo: null };
  return () => {
    const isLimited = noteMails(visit, refusals);
    return sendAccountPage(visit, {
      template: 'seats/holder',
      title: 'account.seats.title',
      // All that is wrong with the addresses stands beside their field, and its first in the summary, which leads there.
      problems: first === undefined ? [] : [first],
      ...(isLimited ? { status: 429 } : {}),
      data: {
        plan: { id: group.subscriptionId, name: subscription.packageName, about: usedOf(visit, opened) },
        url,
        list,
        links: list?.links ?? { here: url, newest: null, older: null },
        emails: form.emails,
        wrong: form.problems.filter(({ field }) => field === 'emails'),
        most: seatInvitations.atOnce,
        // Lines that were not invited stay, even where no seat is left for them.
        closed: form.emails === '' ? closed : null,
        ways: { href: waysUrl(group), about: waysInShort(visit, opened) },
        ...(sent === 0 ? {} : { notice: { ...notice, undoText: 'undo', here: url } }),
      },
    });
  };
}

/** A page of the seats, and what finds one of many; none beside lines that were not invited, to which the page belongs. */
async function listed(tx: Tx, visit: Visit, { group, count }: OpenedGroup) {
  const url = seatsUrl(group);
  const { search: asked = '' } = pageQuery(visit.request, ['search']);
  const search = asked.trim().slice(0, searchLength);
  const narrowed = search === '' ? url : `${url}?search=${encodeURIComponent(search)}`;
  const page = { after: beforeIn(visit), isDescending: true, limit: seatsShown + 1 };
  const read = await listSeats(tx, group.subscriptionId, {
    ...page,
    search: search === '' ? undefined : search,
  });
  const seats = read.slice(0, seatsShown);
  const next = read.length > seatsShown ? (seats.at(-1)?.id ?? null) : null;
  return {
    search,
    canSearch: search !== '' || count.taken + count.invited > seatsShown,
    seats: seats.map((seat) => seatRow(visit, seat)),
    links: listLinks(visit, narrowed, next),
  };
}

/** Notes that mails were too many, and says when the last of them may be sent. @returns whether they were */
function noteMails({ reply, member }: Visit, refusals: Limited['refusals']): boolean {
  if (refusals.length === 0) return false;
  reply.header('retry-after', Math.max(...refusals.map(({ wait }) => wait)));
  noteLimit(reply, 'seat_invitations', countedMember(member.id));
  return true;
}

function usedOf({ language }: Visit, { group, count }: OpenedGroup): readonly string[] {
  const { t, tag } = language;
  const shown = (number: number) => number.toLocaleString(tag);
  return [
    t('account.seats.used', { used: shown(count.taken + count.invited), seats: shown(group.seats) }),
    ...(count.invited === 0 ? [] : [t('account.seats.open', { count: shown(count.invited) })]),
  ];
}

/** A seat in one line, and what may be done about it. */
function seatRow({ language, deps }: Visit, seat: NamedSeat) {
  const { id, email, memberName, takenAt, expiresAt } = seat;
  const standing = seatStanding(seat, deps.clock());
  const date = dayOf(takenAt ?? expiresAt, language);
  const hasName = memberName !== null && memberName !== '';
  return {
    id,
    name: hasName ? memberName : email,
    about: [...(hasName ? [email] : []), language.t(`account.seats.standing.${standing}`, { date })],
    isTaken: standing === 'taken',
  };
}

async function submit(tx: Tx, visit: Visit): Promise<Answer> {
  const form = pageForm(visit.request, ['action', 'emails', 'seat']);
  // A button of the list names its seat too, since all of them are of one form.
  const [action, id = form.seat ?? ''] = (form.action ?? '').split(' ');
  const { emails = '' } = form;
  const opened = await openedAt(tx, visit);
  if (opened === null) return notFound(visit);
  if (action === 'invite') return invite(tx, visit, opened, emails);
  const seat = await seatOf(tx, opened.group, id);
  if (seat === null) return notFound(visit);
  switch (action) {
    case 'again':
      return sendAgain(tx, visit, opened, seat);
    case 'remove':
      return remove(tx, visit, opened, seat);
    case 'restore':
      return restore(tx, visit, opened, seat);
    default:
      return notFound(visit);
  }
}

/** What the operations need, for one visit: the mails of its member are counted, and those that are too many kept. */
function depsOf({ member, deps }: Visit) {
  const { random, mails, rateLimiter } = deps;
  const refusals: MailRefusal[] = [];
  const takeMail = async (tx: Tx, email: string) => {
    const refused = await takeInvitation(tx, rateLimiter, member, email);
    if (refused !== null) refusals.push(refused);
    return refused?.why ?? null;
  };
  return { random, mails, now: deps.clock(), takeMail, refusals };
}

async function invite(tx: Tx, visit: Visit, opened: OpenedGroup, emails: string): Promise<Answer> {
  const { request, member: holder, language } = visit;
  const { t, tag } = language;
  const lines = readAddresses(emails);
  const most = seatInvitations.atOnce;
  if (lines.length === 0 || lines.length > most) {
    const text = t(`account.seats.error.${lines.length === 0 ? 'missing' : 'many'}`, { most });
    return show(tx, visit, opened, { ...untried, emails, problems: [{ field: 'emails', text }] });
  }
  const asked = { lines, language: tag, holder };
  const { refusals, ...deps } = depsOf(visit);
  const { sent, refused } = await inviteAddresses(tx, request.tenant, opened, asked, deps);
  if (refused.length === 0) {
    return () => redirectDone(visit, seatsUrl(opened.group), 'seatsInvited', { name: `${sent}` });
  }
  const textOf = ({ line, why }: RefusedLine) =>
    t(`account.seats.error.${why}`, { line: line.slice(0, 254) });
  return show(tx, visit, (await openedAt(tx, visit)) ?? opened, {
    // Those that were invited need not be typed again, and would be refused.
    emails: refused.map(({ line }) => line).join('\n'),
    // The first ones: all lines stay in the form, and what is wrong with the others is said of what is sent next.
    problems: refused.slice(0, problemsShown).map((one) => ({ field: 'emails', text: textOf(one) })),
    sent,
    refusals,
  });
}

async function sendAgain(tx: Tx, visit: Visit, opened: OpenedGroup, seat: Seat): Promise<Answer> {
  const by = { language: visit.language.tag, doer: visit.member };
  const { refusals, ...deps } = depsOf(visit);
  const answer = await sendInvitationAgain(tx, visit.request.tenant, opened, seat, by, deps);
  if (answer !== 'done') return refuse(tx, visit, opened, seat, answer, refusals);
  return () => redirectDone(visit, seatsUrl(opened.group), 'seatSentAgain', { name: seat.email });
}

async function remove(tx: Tx, visit: Visit, opened: OpenedGroup, seat: Seat): Promise<Answer> {
  const { member, deps } = visit;
  const url = seatsUrl(opened.group);
  await removeSeat(tx, seat, 'holder', member, deps.clock());
  if (seat.memberId === null) return () => redirectDone(visit, url, 'seatTakenBack', { name: seat.email });
  const undo = { action: 'restore', seat: seat.id };
  return () => redirectDone(visit, url, 'seatRemoved', { name: seat.email, undo });
}

async function restore(tx: Tx, visit: Visit, opened: OpenedGroup, seat: Seat): Promise<Answer> {
  const { member, deps } = visit;
  const answer = await giveSeatBack(tx, opened, seat, member, deps.clock());
  if (answer !== 'done') return refuse(tx, visit, opened, seat, answer);
  return () => redirectDone(visit, seatsUrl(opened.group), 'seatBack', { name: seat.email });
}

/** Shows the seats as they are now, and why one was not changed. */
function refuse(
  tx: Tx,
  visit: Visit,
  opened: OpenedGroup,
  { email: line }: Seat,
  why: 'full' | 'refused' | 'rushed' | 'mailed',
  refusals: Limited['refusals'] = [],
): Promise<Answer> {
  const text = visit.language.t(`account.seats.error.${why}`, { line });
  return show(tx, visit, opened, { ...untried, problems: [{ field: 'seats', text }], refusals });
}
