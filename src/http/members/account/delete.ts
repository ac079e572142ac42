import type { FastifyInstance, FastifyReply } from 'fastify';
import { askForDeletion, keepAccount } from '../../../operations/account/account.ts';
import type { Deps } from '../../deps.ts';
import { pageForm } from '../../form.ts';
import { actIn } from '../../session.ts';
import { actConfirmed, confirmPassword, sendUnconfirmed, type Unconfirmed } from './confirm-password.ts';
import { accountPage, type FieldProblem, redirectDone, sendAccountPage, type Visit } from './page.ts';
import { dayOf } from './times.ts';

const url = '/account/delete';
const day = 24 * 60 * 60 * 1_000;

/** GET and POST /account/delete, and POST /account/keep, which takes it back (pages 18). */
export function deletePages(app: FastifyInstance, deps: Deps): void {
  accountPage(app, deps, url, { show: (visit) => sendForm(visit, []), submit });
  accountPage(app, deps, '/account/keep', { submit: keep });
}

async function submit(visit: Visit): Promise<FastifyReply> {
  const { request, reply, language, deps } = visit;
  const confirmed = await confirmPassword(
    visit,
    pageForm(request, ['currentPassword']).currentPassword ?? '',
  );
  const refuse = (why: Unconfirmed) => sendUnconfirmed(visit, why, (wrong) => sendForm(visit, [wrong]));
  if (confirmed.kind !== 'right') return refuse(confirmed);
  const acted = await actConfirmed(visit, confirmed, (tx, { member }) =>
    askForDeletion(tx, request.tenant, member.id, language.tag, deps),
  );
  if (acted.kind !== 'done') return refuse(acted);
  if (!acted.value) return sendForm(visit, [{ field: 'top', text: language.t('account.delete.lastAdmin') }]);
  // The page there says when, and has the button that takes it back.
  return reply.redirect('/account', 303);
}

async function keep(visit: Visit): Promise<FastifyReply> {
  const { request, language, deps } = visit;
  await actIn(visit, (tx, { member }) => keepAccount(tx, request.tenant, member.id, language.tag, deps));
  return redirectDone(visit, '/account', 'kept');
}

function sendForm(visit: Visit, problems: readonly FieldProblem[]): Promise<FastifyReply> {
  const { request, member, language } = visit;
  const { deletionCoolingOff } = request.tenant.limits;
  return sendAccountPage(visit, {
    template: 'delete',
    title: 'account.delete.title',
    problems,
    data: {
      email: member.email,
      lead:
        member.deletionDueAt === null
          ? language.t('account.delete.lead', { days: Math.round(deletionCoolingOff / day) })
          : language.t('account.delete.pending', { date: dayOf(member.deletionDueAt, language.tag) }),
      isPending: member.deletionDueAt !== null,
    },
  });
}
