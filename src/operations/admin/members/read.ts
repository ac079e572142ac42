// Shows a member: who she is, whether she can sign in and why not, what she has and what she may see.

import { channelsShown } from '../../../core/members/limits.ts';
import type { Member } from '../../../core/members/member.ts';
import { listNewestSubscriptions } from '../../../storage/access/subscription.ts';
import { countHeld } from '../../../storage/members/held.ts';
import { listPasskeys } from '../../../storage/members/passkey.ts';
import { listLinkedAccounts } from '../../../storage/providers/linked-account.ts';
import * as s from '../../json-schema.ts';
import { livingSessions } from '../../session/session.ts';
import { livingSignIns } from '../../sign-in/sign-in.ts';
import { subscriptionAnswer, subscriptionSchema } from '../access/subscriptions.ts';
import { type OnTenant, onTenant } from '../define.ts';
import { withClientNames } from '../names.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { contentAccess, contentAccessSchema } from './content-access.ts';
import { linkedAccountAnswers, linkedAccountSchema } from './linked-accounts.ts';
import { memberAnswer, memberField, memberFor, memberSchema } from './member.ts';
import { limitsOf, limitsSchema } from './member-limits.ts';
import { passkeyAnswer, passkeySchema } from './passkeys.ts';
import { listedSignInSchema, sessionAnswer, sessionSchema, signInAnswer } from './sessions.ts';
import { standingFor, standingSchema } from './standing.ts';

/** What is shown of a member beside the details. */
const besides = {
  standing: standingSchema,
  limits: limitsSchema,
  held: s.resource('Held', 'How much the member has, what is over and not deleted yet among it', {
    subscriptions: s.wholeNumber('Subscriptions that run or wait', 2),
    signIns: s.wholeNumber('TVs and apps that are signed in', 3),
    sessions: s.wholeNumber('Browsers that are signed in', 1),
  }),
  subscriptions: s.list('The newest subscriptions; `subscriptions.list` has all', subscriptionSchema),
  access: s.list('The first content channels; `contentAccess.list` has all', contentAccessSchema),
  signIns: s.list(
    'The newest TVs and apps that can use the account; `signIns.list` has all',
    listedSignInSchema,
  ),
  passkeys: s.list('The passkeys', passkeySchema),
  sessions: s.list('The newest browsers of the member; `sessions.list` has all', sessionSchema),
  linkedAccounts: s.list(
    'The accounts of other providers that the member signs in with',
    linkedAccountSchema,
  ),
};

/** So many of each list are shown with the member: the page stays under 60 KB (security, F10). */
const entriesShown = 10;

async function besidesOf(context: OnTenant<OperationContext>, member: Member) {
  const { tx, now } = context;
  const { id } = member;
  const newest = { limit: entriesShown };
  const signIns = await livingSignIns(tx, member, newest, now);
  const bought = await listNewestSubscriptions(tx, id, newest);
  return {
    standing: await standingFor(context, member),
    limits: await limitsOf(context, member),
    held: await countHeld(tx, id, now),
    subscriptions: bought.map((one) => subscriptionAnswer(one, now)),
    access: await contentAccess(context, member, { limit: channelsShown }),
    signIns: await withClientNames(signIns.page.map(signInAnswer), context),
    passkeys: (await listPasskeys(tx, id)).map(passkeyAnswer),
    sessions: (await livingSessions(tx, member, newest, now)).page.map(sessionAnswer),
    linkedAccounts: await linkedAccountAnswers(
      (await listLinkedAccounts(tx, id)).slice(0, entriesShown),
      context,
    ),
  };
}

const read = onTenant({
  name: 'members.read',
  summary:
    'Show a member: whether she can sign in and what stands in the way, what she has, and what is open to her',
  portal: {
    parts: {
      limits: { columns: ['limit', 'counted', 'allowed', 'lockedUntil'] },
      subscriptions: {
        list: 'subscriptions.list',
        columns: ['subscriptionId', 'packageName', 'state', 'activatedAt', 'expiresAt'],
      },
      access: { list: 'contentAccess.list' },
      signIns: { list: 'signIns.list' },
      passkeys: { list: 'passkeys.list' },
      sessions: { list: 'sessions.list' },
      linkedAccounts: { list: 'linkedAccounts.list' },
    },
  },
  permission: 'members:read',
  route: 'GET /members/{memberId}',
  fields: { memberId: memberField },
  output: s.extended(memberSchema, 'MemberDetails', 'A member', besides),
  run: async (context, { memberId }) => {
    const member = await memberFor(context, memberId);
    return { ...memberAnswer(member), ...(await besidesOf(context, member)) };
  },
});

export const memberReadOperations: readonly Operation[] = [read];
