// How operations answer a member's sign-ins and sessions.
import { isoTime } from '../../../core/access/iso-time.ts';
import type { Member } from '../../../core/members/member.ts';
import type { Session } from '../../../core/session.ts';
import { list, oneOf, resource, type Schema, text, textOrNull, time } from '../../../json-schema.ts';
import { listNewestSubscriptions } from '../../../storage/access/subscription.ts';
import type { MemberSignIn } from '../../../storage/members/member-sign-in.ts';
import { listAuditEvents, type StoredAuditEvent } from '../../../storage/operators/audit-event.ts';
import type { Tx } from '../../../storage/store.ts';
import { livingSessions } from '../../session/session.ts';
import { livingSignIns } from '../../sign-in/sign-in.ts';
import { subscriptionAnswer, subscriptionSchema } from '../access/subscription-answer.ts';
import { auditAnswer, auditEventSchema } from '../audit-answer.ts';
import type { OperationContext } from '../operation.ts';

const userAgent = text('What the browser said it is', 'Mozilla/5.0');
const ipAddress = text('The address it was seen at', '192.0.2.1');

export const signInSchema = resource('SignIn', 'A TV or app that can use the account', {
  id: text('The id of the sign-in', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a03'),
  clientId: text('The client', 'example-tv'),
  scope: text('What was granted', 'openid offline_access'),
  label: textOrNull('What the member calls it', 'Living room'),
  deviceName: textOrNull('What the device said it is called', null),
  deviceModel: textOrNull('What the device said it is', null),
  userAgent,
  ipAddress,
  createdAt: time('When it began'),
  lastUsedAt: time('When it was last refreshed'),
});

export const sessionSchema = resource('Session', 'A browser that the member is signed in with', {
  id: text('The id of the session', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a04'),
  kind: oneOf('SessionKind', 'Of the member’s pages, or of the portal', ['member', 'admin']),
  userAgent,
  ipAddress,
  createdAt: time('When it began'),
  authenticatedAt: time('When the password was last given'),
  lastUsedAt: time('When it was last used'),
});

/** What is shown of a member beside the details. */
export const historySchemas: Readonly<Record<string, Schema>> = {
  subscriptions: list('The newest subscriptions; `subscriptions.list` has all', subscriptionSchema),
  signIns: list('The newest TVs and apps that can use the account; `signIns.list` has all', signInSchema),
  sessions: list('The newest browsers of the member; `sessions.list` has all', sessionSchema),
  events: list('What the member did last, and what was done to the member', auditEventSchema),
};

/** So many of each list are shown with the member: the page stays under 60 KB (security, F10). */
const shown = { entries: 10, events: 20 } as const;

export async function historyOf({ tx, actor, now }: OperationContext, member: Member) {
  const { id, tenantId } = member;
  const newest = { limit: shown.entries };
  return {
    subscriptions: (await listNewestSubscriptions(tx, id, newest)).map((one) => subscriptionAnswer(one, now)),
    signIns: (await livingSignIns(tx, member, newest, now)).page.map(signInAnswer),
    sessions: (await livingSessions(tx, member, newest, now)).page.map(sessionAnswer),
    events: (await eventsOf(tx, tenantId, id)).map((event) => auditAnswer(event, actor)),
  };
}

/** The fields of a sign-in that every face shows. */
export function signInAnswer({ signIn, device, userAgent, ipAddress }: MemberSignIn) {
  return {
    id: signIn.id,
    clientId: signIn.clientId,
    scope: signIn.scope,
    label: signIn.label,
    deviceName: device?.name ?? null,
    deviceModel: device?.model ?? null,
    userAgent,
    ipAddress,
    createdAt: isoTime(signIn.createdAt),
    lastUsedAt: isoTime(signIn.rotatedAt),
  };
}

/** The fields of a session that every face shows. */
export function sessionAnswer({ id, kind, userAgent, ipAddress, ...times }: Session) {
  return {
    id,
    kind,
    userAgent,
    ipAddress,
    createdAt: isoTime(times.createdAt),
    authenticatedAt: isoTime(times.authenticatedAt),
    lastUsedAt: isoTime(times.lastUsedAt),
  };
}

/** What a member did and what was done to the member, newest first: each has an index of its own. */
async function eventsOf(tx: Tx, tenantId: string, id: string): Promise<readonly StoredAuditEvent[]> {
  const found = [
    ...(await listAuditEvents(tx, { tenantId, actorId: id }, shown.events)),
    ...(await listAuditEvents(tx, { tenantId, target: id }, shown.events)),
  ];
  const each = new Map(found.map((event) => [event.id, event]));
  return [...each.values()].toSorted((a, b) => b.at - a.at || b.id - a.id).slice(0, shown.events);
}
