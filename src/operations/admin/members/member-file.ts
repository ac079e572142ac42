/** One member's whole data as a file, for a request by law (GDPR art. 15 and 20). */
import { mayGrant } from '../../../core/operators/permission.ts';
import { exactly, text } from '../../../json-schema.ts';
import { wholeMemberData } from '../../member/member.ts';
import { denied } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import type { Operation } from '../operation.ts';
import { memberFor } from './manage.ts';
import { memberField } from './member-answer.ts';

const exported = onTenant<{ readonly memberId: string }>({
  name: 'members.exportData',
  summary: 'Write everything that is held of a member to a file, as the member’s own download does',
  portal: { page: 'members.read' },
  permission: 'members:read',
  method: 'GET',
  path: '/members/{memberId}/data',
  fields: { memberId: memberField },
  output: exactly('A file', { text: text('What is held, as JSON', '{"member":{}}\n') }),
  mediaType: 'application/json; charset=utf-8',
  audited: true,
  run: async (context, { memberId }) => {
    const { tx, actor, now } = context;
    if (!mayGrant(actor, ['subscriptions:read'])) {
      throw denied([], 'permission_needed_besides', { permission: 'subscriptions:read' });
    }
    const data = await wholeMemberData(tx, await memberFor(context, memberId), now);
    return { text: `${JSON.stringify(data, null, 2)}\n` };
  },
});

export const memberFileOperations: readonly Operation[] = [exported];
