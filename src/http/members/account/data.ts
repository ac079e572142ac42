import type { FastifyInstance, FastifyReply } from 'fastify';
import { wholeMemberData } from '../../../operations/member/member-data.ts';
import { sendJson } from '../../answers.ts';
import type { Deps } from '../../deps.ts';
import { pageForm } from '../../form.ts';
import { actConfirmed, confirmPassword, sendUnconfirmed, type Unconfirmed } from './confirm-password.ts';
import { accountPage, type FieldProblem, sendAccountPage, type Visit } from './page.ts';

/** GET and POST /account/data: everything that is held of a member, as JSON (GDPR art. 15 and 20; pages 18). */
export function dataPage(app: FastifyInstance, deps: Deps): void {
  accountPage(app, deps, '/account/data', { show: (visit) => sendForm(visit, []), submit });
}

function sendForm(visit: Visit, problems: readonly FieldProblem[]): Promise<FastifyReply> {
  return sendAccountPage(visit, {
    template: 'data',
    title: 'account.data.title',
    problems,
    data: { email: visit.member.email },
  });
}

async function submit(visit: Visit): Promise<FastifyReply> {
  const { request, reply, deps } = visit;
  const confirmed = await confirmPassword(
    visit,
    pageForm(request, ['currentPassword']).currentPassword ?? '',
  );
  const refuse = (why: Unconfirmed) => sendUnconfirmed(visit, why, (wrong) => sendForm(visit, [wrong]));
  if (confirmed.kind !== 'right') return refuse(confirmed);
  const acted = await actConfirmed(visit, confirmed, (tx, { member }) =>
    wholeMemberData(tx, member, deps.clock()),
  );
  if (acted.kind !== 'done') return refuse(acted);
  reply.header('content-disposition', 'attachment; filename="my-data.json"');
  return sendJson(reply, acted.value);
}
