// The page where a member takes back a sign-in that was not theirs.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sessionLives } from '../../../core/session.ts';
import { endForeignDevice, endForeignSession } from '../../../operations/account/account.ts';
import { findDecidedDevice } from '../../../operations/device/decide-device.ts';
import { browserName, type Notice, readNotice } from '../../../operations/session/notice.ts';
import { findSession } from '../../../storage/grants/session.ts';
import { findMember } from '../../../storage/members/member.ts';
import type { Tx } from '../../../storage/store.ts';
import type { Language } from '../../../text/language.ts';
import { transactionOf } from '../../audit.ts';
import type { Deps } from '../../deps.ts';
import { pageForm } from '../../form.ts';
import { formToken, givenForm } from '../../pages/form-token.ts';
import { requestLanguage, sendPage } from '../../pages/pages.ts';
import { sendProblem } from '../../pages/problem.ts';
import { requireOwnForm } from '../../same-origin.ts';
import { placeFacts, shownFacts } from '../facts.ts';
import { momentOf } from '../times.ts';

const url = '/not-me/:notice';

/**
 * GET and POST /not-me/:notice: where the mail about a new browser or TV leads. The reader of the mail needs
 * no session, since it can only end one; and opening the page ends nothing: mail scanners open links.
 */
export function noticePage(app: FastifyInstance, deps: Deps): void {
  app.refuseOthers(app, url, ['GET', 'POST']);
  app.get(url, (_request, reply) => show(reply, deps));
  app.post(url, { onRequest: requireOwnForm }, (_request, reply) => submit(reply, deps));
}

const noticeText = (request: FastifyRequest) => (request.params as { notice: string }).notice;
const purposeOf = (request: FastifyRequest) => `not me ${noticeText(request)}`;

function sendUsed(reply: FastifyReply): Promise<FastifyReply> {
  return sendProblem(reply, 'linkUsed', { ways: [{ href: '/recover', text: 'recover.title' }] });
}

async function show(reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const { tenant } = request;
  const notice = readNotice(tenant, noticeText(request), deps.clock());
  if (notice === null) return sendUsed(reply);
  const { language, seen } = await transactionOf(request, deps, async (tx) => {
    const member = await findMember(tx, tenant.id, notice.memberId);
    const language = requestLanguage(request, [], member?.locale);
    return { language, seen: await seenOf(tx, tenant.id, notice, language, deps.clock()) };
  });
  const { isLiving, ipAddress } = seen;
  const kind = 'sessionId' in notice.what ? 'browser' : 'tv';
  const facts = [
    ...seen.facts,
    ['account.time', momentOf(notice.at, language.tag)],
    ...placeFacts({ language, deps }, ipAddress),
  ] as const;
  return sendPage(reply, {
    template: 'members/account/notice.eta',
    language,
    title: isLiving ? 'notMe.title' : 'notMe.done.title',
    data: {
      isLiving,
      lead: language.t(`notMe.${isLiving ? 'lead' : 'done'}.${kind}`),
      facts: shownFacts(language, facts),
      action: `/not-me/${noticeText(request)}`,
      token: formToken(reply, purposeOf(request), deps),
    },
  });
}

/** What is known of a new browser or TV: what it is, where it was seen, and whether it can be used still. */
interface Seen {
  readonly facts: readonly (readonly [string, string | null])[];
  readonly ipAddress: string;
  readonly isLiving: boolean;
}

const forgotten: Seen = { facts: [], ipAddress: '', isLiving: false };

async function seenOf(
  tx: Tx,
  tenantId: string,
  notice: Notice,
  language: Language,
  now: number,
): Promise<Seen> {
  const { what, memberId } = notice;
  if ('sessionId' in what) {
    const session = await findSession(tx, tenantId, what.sessionId);
    if (session?.memberId !== memberId) return forgotten;
    return {
      facts: [['account.browser', browserName(session.userAgent, language)]],
      ipAddress: session.ipAddress,
      isLiving: sessionLives(session, now),
    };
  }
  const found = await findDecidedDevice(tx, { tenantId, memberId }, what.deviceCodeId, now);
  if (found === null) return forgotten;
  const { code, client, standing } = found;
  return {
    isLiving: standing === 'approved' || standing === 'signed-in',
    facts: [
      ['account.devices.app', client.name],
      ['account.devices.device', code.deviceName],
      ['device.approve.model', code.deviceModel],
    ],
    ipAddress: code.ipAddress,
  };
}

async function submit(reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const { tenant } = request;
  const { token } = pageForm(request, ['token']);
  if (givenForm(request, purposeOf(request), token) === null) return sendProblem(reply, 'crossSite');
  const now = deps.clock();
  const notice = readNotice(tenant, noticeText(request), now);
  if (notice === null) return sendUsed(reply);
  const { what, memberId } = notice;
  const taken = { tenantId: tenant.id, memberId, now };
  await transactionOf(request, deps, (tx) =>
    'sessionId' in what
      ? endForeignSession(tx, what.sessionId, taken)
      : endForeignDevice(tx, what.deviceCodeId, taken),
  );
  // The page says what was done, and goes on to a new password.
  return reply.redirect(`/not-me/${noticeText(request)}`, 303);
}
