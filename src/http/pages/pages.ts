// Renders and sends pages, in the language that they are asked for.
import { fileURLToPath } from 'node:url';
import fastifyView from '@fastify/view';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { wordsOf } from '../../core/access/consent.ts';
import { type Branding, neutralBranding } from '../../core/members/branding.ts';
import type { Tenant } from '../../core/tenant.ts';
import type { OpenTenant } from '../../operations/tenant/open-tenants.ts';
import {
  chooseLanguage,
  type Language,
  languageName,
  languages,
  offeredLanguages,
} from '../../text/language.ts';
import { createTemplates, templateFolder } from '../../text/templates.ts';
import { pathOf } from '../address.ts';
import { languageCookie } from '../cookies.ts';
import { pageForm, pageQuery } from '../form.ts';
import { pageHeaders } from '../headers.ts';
import { pageScript, pageScripts, pageStyle } from './assets.ts';
import { brandOf } from './brand.ts';

/** What was wrong with a field of a form. */
export interface FieldProblem {
  readonly field: string;
  readonly text: string;
}

/** A page about to be sent. */
export interface Page {
  /** The template below `templates/`. */
  readonly template: string;
  readonly language: Language;
  /** Key of the title's text. */
  readonly title: string;
  /** Values for the title's text, beside the tenant's name. */
  readonly titleValues?: Readonly<Record<string, string>>;
  /** Without it 200, and 422 of what shows that something went wrong. */
  readonly status?: number;
  /** CSP sources that a form of the page may lead to, beside ourselves. */
  readonly formTargets?: readonly string[];
  /** Whether it shows documents of ours in frames. */
  readonly framesOwn?: boolean;
  /** Where the page is found again in another language, where its address is not enough; null where nowhere. */
  readonly again?: { readonly action: string; readonly fields: Readonly<Record<string, string>> } | null;
  /** Whether the page shows that something went wrong: the title then begins with "Error" (pages 6). */
  readonly isError?: boolean;
  /** What was wrong with the form that the page shows again; its template has them as `problems`. */
  readonly problems?: readonly FieldProblem[];
  readonly data?: Readonly<Record<string, unknown>>;
}

const templates = createTemplates();

/** Registers the template engine. */
export function pages(app: FastifyInstance): void {
  app.register(fastifyView, {
    engine: { eta: templates },
    root: fileURLToPath(templateFolder),
    production: true,
  });
}

/** Serves the scripts of the pages, one for each. */
export function servePageScripts(app: FastifyInstance): void {
  // The page of the first administrator needs one before there is a tenant.
  for (const script of pageScripts) script.serve(app, { setup: true });
}

/**
 * The language of a page: among those that the tenant offers what the page was asked for, then what was chosen in this
 * browser, then what the member chose, then what the browser says (pages 4).
 *
 * @param asked tags in order of preference, such as those of `ui_locales`
 * @param locale the language that the member chose, here or elsewhere
 */
export function requestLanguage(
  request: FastifyRequest,
  asked: readonly (string | null | undefined)[],
  locale: string | null = null,
): Language {
  // While the service is set up there is no tenant.
  const offered = (request.tenant as OpenTenant | undefined)?.languages;
  const wishes = [...asked, languageCookie(request), locale];
  return chooseLanguage(wishes, request.headers['accept-language'], offered);
}

/** Renders a page of a tenant: its colour, its language, its security policy. */
export async function sendPage(reply: FastifyReply, page: Page): Promise<FastifyReply> {
  // While the service is set up there may be none.
  const own = reply.request.tenant as OpenTenant | undefined;
  const { language, problems = [], isError = problems.length > 0 } = page;
  const { html, styleHash } = await renderPage(reply, { ...page, isError }, own);
  reply
    .status(page.status ?? (isError ? 422 : 200))
    .headers({
      'cache-control': 'no-store',
      'content-language': language.tag,
      ...pageHeaders(styleHash, page.formTargets ?? [], page),
    })
    .type('text/html; charset=utf-8');
  return reply.send(html);
}

/** A page as it is written. @param own the tenant whose page it is; undefined while there is none */
export async function renderPage(
  reply: FastifyReply,
  page: Page,
  own: OpenTenant | undefined,
): Promise<{ readonly html: string; readonly styleHash: string }> {
  const tenant: Branding = own ?? neutralBranding;
  const brand = brandOf(tenant);
  const { language, problems = [], isError = false } = page;
  const { t } = language;
  const style = pageStyle(page.template, tenant);
  const offered = languageNames(language, own);
  const name = t(page.title, { ...page.titleValues, tenant: tenant.name });
  const html = await reply.viewAsync(page.template, {
    problems,
    ...page.data,
    t,
    tenant: brand,
    icon: own === undefined ? 'data:,' : brand.icon,
    lang: language.tag,
    dir: language.direction,
    title: `${isError ? `${t('error.prefix')} ` : ''}${name} – ${tenant.name}`,
    heading: name,
    host: own?.host ?? '',
    style: style.text,
    scriptUrl: pageScript(page.template),
    again: offered.length > 1 ? addressAgain(reply.request, page.again) : null,
    languages: offered,
    // Every form that asks for consents says which words it showed (`members/parts/consents.eta`).
    wordsOf,
    // The request's id is in the log too, so a member can name what went wrong (pages 8).
    reference: reply.request.id,
  });
  return { html, styleHash: style.hash };
}

/** The part of an address that says which page of ours it is: all else that a stranger wrote there is not repeated. */
const keptInAddress = ['flow', 'proof', 'decided', 'order', 'before'] as const;

/** The address at which a page is found again; null for the answer to a form that has no page of its own. */
function addressAgain(request: FastifyRequest, again: Page['again']): string | null {
  if (again === null) return null;
  if (again !== undefined) return addressOf(again.action, again.fields);
  const { method, routeOptions, server } = request;
  const isForm = method === 'POST';
  const hasPage =
    !isForm || (routeOptions.url !== undefined && server.hasRoute({ method: 'GET', url: routeOptions.url }));
  const path = pathOf(request);
  if (!hasPage || path.startsWith('/api/') || path.length > longestAgain) return null;
  return addressOf(path, isForm ? pageForm(request, keptInAddress) : pageQuery(request, keptInAddress));
}

/** The longest path that a page leads back to. */
const longestAgain = 500;

function addressOf(path: string, fields: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** The languages that the switcher offers, the page's own among them. */
function languageNames(own: Language, tenant: Pick<Tenant, 'languages'> | undefined) {
  const offered = offeredLanguages(tenant?.languages ?? []);
  return languages
    .filter((tag) => tag === own.tag || offered.includes(tag))
    .map((tag) => ({ tag, name: languageName(tag) }));
}
