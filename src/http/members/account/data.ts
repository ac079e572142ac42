import type { FastifyInstance, FastifyReply } from 'fastify';
import { wholeMemberData } from '../../../operations/member-data.ts';
import { findMember } from '../../../storage/members/member.ts';
import { sendJson } from '../../answers.ts';
import { transactionOf } from '../../audit.ts';
import type { Deps } from '../../deps.ts';
import { pageForm } from '../../form.ts';
import { sendProblem } from '../../pages/problem.ts';
import { confirmPassword } from './confirm-password.ts';
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
  const { request, reply, member, language, deps } = visit;
  const confirmed = await confirmPassword(
    visit,
    pageForm(request, ['currentPassword']).currentPassword ?? '',
  );
  if (confirmed.kind === 'too-many') {
    const { retryAfter, limitKey } = confirmed;
    return sendProblem(reply.header('retry-after', retryAfter), 'tooManySignIns', { language, limitKey });
  }
  if (confirmed.kind === 'wrong') return sendForm(visit, [confirmed.problem]);
  const data = await transactionOf(request, deps, async (tx) =>
    wholeMemberData(tx, (await findMember(tx, member.tenantId, member.id)) ?? member, deps.clock()),
  );
  reply.header('content-disposition', 'attachment; filename="my-data.json"');
  return sendJson(reply, data);
}
