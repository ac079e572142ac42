// Keeps the language that a visitor chooses.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { changeOwnLanguage, takeDetailChange } from '../../operations/account/account.ts';
import type { OpenTenant } from '../../operations/tenant/open-tenants.ts';
import { offeredLanguages } from '../../text/language.ts';
import { transactionOf } from '../audit.ts';
import { keepLanguage } from '../cookies.ts';
import type { Deps } from '../deps.ts';
import { pageForm } from '../form.ts';
import { requireOwnForm } from '../same-origin.ts';
import { currentSession } from '../session.ts';

const url = '/language';

/**
 * POST /language: the switcher at the foot of every page. What is chosen stays with the browser, and with the member who
 * is signed in there (pages 4), and the page is shown again.
 */
export function languageSwitcher(app: FastifyInstance, deps: Deps): void {
  app.refuseOthers(app, url, ['POST']);
  // The page of the first administrator has it too.
  app.post(url, { onRequest: requireOwnForm, config: { setup: true } }, (_request, reply) =>
    choose(reply, deps),
  );
}

async function choose(reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const { language = '', page = '/' } = pageForm(request, ['language', 'page']);
  const tenant = request.tenant as OpenTenant | undefined;
  const isOffered = offeredLanguages(tenant?.languages ?? []).includes(language);
  if (tenant !== undefined && isOffered) {
    await transactionOf(request, deps, async (tx) => {
      const current = await currentSession(tx, request, deps.clock());
      if (current === null || current.member.locale === language) return;
      // Beyond the limit it stays with the browser alone.
      const wait = await takeDetailChange(tx, deps.rateLimiter, current.member);
      if (wait === null) await changeOwnLanguage(tx, current.member, language, deps.clock());
    });
    keepLanguage(reply, language);
  }
  return reply.redirect(wayBack(page, isOffered ? language : null, tenant?.issuer), 303);
}

/** The page again, and no address but our own. A page that reads a language in its address finds the new one there. */
function wayBack(page: string, language: string | null, issuer = 'http://localhost'): string {
  const base = new URL(issuer);
  const back = URL.canParse(page, base.href) ? new URL(page, base) : base;
  // `/.//host` is an address of ours that a browser would not take for one.
  if (back.origin !== base.origin || back.pathname.startsWith('//')) return '/';
  const { pathname, searchParams: query } = back;
  const isAsked =
    query.has('flow') || query.has('ui_locales') || /^\/(?:checkout|recover|setup|sign-up)\b/.test(pathname);
  if (language !== null && isAsked) query.set('ui_locales', language);
  return query.size === 0 ? pathname : `${pathname}?${query}`;
}
