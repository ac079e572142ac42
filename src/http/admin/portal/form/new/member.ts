/** The form for a member: from the list of administrators it invites one more of them. */

import { say } from '../../../../../text/portal.ts';
import { queryOf } from '../../../../form.ts';
import type { Visit } from '../../visitor.ts';
import type { OwnForm } from '../own.ts';

/** Whether the list that led to the form has administrators. */
function isForAdmin({ request }: Visit): boolean {
  const [userType = 'member'] = queryOf(request)?.get('userType') ?? [];
  return userType !== 'member';
}

export const newMemberForm: OwnForm = {
  title: (visit) => (isForAdmin(visit) ? say('newAdmin.title') : null),
  begin: (visit, values) =>
    isForAdmin(visit) ? new Map([...values, ['userType', ['tenant_admin']]]) : values,
  about: (visit) => (isForAdmin(visit) ? { lead: say('newAdmin.lead'), submit: say('newAdmin.do') } : {}),
};
