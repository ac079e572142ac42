// What happened to a member: what she did, what was done to her, and what was mailed to her, newest first.

import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { timelineEvents } from '../../../core/members/limits.ts';
import { mayGrant } from '../../../core/operators/permission.ts';
import {
  eventsOfPart,
  isAlike,
  isDeed,
  isOfPart,
  isPartOf,
  type TimelinePart,
  timelineParts,
} from '../../../core/operators/timeline.ts';
import { userAgentsOf } from '../../../storage/grants/session.ts';
import { listMemberMails, type MemberMail } from '../../../storage/members/mail.ts';
import type { StoredAuditEvent } from '../../../storage/operators/audit-list.ts';
import { listMemberEvents } from '../../../storage/operators/member-events.ts';
import * as s from '../../json-schema.ts';
import { mailNames } from '../../mail/mail.ts';
import { invalid } from '../../refusal.ts';
import { browserWords, nameBrowser, seenAddress } from '../../session/notice.ts';
import { auditAnswers, auditEventSchema } from '../audit.ts';
import { type OnTenant, onTenant } from '../define.ts';
import { limitField } from '../list.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { memberField, memberFor } from './member.ts';

const mailSchema = s.resource('MemberMail', 'A mail to the member', {
  name: s.oneOf('MailName', 'Which mail it is', mailNames),
  state: s.oneOf('MailState', 'What became of it: `sent` says that the mail server took it', [
    'waiting',
    'sent',
    'failed',
  ]),
  sentAt: s.timeOrNull('When the mail server took it', null),
  lastError: s.textOrNull('What the mail server said when it did not', null),
});

const entrySchema = s.resource('TimelineEntry', 'Something that happened, once or again and again', {
  at: s.time('When; of several, the last one'),
  firstAt: s.time('Of several, the first one'),
  count: s.wholeNumber('How many there are, one after another', 10),
  event: s.orNull(auditEventSchema),
  mail: s.orNull(mailSchema),
  browsers: s.texts('The browsers that it came from, as they name themselves', 'Chrome on Android'),
  addresses: s.texts('The addresses that it came from', '192.0.2.1'),
  places: s.texts('The places of these, where the service has a database of places', 'Oslo, Norway'),
});

/** Where a page goes on: behind an event or a mail of a moment. At one moment mails come first. */
interface Cursor {
  readonly at: number;
  readonly kind: 'event' | 'mail';
  readonly id: number;
}

const written = ({ at, kind, id }: Cursor) => `${at}-${kind}-${id}`;

/** @throws OperationRefused */
function cursorIn(text: string | undefined): Cursor | null {
  if (text === undefined) return null;
  const [, at, kind, id] = /^(\d{1,15})-(event|mail)-(\d{1,15})$/.exec(text) ?? [];
  if (kind === undefined) throw invalid('before', 'unknown_value');
  return { at: Number(at), kind: kind as Cursor['kind'], id: Number(id) };
}

/** An event or a mail. */
type Happening = Cursor & { readonly event?: StoredAuditEvent; readonly mail?: MemberMail };

const listed = onTenant({
  name: 'members.timeline',
  summary:
    'Tell what happened to a member, the newest first: mails, and with audit:read sign-ins, purchases and what operators did',
  permission: 'members:read',
  route: 'GET /members/{memberId}/timeline',
  fields: { memberId: memberField },
  optional: {
    part: s.oneOf('TimelinePart', 'Only this part of it', timelineParts),
    before: s.text('What the page before gave as `next`', '1767225600000-event-4711'),
    limit: limitField,
  },
  output: s.exactly('A page of what happened', {
    entries: s.list('What happened', entrySchema),
    next: s.textOrNull(
      'What the next page takes as `before`; null on the last one. A page may be short and not the last',
      null,
    ),
  }),
  run: async (context, { memberId, part, before, limit }) => {
    const { id } = await memberFor(context, memberId);
    const found = await happenings(context, id, part, cursorIn(before));
    const all = grouped(found.filter(({ event }) => event === undefined || isOfPart(event, part)));
    const groups = all.slice(0, limit);
    const last = all.length > limit ? groups.at(-1)?.at(-1) : found[timelineEvents - 1];
    return { entries: await answers(context, groups), next: last === undefined ? null : written(last) };
  },
});

/**
 * The newest happenings behind a cursor: a bounded number, however many there are. Events say from where operators came, and
 * more that is the audit's: an actor who may not read that is told of mails alone.
 */
