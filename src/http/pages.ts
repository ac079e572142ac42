import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyView from '@fastify/view';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { wordsOf } from '../core/access/consent.ts';
import { type Look, looksOf } from '../core/members/branding.ts';
import type { Tenant } from '../core/tenant.ts';
import { type Language, languageName, languages } from '../language.ts';
import { createTemplates, templateFolder } from '../templates.ts';
import { contentSecurityPolicy } from './headers.ts';

/** Without the white space that only people need: it travels with every page. */
const styleSheet = readFileSync(new URL('assets/memberdoor.css', templateFolder), 'utf8')
  .replaceAll(/\s+/g, ' ')
  .replaceAll(/ ?([{};,]) ?/g, '$1')
  .replaceAll(': ', ':')
  .replaceAll(';}', '}');
const script = readFileSync(new URL('assets/memberdoor.js', templateFolder));
const scriptHash = createHash('sha256').update(script).digest('base64url').slice(0, 12);
const scriptUrl = `/assets/memberdoor-${scriptHash}.js`;

/** A page about to be sent. */
export interface Page {
  /** The template below `templates/`. */
  readonly template: string;
  readonly language: Language;
  /** Key of the title's text. */
  readonly title: string;
  /** Values for the title's text, beside the tenant's name. */
  readonly titleValues?: Readonly<Record<string, string>>;
  readonly status?: number;
  /** CSP sources that a form of the page may lead to, beside ourselves. */
  readonly formTargets?: readonly string[];
  /** The page again in another language, as a GET form; without it the page has no switcher. */
  readonly again?: { readonly action: string; readonly fields: Readonly<Record<string, string>> };
  /** Whether the page shows that something went wrong: the title then begins with "Error" (pages 6). */
  readonly isError?: boolean;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Registers the template engine and the one script of the pages. */
export function pages(app: FastifyInstance): void {
  app.register(fastifyView, {
    engine: {
      eta: createTemplates(),
    },
    root: fileURLToPath(templateFolder),
    production: true,
  });
  app.route({
    method: ['GET', 'HEAD'],
    url: scriptUrl,
    handler: async (_request, reply) =>
      reply
        .header('cache-control', 'public, max-age=31536000, immutable')
        .type('text/javascript; charset=utf-8')
        .send(script),
  });
}

/** Renders a page of a tenant: its colour, its language, its security policy. */
export async function sendPage(reply: FastifyReply, page: Page): Promise<FastifyReply> {
  const { tenant } = reply.request;
  const { language, isError = false } = page;
  const { t } = language;
  const style = styleOf(tenant);
  const name = t(page.title, { ...page.titleValues, tenant: tenant.name });
  reply
    .status(page.status ?? 200)
    .headers({
      'cache-control': 'no-store',
      'content-language': language.tag,
      'content-security-policy': contentSecurityPolicy(style.hash, page.formTargets ?? []),
    })
    .type('text/html; charset=utf-8');
  return reply.view(page.template, {
    ...page.data,
    t,
    tenant,
    lang: language.tag,
    dir: language.direction,
    title: `${isError ? `${t('error.prefix')} ` : ''}${name} – ${tenant.name}`,
    heading: name,
    style: style.text,
    scriptUrl,
    again: page.again ?? null,
    languages: languageNames,
    // Every form that asks for consents says which words it showed (`members/parts/consents.eta`).
    wordsOf,
    // The request's id is in the log too, so a member can name what went wrong (pages 8).
    reference: reply.request.id,
  });
}

const languageNames = languages.map((tag) => ({ tag, name: languageName(tag) }));

const styles = new WeakMap<Tenant, { text: string; hash: string }>();

/** The style element of a tenant's pages, and its hash for the policy. */
function styleOf(tenant: Tenant): { text: string; hash: string } {
  const known = styles.get(tenant);
  if (known !== undefined) return known;
  const { light, dark } = looksOf(tenant.brandColor);
  const text = `:root{${colorsOf(light)}}@media (prefers-color-scheme:dark){:root{${colorsOf(dark)}}}${styleSheet}`;
  const style = { text, hash: `sha256-${createHash('sha256').update(text).digest('base64')}` };
  styles.set(tenant, style);
  return style;
}

function colorsOf({ brand, onBrand, link }: Look): string {
  return `--brand:${brand};--on-brand:${onBrand};--link:${link}`;
}
