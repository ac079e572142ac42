// What happened to a member, in words: as a part of her page, and as a page of its own.
import type { FastifyReply } from 'fastify';
import { wrongPassword } from '../../../../../core/operators/audit-event.ts';
import { timelineParts } from '../../../../../core/operators/timeline.ts';
import { OperationRefused } from '../../../../../operations/refusal.ts';
import { say, sayIfKnown } from '../../../../../text/portal.ts';
import { pick, queryOf } from '../../../../form.ts';
import { addressOf, operationNamed, queryText } from '../../addresses.ts';
import { sendOperationPage, sendPortalProblem } from '../../page.ts';
import { call, callIfMay } from '../../visit.ts';
import type { Facts, OperationVisit, Visit } from '../../visitor.ts';
import { called, nearby, type Piece, piecesOf } from '../../words/pieces.ts';
import { sentenceOf, type ToldEvent } from '../../words/sentences.ts';

/** An event as `members.timeline` answers it. */
interface TimelineEvent extends ToldEvent {
  readonly reference: string | null;
  /** The way of a sign-in. */
  readonly way: string | null;
}

interface Entry {
  readonly at: string;
  readonly firstAt: string;
  readonly count: number;
  readonly event: TimelineEvent | null;
  readonly mail: { readonly name: string; readonly state: string; readonly lastError: string | null } | null;
  readonly browsers: readonly string[];
  readonly addresses: readonly string[];
  readonly places: readonly string[];
}

/** So many entries are on the page of a member. */
const shownWithMember = 12;

/** What is asked for of a time line in an address. */
function askedIn({ request }: Visit): Readonly<Record<string, string>> {
  const { part = '', before = '' } = pick(queryOf(request) ?? new Map(), ['part', 'before']).values;
  return { ...(part === '' ? {} : { part }), ...(before === '' ? {} : { before }) };
}

/** The time line on the page of a member. */
export async function memberTimeline(visit: OperationVisit, memberId: string) {
  const asked = askedIn(visit);
  const part = timelineParts.find((one) => one === asked.part);
  const input = { ...visit.known, ...(part === undefined ? {} : { part }), limit: shownWithMember };
  const answer = await callIfMay(visit, 'members.timeline', input);
  return timelineOf(visit, memberId, answer ?? { entries: [], next: null }, part, false);
}

/** GET /admin/tenants/{tenant}/members/{memberId}/timeline */
export async function showTimeline(visit: OperationVisit): Promise<FastifyReply> {
  const { operation, known } = visit;
  const asked = askedIn(visit);
  try {
    const answer = await call(visit, operation, { ...known, ...asked });
    const member = await callIfMay(visit, 'members.read', known);
    const timeline = timelineOf(visit, String(member?.id), answer, asked.part, true);
    const title = say('timeline.of', { name: String(member?.fullName) });
    return sendOperationPage(visit, { template: 'member/timeline', title, data: { timeline } });
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error;
    return sendPortalProblem(visit.reply, error.kind === 'invalid' ? 'request' : 'notFound', visit);
  }
}

function timelineOf(
  visit: OperationVisit,
  memberId: string,
  { entries, next }: Facts,
  part: string | undefined,
  isPage: boolean,
) {
  const page = operationNamed(visit, 'members.timeline');
  const url = page === null ? null : addressOf(page, visit.known);
  const narrowed = part === undefined ? {} : { part };
  // The tabs of the page lead to itself, and those of the member's page to that.
  const home = isPage ? url : addressOf(visit.operation, visit.known);
  return {
    tabs: [undefined, ...timelineParts].map((one) => ({
      label: say(`timeline.part.${one ?? 'all'}`),
      href: `${home}${queryText(one === undefined ? {} : { part: one })}${isPage ? '' : '#happened'}`,
      isHere: one === part,
    })),
    entries: (entries as readonly Entry[]).map((entry) => shownEntry(entry, memberId, visit.deps.clock())),
    older: next === null || url === null ? null : `${url}${queryText({ ...narrowed, before: next })}`,
  };
}

