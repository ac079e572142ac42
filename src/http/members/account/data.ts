// The page where a member fetches all data that are held about them.
import type { FastifyReply } from 'fastify';
import { wholeMemberData } from '../../../operations/member/member-data.ts';
import { sendJson } from '../../answers.ts';
import type { FieldProblem } from '../../pages/pages.ts';
import { type AccountPage, sendAccountPage, sendUnconfirmed, type Visit } from './page.ts';

/** GET and POST /account/data: everything that is held of a member, as JSON (GDPR art. 15 and 20; pages 18). */
export const dataPage: AccountPage = {
  url: '/account/data',
  show: (_tx, visit) => () => sendForm(visit, []),
  confirmed: () => ({
    refuse: (visit, why) => sendUnconfirmed(visit, why, (wrong) => sendForm(visit, [wrong])),
    begin: () => async (tx, visit) => {
      const { reply, member, deps } = visit;
      const data = await wholeMemberData(tx, member, deps.clock());
      return () => sendJson(reply.header('content-disposition', 'attachment; filename="my-data.json"'), data);
    },
  }),
};

function sendForm(visit: Visit, problems: readonly FieldProblem[]): Promise<FastifyReply> {
  return sendAccountPage(visit, {
    template: 'data',
    title: 'account.data.title',
    problems,
    data: { email: visit.member.email },
  });
}
