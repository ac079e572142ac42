// What operations show of a member beside the details: what the member has, and what happened last.
import type { Member } from '../../../core/members/member.ts';
import * as s from '../../../json-schema.ts';
import { listNewestSubscriptions } from '../../../storage/access/subscription.ts';
import { listAuditEvents, type StoredAuditEvent } from '../../../storage/operators/audit-event.ts';
import type { Tx } from '../../../storage/store.ts';
import { livingSessions } from '../../session/session.ts';
import { livingSignIns } from '../../sign-in/sign-in.ts';
import { subscriptionAnswer, subscriptionSchema } from '../access/subscriptions.ts';
import { auditAnswer, auditEventSchema } from '../audit.ts';
import type { OperationContext } from '../operation.ts';
import { sessionAnswer, sessionSchema, signInAnswer, signInSchema } from './sessions.ts';

/** What is shown of a member beside the details. */
export const historySchemas = {
  subscriptions: s.list('The newest subscriptions; `subscriptions.list` has all', subscriptionSchema),
  signIns: s.list('The newest TVs and apps that can use the account; `signIns.list` has all', signInSchema),
  sessions: s.list('The newest browsers of the member; `sessions.list` has all', sessionSchema),
  events: s.list('What the member did last, and what was done to the member', auditEventSchema),
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

/** What a member did and what was done to the member, newest first: each has an index of its own. */
async function eventsOf(tx: Tx, tenantId: string, id: string): Promise<readonly StoredAuditEvent[]> {
  const found = [
    ...(await listAuditEvents(tx, { tenantId, actorId: id }, shown.events)),
    ...(await listAuditEvents(tx, { tenantId, target: id }, shown.events)),
  ];
  const each = new Map(found.map((event) => [event.id, event]));
  return [...each.values()].toSorted((a, b) => b.at - a.at || b.id - a.id).slice(0, shown.events);
}
