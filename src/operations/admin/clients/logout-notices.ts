// The operation that shows what a client was told of sign-outs.
import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { findRegisteredClient } from '../../../storage/clients/client.ts';
import { type LogoutNoticeRow, listLogoutNotices } from '../../../storage/clients/logout-notice.ts';
import * as s from '../../json-schema.ts';
import { unknown } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import { limitField, nextNumber, pageOf } from '../list.ts';
import { memberNameFields, withMemberNames } from '../names.ts';
import type { Operation } from '../operation.ts';
import { clientIdField } from './client.ts';

const idField = s.wholeNumber('The id of the notice', 17);

/** A notice as every face shows it. */
const noticeSchema = s.resource('LogoutNotice', 'What a client was told of a sign-out, or is to be told', {
  id: idField,
  endedAt: s.time('When what it tells of ended'),
  memberId: s.text('The member: the sub of the logout token', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a01'),
  sessionId: s.text('The session: the sid of the logout token', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a04'),
  state: s.oneOf('LogoutNoticeState', 'Whether the client took it', ['waiting', 'delivered', 'given_up']),
  attempts: s.wholeNumber('How often it was sent', 1),
  lastResult: s.textOrNull(
    'What came of it last: the status of the answer, or why there was none; null before the first',
    'status 200',
  ),
  nextAttemptAt: s.timeOrNull('When it is sent next; null where it is not', null),
  doneAt: s.timeOrNull('When it was delivered or given up', null),
});

export function noticeAnswer(notice: LogoutNoticeRow) {
  return s.pick(noticeSchema, {
    ...notice,
    endedAt: isoTime(notice.endedAt),
    nextAttemptAt: notice.doneAt === null ? isoTime(notice.nextAttemptAt) : null,
    doneAt: isoTimeOrNull(notice.doneAt),
  });
}

/** Beside what a notice says, a list names the member that it is about. */
export const listedNoticeSchema = s.extended(
  noticeSchema,
  'ListedLogoutNotice',
  'What a client was told of a sign-out, in a list',
  memberNameFields,
);

const listed = onTenant({
  name: 'logoutNotices.list',
  summary: 'List what a client was told of sign-outs, or is to be told, the newest first',
  portal: {
    list: {
      title: 'Logout notices',
      lead: 'What the client was told of sign-outs, or is to be told, the newest first. They are kept for 30 days.',
      columns: ['endedAt', 'memberId', 'sessionId', 'state', 'attempts', 'lastResult', 'nextAttemptAt'],
    },
  },
  permission: 'clients:read',
  route: 'GET /clients/{clientId}/logout-notices',
  fields: { clientId: clientIdField },
  optional: { before: s.wholeNumber('The id of the last entry of the page before', 17), limit: limitField },
  output: s.exactly('A page of logout notices', {
    logoutNotices: s.list('Logout notices', listedNoticeSchema),
    next: nextNumber(17),
  }),
  run: async (context, { clientId, before, limit }) => {
    const { tx, tenant } = context;
    if ((await findRegisteredClient(tx, tenant.id, clientId)) === null) throw unknown('client');
    const of = { tenantId: tenant.id, clientId };
    const { page, last } = pageOf(await listLogoutNotices(tx, of, { before, limit: limit + 1 }), limit);
    return { logoutNotices: await withMemberNames(page.map(noticeAnswer), context), next: last?.id ?? null };
  },
});

export const logoutNoticeOperations: readonly Operation[] = [listed];
