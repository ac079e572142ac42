import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '../../../language.ts';
import { endForeignDevice, endForeignSession } from '../../../operations/not-me.ts';
import { seal, unseal } from '../../../secrets/seal.ts';
import { findClient } from '../../../storage/client.ts';
import { findDeviceCodeById } from '../../../storage/device-code.ts';
import { findMember } from '../../../storage/members/member.ts';
import { findSession } from '../../../storage/session.ts';
import type { Tx } from '../../../storage/store.ts';
import { refuseOtherMethods } from '../../answers.ts';
import { transactionOf } from '../../audit.ts';
import { browserCookie, ensureBrowserCookie } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { pageForm } from '../../form.ts';
import { requestLanguage } from '../../pages/language.ts';
import { sendPage } from '../../pages/pages.ts';
import { sendProblem } from '../../pages/problem.ts';
import { requireOwnForm } from '../../same-origin.ts';
import { browserName } from '../browser-name.ts';
import { type Notice, readNotice } from '../notice.ts';
import { seenAt } from '../seen-at.ts';
import { momentOf } from './times.ts';

const url = '/not-me/:notice';

/**
 * GET and POST /not-me/:notice: where the mail about a new browser or TV leads. Whoever reads the mail needs
 * no session, since it can only end one; and opening the page ends nothing: mail scanners open links.
 */
export function notMePage(app: FastifyInstance, deps: Deps): void {
  refuseOtherMethods(app, url, ['GET', 'POST']);
  app.get(url, (request, reply) => show(request, reply, deps));
  app.post(url, { onRequest: requireOwnForm }, (request, reply) => submit(request, reply, deps));
}

const noticeText = (request: FastifyRequest) => (request.params as { notice: string }).notice;
const tokenOf = (request: FastifyRequest) => `not me ${noticeText(request)}`;

async function show(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { tenant } = request;
  const notice = readNotice(tenant, noticeText(request), deps.clock());
  if (notice === null) return sendProblem(reply, 'linkUsed', { link: '/recover' });
  const { language, seen } = await transactionOf(request, deps, async (tx) => {
    const member = await findMember(tx, tenant.id, notice.memberId);
    const language = requestLanguage(request, [member?.locale]);
    return { language, seen: await seenOf(tx, tenant.id, notice, language) };
  });
  const { place, address } = seenAt({ language, deps }, seen.ipAddress);
  const facts = [
    ...seen.facts,
    ['account.time', momentOf(notice.at, language.tag)],
    ['device.approve.place', place],
    ['device.approve.address', address],
  ] as const;
  const browser = ensureBrowserCookie(reply, deps.random);
  return sendPage(reply, {
    template: 'members/account/not-me.eta',
    language,
    title: 'notMe.title',
    data: {
      lead: language.t(`notMe.lead.${'sessionId' in notice.what ? 'browser' : 'tv'}`),
      facts: facts.flatMap(([label, value]) => (value ? [{ label: language.t(label), value }] : [])),
      action: `/not-me/${noticeText(request)}`,
      token: seal(tenant.tokenKey, 'form', browser, tokenOf(request)),
    },
  });
}

/** What is known of a new browser or TV: what it is, and where it was seen. */
async function seenOf(
  tx: Tx,
  tenantId: string,
  { what, memberId }: Notice,
  language: Language,
): Promise<{ facts: readonly (readonly [string, string | null])[]; ipAddress: string }> {
  if ('sessionId' in what) {
    const session = await findSession(tx, tenantId, what.sessionId);
    if (session?.memberId !== memberId) return { facts: [], ipAddress: '' };
    return {
      facts: [['account.browser', browserName(session.userAgent, language)]],
      ipAddress: session.ipAddress,
    };
  }
  const code = await findDeviceCodeById(tx, tenantId, what.deviceCodeId);
  if (code?.memberId !== memberId) return { facts: [], ipAddress: '' };
  const client = await findClient(tx, tenantId, code.clientId);
  return {
    facts: [
      ['account.devices.app', client?.name ?? null],
      ['account.devices.device', code.deviceName],
      ['device.approve.model', code.deviceModel],
    ],
    ipAddress: code.ipAddress,
  };
}

async function submit(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { tenant } = request;
  const { token = '' } = pageForm(request, ['token']);
  const unsealed = unseal(tenant.tokenKey, 'form', browserCookie(request), token);
  if (unsealed.kind !== 'opened' || unsealed.value !== tokenOf(request))
    return sendProblem(reply, 'crossSite');
  const now = deps.clock();
  const notice = readNotice(tenant, noticeText(request), now);
  if (notice === null) return sendProblem(reply, 'linkUsed', { link: '/recover' });
  const { what, memberId } = notice;
  const taken = { tenantId: tenant.id, memberId, now };
  await transactionOf(request, deps, (tx) =>
    'sessionId' in what
      ? endForeignSession(tx, what.sessionId, taken)
      : endForeignDevice(tx, what.deviceCodeId, taken),
  );
  return reply.redirect('/recover', 303);
}
