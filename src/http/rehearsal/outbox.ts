// Shows the mails of development tenants.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Email } from 'postal-mime';
import { outboxShown } from '../../core/members/limits.ts';
import { outboxFile } from '../../operations/mail/mail-transport.ts';
import { chooseLanguage, type Language } from '../../text/language.ts';
import { refuseOtherMethods } from '../answers.ts';
import type { Deps } from '../deps.ts';
import { requestLanguage, sendPage } from '../pages/pages.ts';
import { sendProblem } from '../pages/problem.ts';

/**
 * GET /outbox and GET /outbox/:id, where mails are written to a folder instead of being sent: what a tenant's
 * members would have got. A mail holds what lets its reader in, so only development tenants show theirs.
 */
export function outboxPages(app: FastifyInstance, { outboxFolder }: Deps): void {
  if (outboxFolder === null) return;
  refuseOtherMethods(app, '/outbox', ['GET']);
  app.get('/outbox', async (request, reply) => {
    if (!request.tenant.development) return sendProblem(reply, 'notFound');
    const language = requestLanguage(request, []);
    const ids = await newestIds(outboxFolder, request.tenant.id);
    const found = await Promise.all(ids.map((id) => readMail(outboxFolder, id, request.tenant.id)));
    const mails = found.flatMap((mail, index) =>
      mail === null ? [] : { ...summaryOf(mail, language), id: ids[index] },
    );
    const page = { template: 'rehearsal/outbox-list.eta', language, title: 'outbox.title' };
    return sendPage(reply, { ...page, data: { mails } });
  });

  refuseOtherMethods(app, '/outbox/:id', ['GET']);
  app.get<{ Params: { id: string } }>('/outbox/:id', async (request, reply) => {
    const { tenant, params } = request;
    if (!tenant.development || !isId(params.id)) return sendProblem(reply, 'notFound');
    const mail = await readMail(outboxFolder, params.id, tenant.id);
    if (mail === null) return sendProblem(reply, 'notFound');
    const language = requestLanguage(request, []);
    const ownTag = mail.headers.find(({ key }) => key === 'content-language')?.value;
    const data = {
      mail: summaryOf(mail, language),
      paragraphs: paragraphsOf(mail.text ?? ''),
      // The mail has a language of its own, which says how it runs.
      mailLanguage: chooseLanguage([ownTag], undefined),
    };
    const page = { template: 'rehearsal/outbox-mail.eta', language, title: 'outbox.title' };
    return sendPage(reply, { ...page, data });
  });
}

/** Nothing but what we name files by: an id never leads out of the folder. */
const isId = (text: string) => /^\d{1,16}-\d{1,16}$/.test(text);

/** The newest mails of a tenant, newest first. */
async function newestIds(folder: string, tenantId: string): Promise<readonly string[]> {
  const ending = outboxFile('', tenantId);
  const files = await readdir(folder).catch(ifMissing<string[]>([]));
  return files
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .filter(isId)
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .slice(0, outboxShown);
}

async function readMail(folder: string, id: string, tenantId: string): Promise<Email | null> {
  const file = await readFile(join(folder, outboxFile(id, tenantId))).catch(ifMissing(null));
  if (file === null) return null;
  // What reads mails is for development alone.
  const { default: PostalMime } = await import('postal-mime');
  return PostalMime.parse(file);
}

function ifMissing<T>(fallback: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') return fallback;
    throw error;
  };
}

function summaryOf(mail: Email, { tag }: Language) {
  const date = new Date(mail.date ?? 0);
  return {
    subject: mail.subject ?? '',
    to: mail.to?.[0]?.address ?? '',
    date: date.toISOString(),
    time: new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'medium' }).format(date),
  };
}

/** The text in paragraphs of lines. A link and a code stand on lines of their own. */
function paragraphsOf(text: string) {
  return text
    .trim()
    .split(/(?:\r?\n){2,}/)
    .map((paragraph) =>
      paragraph.split(/\r?\n/).map((line) => ({
        text: line,
        isLink: /^https?:\/\/\S+$/.test(line),
        isCode: /^\d{3} \d{3}$/.test(line),
      })),
    );
}