async function happenings(
  { tx, tenant, actor }: OnTenant<OperationContext>,
  memberId: string,
  part: TimelinePart | undefined,
  cursor: Cursor | null,
): Promise<readonly Happening[]> {
  const events = mayGrant(actor, ['audit:read']) ? eventsOfPart(part) : null;
  const filter = { tenantId: tenant.id, memberId, ...(events ? { events } : {}) };
  const { atEvents, atMails } = placesIn(cursor);
  const found = [
    ...(events === null
      ? []
      : await listMemberEvents(tx, { ...filter, ...(atEvents && { before: atEvents }) }, timelineEvents)
    ).map((event): Happening => ({ at: event.at, kind: 'event', id: event.id, event })),
    ...(part !== undefined && part !== 'mail'
      ? []
      : await listMemberMails(tx, memberId, atMails, timelineEvents)
    ).map((mail): Happening => ({ at: mail.createdAt, kind: 'mail', id: mail.id, mail })),
  ];
  const order = (a: Happening, b: Happening) =>
    b.at - a.at || a.kind.localeCompare(b.kind) * -1 || b.id - a.id;
  return found.toSorted(order).slice(0, timelineEvents);
}

/** Where each list goes on behind a cursor. */
function placesIn(cursor: Cursor | null) {
  if (cursor === null) return { atEvents: null, atMails: null };
  const { at, kind, id } = cursor;
  return kind === 'event'
    ? { atEvents: { at, id }, atMails: { createdAt: at, id: 0 } }
    : { atEvents: { at, id: Number.MAX_SAFE_INTEGER }, atMails: { createdAt: at, id } };
}

/** Those that follow one another and are alike, or of one deed, together. */
function grouped(found: readonly Happening[]): readonly (readonly Happening[])[] {
  const groups: Happening[][] = [];
  for (const one of found) {
    const group = groups.at(-1) ?? [];
    if (one.event !== undefined && belongs(one.event, eventsIn(group))) group.push(one);
    else groups.push([one]);
  }
  return groups;
}

const eventsIn = (group: readonly Happening[]) => group.flatMap(({ event }) => event ?? []);

function belongs(event: StoredAuditEvent, group: readonly StoredAuditEvent[]): boolean {
  const before = group.at(-1);
  if (before === undefined) return false;
  const deed = group.find(isDeed);
  if (deed !== undefined) return isPartOf(deed, event);
  return isAlike(event, before) || group.every((other) => isPartOf(event, other));
}

async function answers(
  { tx, tenant, actor, placeOf }: OnTenant<OperationContext>,
  groups: readonly (readonly Happening[])[],
) {
  const sessions = groups.flatMap(([one]) =>
    one?.event?.event === 'sign_in' ? (one.event.target ?? []) : [],
  );
  const agents = await userAgentsOf(tx, tenant.id, sessions);
  const told = await auditAnswers(
    tx,
    groups.flatMap((group) => tellingOf(group) ?? []),
    actor,
  );
  return groups.map((group) => {
    const [newest] = group;
    if (newest === undefined) throw new Error('a group of nothing');
    const events = eventsIn(group);
    const addresses = distinct(events.flatMap(({ address }) => address ?? []).map(seenAddress));
    const agent = nameBrowser(agents.get(newest.event?.target ?? '') ?? '');
    return {
      at: isoTime(newest.at),
      firstAt: isoTime(group.at(-1)?.at ?? newest.at),
      count: events.some(isDeed) ? 1 : group.length,
      event: told.find(({ id }) => id === tellingOf(group)?.id) ?? null,
      mail: newest.mail === undefined ? null : mailAnswer(newest.mail),
      browsers: distinct([
        ...events.flatMap(({ browser }) => browser ?? []),
        ...(agent === null ? [] : [browserWords(agent)]),
      ]),
      addresses,
      places: distinct(addresses.flatMap((address) => placeOf(address, 'en') ?? [])),
    };
  });
}

/** The event that stands for a group: its deed, or the newest, unless that is a page of what the one before it tells. */
function tellingOf(group: readonly Happening[]): StoredAuditEvent | undefined {
  const events = eventsIn(group);
  return events.find(isDeed) ?? events.find(({ event }) => event !== 'page_refused') ?? events[0];
}

const mailAnswer = ({ name, state, sentAt, lastError }: MemberMail) => ({
  name,
  state,
  sentAt: isoTimeOrNull(sentAt),
  lastError,
});

const distinct = (texts: readonly string[]) => [...new Set(texts)];

export const timelineOperations: readonly Operation[] = [listed];