function shownEntry(entry: Entry, memberId: string, now: number) {
  const { at, firstAt, count, event, mail } = entry;
  return {
    when: [nearby(at, now)],
    tone: mail === null ? toneOf(event as TimelineEvent) : mailTone(mail),
    title: mail === null ? titleOf(event as TimelineEvent, count, memberId) : mailTitle(mail),
    details: [
      ...(mail?.lastError ? [said(mail.lastError)] : []),
      ...(event === null ? [] : detailsOf(event, entry)),
      ...(count > 1 ? [piecesOf('timeline.since', { first: nearby(firstAt, now) })] : []),
    ],
  };
}

/** The colour of an entry: what went wrong, what went well, and what an operator did. */
type Tone = 'wrong' | 'well' | 'plain';

const toneOf = ({ result, actorKind }: TimelineEvent): Tone =>
  result === 'refused' ? 'wrong' : actorKind === 'admin' ? 'plain' : 'well';

const mailTones: Readonly<Record<string, Tone>> = { failed: 'wrong', sent: 'well' };
const mailTone = ({ state }: NonNullable<Entry['mail']>): Tone => mailTones[state] ?? 'plain';

const said = (text: string): readonly Piece[] => [{ name: text }];

function mailTitle({ name, state }: NonNullable<Entry['mail']>): readonly Piece[] {
  return piecesOf(`timeline.mail.${state}`, {}, { mail: say(`mailName.${name}`) });
}

/** An event of a member, or of her account, needs no name of hers. */
function titleOf(event: TimelineEvent, count: number, memberId: string): readonly Piece[] {
  const { actorId, actorKind, names, way } = event;
  const isOwn = actorId === memberId || actorKind === 'nobody';
  const key = keyOf(event);
  const values = { count, named: names.target === null ? 'no' : 'yes', way: way ?? 'password' };
  if (!isOwn || sayIfKnown(`timeline.event.${key}`, { ...values, what: '', app: '' }) === null)
    return sentencePieces(event);
  return piecesOf(
    `timeline.event.${key}`,
    {
      what: names.target === null ? { text: say('event.tv') } : called(names.target),
      app: names.client === null ? { text: event.clientId ?? say('event.app') } : called(names.client),
    },
    values,
  );
}

const wrongPasswords: readonly (string | null)[] = Object.values(wrongPassword);

/** A refused sign-in is most often a wrong password, which has words of its own. */
const keyOf = ({ event, reason }: TimelineEvent): string =>
  event === 'sign_in_refused' && wrongPasswords.includes(reason) ? 'wrong_password' : event;

function sentencePieces(event: TimelineEvent): readonly Piece[] {
  const { tag, parts } = sentenceOf(event);
  const pieces = parts.map((part): Piece => ('text' in part ? part : { name: part.name }));
  return tag === null ? pieces : [{ text: `${tag.text} ` }, ...pieces];
}

/** The most addresses and browsers that an entry names. */
const mostNamed = 3;

function detailsOf(
  event: TimelineEvent,
  { browsers, addresses, places }: Entry,
): readonly (readonly Piece[])[] {
  const { event: name, names, reason, reference, result } = event;
  const isTold = keyOf(event) === 'wrong_password' || name === 'admin_acted' || result === 'done';
  return [
    ...(reason !== null && !isTold ? [said(reason)] : []),
    ...(name === 'sign_in_refused' && names.client !== null ? [said(names.client)] : []),
    ...named(browsers),
    ...named(addresses),
    ...named(places),
    ...(reference === null ? [] : [piecesOf('timeline.reference', { reference: called(reference) })]),
  ];
}

function named(texts: readonly string[]): readonly (readonly Piece[])[] {
  const more = texts.length - mostNamed;
  return [
    ...texts.slice(0, mostNamed).map(said),
    ...(more > 0 ? [piecesOf('timeline.more', {}, { count: more })] : []),
  ];
}
