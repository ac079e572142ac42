// One search over everything: what was found, by kind, or the page of the only thing that has exactly this name.
import type { FastifyReply } from 'fastify';
import { say } from '../../../../text/portal.ts';
import { pick, queryOf } from '../../../form.ts';
import { addressOf, operationNamed, queryText } from '../addresses.ts';
import { sendOperationPage, sendRefused } from '../page.ts';
import { call } from '../visit.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { moneyText, timeText } from '../words/amounts.ts';
import { type Piece, piecesOf } from '../words/pieces.ts';
import { sentenceOf, type ToldEvent } from '../words/sentences.ts';

/** Something that was found. */
interface Hit {
  readonly title: readonly Piece[];
  readonly detail: readonly Piece[];
  readonly href: string | null;
  /** The page that says why something was refused. */
  readonly why?: string | null;
}

/** Hits of one kind. */
interface HitGroup {
  readonly title: string;
  readonly hits: readonly Hit[];
  /** Where there are more than are shown: the page that has them all. */
  readonly more: string | null;
}

/** GET /admin/tenants/{tenant}/search */
export async function showSearch(visit: OperationVisit): Promise<FastifyReply> {
  const { operation, known, reply } = visit;
  const { search = '' } = pick(queryOf(visit.request) ?? new Map(), ['search']).values;
  try {
    const found = await call(visit, operation, { ...known, search });
    const only = onlyHit(visit, found);
    if (only !== null) return reply.redirect(only, 303);
    const groups = groupsOf(visit, found, search.trim()).filter(({ hits }) => hits.length > 0);
    return sendOperationPage(visit, {
      template: 'search',
      title: search.trim() === '' ? say('search.title') : say('search.for', { search: search.trim() }),
      data: { search, groups, action: addressOf(operation, known) },
    });
  } catch (error) {
    return sendRefused(visit, error);
  }
}

const listed = (value: unknown) => (Array.isArray(value) ? (value as readonly Facts[]) : []);

/** The page of the only thing with exactly this name; null if there are several, or it has no page. */
function onlyHit(visit: OperationVisit, { exact }: Facts): string | null {
  const [only, ...others] = listed(exact);
  if (only === undefined || others.length > 0 || only.kind === 'event') return null;
  return only.kind === 'client' ? clientPage(visit, only.id) : memberPage(visit, only.memberId);
}

function pageAt(visit: OperationVisit, name: string, facts: Facts): string | null {
  const page = operationNamed(visit, name);
  return page === null ? null : addressOf(page, { ...visit.known, ...facts });
}

const memberPage = (visit: OperationVisit, memberId: unknown) => pageAt(visit, 'members.read', { memberId });
const clientPage = (visit: OperationVisit, clientId: unknown) => pageAt(visit, 'clients.read', { clientId });

const text = (value: unknown): readonly Piece[] => [{ name: String(value) }];
const whose = ({ memberName, memberId }: Facts): Piece => ({ name: String(memberName ?? memberId) });
const time = (iso: unknown): Piece => ({ iso: String(iso), text: timeText(String(iso)) });

function groupsOf(visit: OperationVisit, found: Facts, search: string): readonly HitGroup[] {
  const { members, clients, events, more } = found;
  const moreOf = (kind: string, list: string) =>
    Array.isArray(more) && more.includes(kind) ? pageAt(visit, list, {}) : null;
  const membersPage = moreOf('member', 'members.list');
  return [
    {
      title: say('search.members'),
      more: membersPage === null ? null : `${membersPage}${queryText({ search })}`,
      hits: listed(members).map(({ id, fullName, email, memberNumber }) => ({
        title: text(fullName),
        detail: [...text(email), { text: say('search.member', { number: String(memberNumber) }) }],
        href: memberPage(visit, id),
      })),
    },
    {
      title: say('search.clients'),
      more: moreOf('client', 'clients.list'),
      hits: listed(clients).map(({ clientId, name }) => ({
        title: text(name),
        detail: text(clientId),
        href: clientPage(visit, clientId),
      })),
    },
    ...purchasesOf(visit, found),
    {
      title: say('search.events'),
      more: null,
      hits: listed(events).map((event) => eventHit(visit, event)),
    },
  ];
}

/** What was bought: subscriptions, invoices and checkouts. */
function purchasesOf(
  visit: OperationVisit,
  { subscriptions, invoices, checkouts }: Facts,
): readonly HitGroup[] {
  return [
    {
      title: say('search.subscriptions'),
      more: null,
      hits: listed(subscriptions).map(({ state, ...one }) => ({
        title: piecesOf(
          'search.subscription',
          { offer: { name: String(one.packageName) }, who: whose(one) },
          numberOf(one.subscriptionId),
        ),
        detail: [{ text: say(`subscriptionState.${String(state)}`) }],
        href: memberPage(visit, one.memberId),
      })),
    },
    {
      title: say('search.invoices'),
      more: null,
      hits: listed(invoices).map((one) => ({
        title: piecesOf(
          'search.invoice',
          { offer: { name: String(one.packageName) }, who: whose(one) },
          numberOf(one.number),
        ),
        detail: [
          { text: `${priceOf(one.price)} ` },
          ...piecesOf(one.paidAt === null ? 'search.due' : 'search.paid', {
            at: time(one.paidAt ?? one.dueAt),
          }),
        ],
        href: memberPage(visit, one.memberId),
      })),
    },
    {
      title: say('search.checkouts'),
      more: null,
      hits: listed(checkouts).map((one) => ({
        title: piecesOf('search.checkout', { who: whose(one) }),
        detail: [{ text: `${priceOf(one.price)} ` }, time(one.createdAt)],
        href: memberPage(visit, one.memberId),
      })),
    },
  ];
}

const numberOf = (number: unknown) => ({ number: String(number) });

function priceOf(price: unknown): string {
  const { amount, currency } = price as { readonly amount: number; readonly currency: string };
  return moneyText(amount, currency);
}

/** What was refused: a sentence, when and with what, and the member whom it concerns. */
function eventHit(visit: OperationVisit, event: Facts): Hit {
  const told = event as unknown as ToldEvent;
  const { tag, parts } = sentenceOf(told);
  const pieces = parts.map((part): Piece => ('text' in part ? part : { name: part.name }));
  const { browser, address, at } = event;
  const known = [browser, address].filter((one) => typeof one === 'string');
  const { memberId } = told.names;
  const why = typeof event.reference === 'string' ? pageAt(visit, 'refusals.why', event) : null;
  return {
    title: tag === null ? pieces : [{ text: `${tag.text} ` }, ...pieces],
    detail: [time(at), ...known.flatMap((one): readonly Piece[] => [{ text: ' · ' }, { name: String(one) }])],
    href: memberId === null ? null : memberPage(visit, memberId),
    why,
  };
}
