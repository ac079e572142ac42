// Shows the mails of development tenants.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { chooseLanguage, type Language } from '../../../text/language.ts';
import type { Deps } from '../../deps.ts';
import { pageQuery } from '../../form.ts';
import { mailHeaders } from '../../headers.ts';
import { requestLanguage, sendPage } from '../../pages/pages.ts';
import { sendProblem } from '../../pages/problem.ts';
import { keepOut } from '../deeds.ts';
import { listMails, type OutboxOfTenant, readMail, type WrittenMail } from './mails.ts';

/**
 * GET /outbox, /outbox/:id and /outbox/:id/seen, where mails are written into the outbox instead of being sent: what a
 * tenant's members would have got. A mail holds what lets its reader in, so only development tenants show theirs.
 *
 * How a mail looks stands in a frame, as a document of its own: a mail has its styles on its elements, which our pages
 * forbid, and a frame without an address (`srcdoc`) would be under the page's own policy. The frame's policy allows
 * those styles and nothing else, and the sandbox keeps it from all that is ours but the way that a click leads.
 */
export function outboxPages(app: FastifyInstance, { outbox }: Pick<Deps, 'outbox'>): void {
  if (outbox === null) return;
  const page = (url: string, show: Show) => {
    app.refuseOthers(app, url, ['GET'], keepOut);
    app.get(url, (request, reply) => show(reply, { outbox, tenantId: request.tenant.id }));
  };
  page('/outbox', sendList);
  page('/outbox/:id', (reply, outbox) => withMail(reply, outbox, sendMail));
  page('/outbox/:id/seen', (reply, outbox) => withMail(reply, outbox, sendSeen));
}

type Show = (reply: FastifyReply, outbox: OutboxOfTenant) => Promise<FastifyReply>;

async function withMail(
  reply: FastifyReply,
  outbox: OutboxOfTenant,
  send: (reply: FastifyReply, mail: WrittenMail) => Promise<FastifyReply> | FastifyReply,
): Promise<FastifyReply> {
  const { id } = reply.request.params as { readonly id: string };
  const mail = await readMail(outbox, id);
  return mail === null ? sendProblem(reply, 'notFound') : send(reply, mail);
}

const languageOf = (request: FastifyRequest) => requestLanguage(request, []);

async function sendList(reply: FastifyReply, outbox: OutboxOfTenant): Promise<FastifyReply> {
  const { request } = reply;
  const { q: sought = '' } = pageQuery(request, ['q']);
  const language = languageOf(request);
  const mails = (await listMails(outbox, sought)).map((mail) => shown(mail, language));
  const page = { template: 'rehearsal/outbox-list.eta', language, title: 'outbox.title' };
  return sendPage(reply, { ...page, data: { mails, sought } });
}

async function sendMail(reply: FastifyReply, mail: WrittenMail): Promise<FastifyReply> {
  const language = languageOf(reply.request);
  // The mail has a language of its own, which says how it runs.
  const data = { mail: shown(mail, language), mailLanguage: chooseLanguage([mail.language], undefined) };
  const page = { template: 'rehearsal/outbox-mail.eta', language, title: 'outbox.title', framesOwn: true };
  return sendPage(reply, { ...page, data });
}

function sendSeen(reply: FastifyReply, { html }: WrittenMail): FastifyReply {
  return (
    reply
      .headers({ ...mailHeaders, 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      // Where a link leads is a page of ours, which stands in no frame.
      .send(html.replace('<head>', '<head><base target="_top">'))
  );
}

function shown(mail: WrittenMail, { tag }: Language) {
  const date = new Date(mail.sentAt);
  return {
    ...mail,
    date: date.toISOString(),
    time: new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'medium' }).format(date),
  };
}
