import { isoTime } from '../../../core/access/iso-time.ts';
import type { Member } from '../../../core/members/member.ts';
import { sessionLives } from '../../../core/session.ts';
import { signInLives } from '../../../core/sign-in.ts';
import { exactly, list, oneOf, type Schema, text, textOrNull, time } from '../../../json-schema.ts';
import { listSubscriptions } from '../../../storage/access/subscription.ts';
import { listClients } from '../../../storage/client.ts';
import { listMemberSignIns } from '../../../storage/members/member-sign-in.ts';
import { listAuditEvents, type StoredAuditEvent } from '../../../storage/operators/audit-event.ts';
import { listActiveSessions } from '../../../storage/session.ts';
import type { Tx } from '../../../storage/store.ts';
import { subscriptionAnswer, subscriptionSchema } from '../access/subscription-answer.ts';
import { auditAnswer, auditEventSchema } from '../audit-answer.ts';

const userAgent = text('What the browser said it is', 'Mozilla/5.0');
const ipAddress = text('The address it was seen at', '192.0.2.1');

const signInSchema = exactly('A TV or app that can use the account', {
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

const sessionSchema = exactly('A browser that the member is signed in with', {
  id: text('The id of the session', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a04'),
  kind: oneOf('Of the member’s pages, or of the portal', ['member', 'admin']),
  userAgent,
  ipAddress,
  createdAt: time('When it began'),
  authenticatedAt: time('When the password was last given'),
  lastUsedAt: time('When it was last used'),
});

/** What is shown of a member beside the details. */
export const historySchemas: Readonly<Record<string, Schema>> = {
  subscriptions: list('Every subscription, oldest first', subscriptionSchema),
  signIns: list('The TVs and apps that can use the account, the last used first', signInSchema),
  sessions: list('The browsers that the member is signed in with', sessionSchema),
  events: list('What the member did last, and what was done to the member', auditEventSchema),
};

const eventsShown = 20;

export async function historyOf(tx: Tx, { id, tenantId }: Member, now: number) {
  const subscriptions = await listSubscriptions(tx, id);
  const sessions = (await listActiveSessions(tx, id)).filter((session) => sessionLives(session, now));
  const clients = await listClients(tx, tenantId);
  const signIns = (await listMemberSignIns(tx, id)).filter(({ signIn }) => {
    const client = clients.find(({ clientId }) => clientId === signIn.clientId);
    const session = sessions.find((one) => one.id === signIn.sessionId) ?? null;
    return client !== undefined && signInLives(signIn, client, session, now);
  });
  return {
    subscriptions: subscriptions.map((subscription) => subscriptionAnswer(subscription, now)),
    signIns: signIns.map(({ signIn, device, ...seen }) => ({
      id: signIn.id,
      clientId: signIn.clientId,
      scope: signIn.scope,
      label: signIn.label,
      deviceName: device?.name ?? null,
      deviceModel: device?.model ?? null,
      ...seen,
      createdAt: isoTime(signIn.createdAt),
      lastUsedAt: isoTime(signIn.rotatedAt),
    })),
    sessions: sessions.map(({ id: sessionId, kind, userAgent, ipAddress, ...times }) => ({
      id: sessionId,
      kind,
      userAgent,
      ipAddress,
      createdAt: isoTime(times.createdAt),
      authenticatedAt: isoTime(times.authenticatedAt),
      lastUsedAt: isoTime(times.lastUsedAt),
    })),
    events: (await eventsOf(tx, tenantId, id)).map(auditAnswer),
  };
}

/** What a member did and what was done to the member, newest first: each has an index of its own. */
async function eventsOf(tx: Tx, tenantId: string, id: string): Promise<readonly StoredAuditEvent[]> {
  const found = [
    ...(await listAuditEvents(tx, { tenantId, actorId: id }, eventsShown)),
    ...(await listAuditEvents(tx, { tenantId, target: id }, eventsShown)),
  ];
  const each = new Map(found.map((event) => [event.id, event]));
  return [...each.values()].toSorted((a, b) => b.at - a.at || b.id - a.id).slice(0, eventsShown);
}
