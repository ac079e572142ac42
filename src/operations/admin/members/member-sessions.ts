// The operations that end a member's sessions and sign-ins.
import { endSignIn } from '../../../core/grants/sign-in.ts';
import { exactly, text } from '../../../json-schema.ts';
import { apply } from '../../../storage/apply.ts';
import { findSession } from '../../../storage/session.ts';
import { findSignIn } from '../../../storage/sign-in.ts';
import { unknown } from '../../refusal.ts';
import { signOutEverywhere, signOutSession } from '../../session/sign-out.ts';
import { onTenant } from '../define.ts';
import type { Operation } from '../operation.ts';
import { manageableMember, ofMember } from './manage.ts';
import { memberField, memberIdField } from './member-answer.ts';

const everywhere = onTenant<{ readonly memberId: string }>({
  name: 'members.signOutEverywhere',
  summary: 'End every session and sign-in of a member, and forget the browsers',
  portal: { ...ofMember, ends: true },
  permission: 'members:write',
  method: 'POST',
  path: '/members/{memberId}/sign-out',
  fields: { memberId: memberField },
  output: exactly('Who was signed out', { id: memberIdField }),
  run: async (context, { memberId }) => {
    await manageableMember(context, memberId);
    await signOutEverywhere(context.tx, memberId, context.now);
    return { id: memberId };
  },
});

const signInIdField = text('The id of the sign-in', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a03');

const signInEnded = onTenant<{ readonly memberId: string; readonly signInId: string }>({
  name: 'members.endSignIn',
  summary: 'Sign a member out of one TV or app',
  portal: { ...ofMember, page: ['members.read', 'signIns.list'], ends: true },
  permission: 'members:write',
  method: 'DELETE',
  path: '/members/{memberId}/sign-ins/{signInId}',
  fields: { memberId: memberField, signInId: signInIdField },
  output: exactly('What was ended', { signInId: signInIdField }),
  run: async (context, { memberId, signInId }) => {
    const { tx, tenant, now } = context;
    await manageableMember(context, memberId);
    const signIn = await findSignIn(tx, tenant.id, signInId);
    if (signIn?.memberId !== memberId) throw unknown('sign-in');
    await apply(tx, endSignIn(signIn, 'signed_out', now));
    return { signInId };
  },
});

const sessionIdField = text('The id of the session', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a04');

const sessionEnded = onTenant<{ readonly memberId: string; readonly sessionId: string }>({
  name: 'members.endSession',
  summary: 'Sign a member out of one browser',
  portal: { ...ofMember, page: ['members.read', 'sessions.list'], ends: true },
  permission: 'members:write',
  method: 'DELETE',
  path: '/members/{memberId}/sessions/{sessionId}',
  fields: { memberId: memberField, sessionId: sessionIdField },
  output: exactly('What was ended', { sessionId: sessionIdField }),
  run: async (context, { memberId, sessionId }) => {
    const { tx, tenant } = context;
    await manageableMember(context, memberId);
    const session = await findSession(tx, tenant.id, sessionId);
    if (session?.memberId !== memberId) throw unknown('session');
    await signOutSession(tx, session);
    return { sessionId };
  },
});

export const memberSessionOperations: readonly Operation[] = [everywhere, signInEnded, sessionEnded];
