// The operations on a member's sign-ins, which TVs and apps have, and sessions, which browsers have.

import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { endSignIn } from '../../../core/grants/sign-in.ts';
import type { Session } from '../../../core/session.ts';
import { factors, factorsOf } from '../../../core/strength.ts';
import { apply } from '../../../storage/apply.ts';
import type { MemberSignIn } from '../../../storage/grants/member-sign-ins.ts';
import { findSession } from '../../../storage/grants/session.ts';
import { findSignIn } from '../../../storage/grants/sign-in.ts';
import * as s from '../../json-schema.ts';
import { unknown } from '../../refusal.ts';
import { livingSessions, signOutEverywhere, signOutSession } from '../../session/session.ts';
import { livingSignIns } from '../../sign-in/sign-in.ts';
import { onTenant } from '../define.ts';
import { limitField } from '../list.ts';
import { clientNameField, withClientNames } from '../names.ts';
import type { Operation } from '../operation.ts';
import { concernedMember, manageableMember, memberField, memberFor, ofMember } from './member.ts';

const signInIdField = s.text('The id of the sign-in', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a03');
const sessionIdField = s.text('The id of the session', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a04');
const userAgent = s.text('What the browser said it is', 'Mozilla/5.0');
const ipAddress = s.text('The address it was seen at', '192.0.2.1');

const signInSchema = s.resource('SignIn', 'A TV or app that can use the account', {
  id: signInIdField,
  clientId: s.text('The client', 'example-tv'),
  scope: s.text('What was granted', 'openid offline_access'),
  label: s.textOrNull('What the member calls it', 'Living room'),
  deviceName: s.textOrNull('What the device said it is called', null),
  deviceModel: s.textOrNull('What the device said it is', null),
  userAgent,
  ipAddress,
  createdAt: s.time('When it began'),
  lastUsedAt: s.time('When it was last refreshed'),
});

export function signInAnswer({ signIn, device, ...seen }: MemberSignIn) {
  return s.pick(signInSchema, {
    ...signIn,
    ...seen,
    deviceName: device?.name ?? null,
    deviceModel: device?.model ?? null,
    createdAt: isoTime(signIn.createdAt),
    lastUsedAt: isoTime(signIn.rotatedAt),
  });
}

/** Beside what a sign-in says, a list names its client. */
export const listedSignInSchema = s.extended(signInSchema, 'ListedSignIn', 'A TV or app in a list', {
  clientName: clientNameField,
});

export const sessionSchema = s.resource('Session', 'A browser that the member is signed in with', {
  id: sessionIdField,
  kind: s.oneOf('SessionKind', 'Of the member’s pages, or of the portal', ['member', 'admin']),
  amr: s.list(
    'What the member proved there, in order, as `amr` of an id_token has it (RFC 8176)',
    s.oneOf('Factor', 'One factor; `mfa` says that two came together', factors),
  ),
  strongAt: s.timeOrNull('When two factors, or a passkey, were last proven there; null for never', null),
  userAgent,
  ipAddress,
  createdAt: s.time('When it began'),
  authenticatedAt: s.time('When the member last signed in there'),
  lastUsedAt: s.time('When it was last used'),
});

export function sessionAnswer(session: Session) {
  return s.pick(sessionSchema, {
    ...session,
    amr: factorsOf(session),
    strongAt: isoTimeOrNull(session.strongAt),
    createdAt: isoTime(session.createdAt),
    authenticatedAt: isoTime(session.authenticatedAt),
    lastUsedAt: isoTime(session.lastUsedAt),
  });
}

const fields = { memberId: memberField };

const listing = {
  permission: 'members:read',
  fields,
  optional: {
    before: s.text('The id of the last entry of the page before', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a03'),
    limit: limitField,
  },
} as const;
const next = s.textOrNull(
  'What the next page takes as `before`; null on the last one. A page may be short and not the last',
  null,
);

const signIns = onTenant({
  ...listing,
  name: 'signIns.list',
  summary: 'List the TVs and apps that can use the account of a member, the newest first',
  portal: {
    list: {
      title: 'TVs and apps',
      columns: ['clientId', 'label', 'deviceName', 'deviceModel', 'ipAddress', 'createdAt', 'lastUsedAt'],
      lead: 'The TVs and apps that can use the account of a member, the newest first.',
      entry: { field: 'signInId', key: 'id' },
      bulk: ['members.endSignIn'],
    },
  },
  route: 'GET /members/{memberId}/sign-ins',
  output: s.exactly('A page of sign-ins', { signIns: s.list('TVs and apps', listedSignInSchema), next }),
  run: async (context, { memberId, ...page }) => {
    const member = await memberFor(context, memberId);
    const found = await livingSignIns(context.tx, member, page, context.now);
    return { signIns: await withClientNames(found.page.map(signInAnswer), context), next: found.next };
  },
});

const sessions = onTenant({
  ...listing,
  name: 'sessions.list',
  summary: 'List the browsers that a member is signed in with, the newest first',
  portal: {
    list: {
      title: 'Browsers',
      columns: ['kind', 'userAgent', 'amr', 'ipAddress', 'createdAt', 'lastUsedAt'],
      lead: 'The browsers that a member is signed in with, the newest first.',
      entry: { field: 'sessionId', key: 'id' },
      bulk: ['members.endSession'],
    },
  },
  route: 'GET /members/{memberId}/sessions',
  output: s.exactly('A page of sessions', { sessions: s.list('Browsers', sessionSchema), next }),
  run: async (context, { memberId, ...page }) => {
    const member = await memberFor(context, memberId);
    const found = await livingSessions(context.tx, member, page, context.now);
    return { sessions: found.page.map(sessionAnswer), next: found.next };
  },
});

const everywhere = onTenant({
  name: 'members.signOutEverywhere',
  summary: 'End every session and sign-in of a member, and forget the browsers',
  portal: { ...ofMember, ends: 'forNow', titledFor: true },
  permission: 'members:write',
  route: 'POST /members/{memberId}/sign-out',
  fields,
  output: concernedMember,
  run: async (context, { memberId }) => {
    await manageableMember(context, memberId);
    await signOutEverywhere(context.tx, memberId, context.now);
    return { id: memberId };
  },
});

const signInEnded = onTenant({
  name: 'members.endSignIn',
  summary: 'Sign a member out of one TV or app',
  portal: {
    page: ['members.read', 'signIns.list'],
    reads: 'signIns.list',
    ends: 'forNow',
    done: 'The TV or app is signed out.',
  },
  permission: 'members:write',
  route: 'DELETE /members/{memberId}/sign-ins/{signInId}',
  fields: { ...fields, signInId: signInIdField },
  output: s.exactly('What was ended', { signInId: signInIdField }),
  run: async (context, { memberId, signInId }) => {
    const { tx, tenant, now } = context;
    await manageableMember(context, memberId);
    const signIn = await findSignIn(tx, tenant.id, signInId);
    if (signIn?.memberId !== memberId) throw unknown('sign-in');
    await apply(tx, endSignIn(signIn, 'signed_out', now));
    return { signInId };
  },
});

const sessionEnded = onTenant({
  name: 'members.endSession',
  summary: 'Sign a member out of one browser',
  portal: {
    page: ['members.read', 'sessions.list'],
    reads: 'sessions.list',
    ends: 'forNow',
    done: 'The browser is signed out.',
  },
  permission: 'members:write',
  route: 'DELETE /members/{memberId}/sessions/{sessionId}',
  fields: { ...fields, sessionId: sessionIdField },
  output: s.exactly('What was ended', { sessionId: sessionIdField }),
  run: async (context, { memberId, sessionId }) => {
    const { tx, tenant } = context;
    await manageableMember(context, memberId);
    const session = await findSession(tx, tenant.id, sessionId);
    if (session?.memberId !== memberId) throw unknown('session');
    await signOutSession(tx, session);
    return { sessionId };
  },
});

export const sessionListOperations: readonly Operation[] = [signIns, sessions];
export const sessionEndOperations: readonly Operation[] = [everywhere, signInEnded, sessionEnded];
