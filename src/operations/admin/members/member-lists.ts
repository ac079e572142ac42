// The operations that list what a member has.
import { exactly, list, text, textOrNull } from '../../../json-schema.ts';
import { livingSessions } from '../../session/session.ts';
import { livingSignIns } from '../../sign-in/sign-in.ts';
import { onTenant } from '../define.ts';
import { limitField } from '../fields.ts';
import type { Operation } from '../operation.ts';
import { memberFor } from './manage.ts';
import { memberField } from './member-answer.ts';
import { sessionAnswer, sessionSchema, signInAnswer, signInSchema } from './member-history.ts';

interface Listed {
  readonly memberId: string;
  readonly before?: string;
  readonly limit: number;
}

const listing = {
  permission: 'members:read',
  method: 'GET',
  fields: { memberId: memberField },
  optional: {
    before: text('The id of the last entry of the page before', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a03'),
    limit: limitField,
  },
} as const;
const next = textOrNull(
  'What the next page takes as `before`; null on the last one. A page may be short and not the last',
  null,
);

const signIns = onTenant<Listed>({
  ...listing,
  name: 'signIns.list',
  summary: 'List the TVs and apps that can use the account of a member, the newest first',
  portal: {
    list: {
      title: 'TVs and apps',
      columns: ['clientId', 'label', 'deviceName', 'deviceModel', 'ipAddress', 'lastUsedAt'],
      lead: 'The TVs and apps that can use the account of a member, the newest first.',
      entry: { field: 'signInId', key: 'id' },
    },
  },
  path: '/members/{memberId}/sign-ins',
  output: exactly('A page of sign-ins', { signIns: list('TVs and apps', signInSchema), next }),
  run: async (context, { memberId, ...page }) => {
    const member = await memberFor(context, memberId);
    const found = await livingSignIns(context.tx, member, page, context.now);
    return { signIns: found.page.map(signInAnswer), next: found.next };
  },
});

const sessions = onTenant<Listed>({
  ...listing,
  name: 'sessions.list',
  summary: 'List the browsers that a member is signed in with, the newest first',
  portal: {
    list: {
      title: 'Browsers',
      columns: ['kind', 'userAgent', 'ipAddress', 'createdAt', 'lastUsedAt'],
      lead: 'The browsers that a member is signed in with, the newest first.',
      entry: { field: 'sessionId', key: 'id' },
    },
  },
  path: '/members/{memberId}/sessions',
  output: exactly('A page of sessions', { sessions: list('Browsers', sessionSchema), next }),
  run: async (context, { memberId, ...page }) => {
    const member = await memberFor(context, memberId);
    const found = await livingSessions(context.tx, member, page, context.now);
    return { sessions: found.page.map(sessionAnswer), next: found.next };
  },
});

export const memberListOperations: readonly Operation[] = [signIns, sessions];
