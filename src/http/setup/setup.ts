// The page that makes the first tenant and its administrator.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { equalInConstantTime, sha256 } from '../../core/hash.ts';
import { wrongSecretsPerMinute } from '../../core/limits.ts';
import { brandNameLength, passwordLength } from '../../core/members/limits.ts';
import { readIssuer } from '../../core/tenant.ts';
import {
  type FactProblem,
  type FirstAdminFacts,
  makeFirstAdmin,
} from '../../operations/service/first-admin.ts';
import { findService, systemAdminTenantId } from '../../storage/service.ts';
import { chooseLanguage, type Language } from '../../text/language.ts';
import type { Deps } from '../deps.ts';
import { pageForm, pageQuery } from '../form.ts';
import { lookUpSecret } from '../guessed-secrets.ts';
import { noteLimit } from '../limit-reached.ts';
import { sendPage } from '../pages/pages.ts';
import { sendProblem } from '../pages/problem.ts';
import { isFromAnotherSite } from '../same-origin.ts';
import { sendUnknownHost } from '../tenant.ts';

const url = '/setup/:secret';

/**
 * GET and POST /setup/{secret}: makes the first tenant and its administrator, once. It is there while the
 * start that printed the link lasts, on any host, since there may be no tenant yet; with another
 * secret it is not found.
 */
export function setupPage(app: FastifyInstance, deps: Deps): void {
  if (!deps.setupOffered) return;
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, setup: true };
  });
  app.get(url, (request, reply) => show(request, reply, deps));
  app.post(url, (request, reply) => submit(request, reply, deps));
}

const secretOf = ({ params }: FastifyRequest) => (params as { readonly secret: string }).secret;

/** Whether the link of a request is the one that was printed, and where the administrator is if it was used. */
type Link =
  | { readonly kind: 'open' | 'unknown' }
  | { readonly kind: 'used'; readonly portal: string }
  /** Seconds until a link may be tried again. */
  | { readonly kind: 'too-many'; readonly retryAfter: number };

async function linkOf(request: FastifyRequest, deps: Deps): Promise<Link> {
  const hash = sha256(secretOf(request));
  const guessed = { kind: 'setup', hash, limit: wrongSecretsPerMinute };
  const looked = await deps.store.transaction((tx) =>
    lookUpSecret(tx, request, guessed, deps, async () => {
      const service = await findService(tx);
      const isIt = service !== null && equalInConstantTime(service.setupHash ?? '', hash);
      return isIt ? { service, tenantId: await systemAdminTenantId(tx) } : null;
    }),
  );
  if (looked.kind === 'too-many') return looked;
  if (looked.found === null) return { kind: 'unknown' };
  const { service, tenantId } = looked.found;
  const tenant = deps.tenants.all().find(({ id }) => id === tenantId);
  if (tenant !== undefined) return { kind: 'used', portal: `${tenant.issuer}/admin` };
  return { kind: service.setupUsedAt === null ? 'open' : 'unknown' };
}

async function show(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const link = await linkOf(request, deps);
  const language = languageOf(request, pageQuery(request, ['ui_locales']).ui_locales);
  if (link.kind !== 'open') return sendNotOpen(reply, link, language, 200);
  const known = request.tenant ?? deps.tenants.all()[0];
  const issuer = known?.issuer ?? deps.config.issuer ?? suggestedIssuer(request);
  const facts = { tenantName: known?.name ?? '', issuer };
  return sendForm(reply, { ...facts, fullName: '', email: '' }, language, []);
}

async function submit(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const link = await linkOf(request, deps);
  const form = pageForm(request, ['tenantName', 'issuer', 'fullName', 'email', 'password', 'ui_locales']);
  const language = languageOf(request, form.ui_locales);
  if (link.kind !== 'open') return sendNotOpen(reply, link, language, 410);
  if (isFromAnotherSite(request)) return sendProblem(reply, 'crossSite');
  const { tenantName = '', issuer = '', fullName = '', email = '', password = '' } = form;
  const facts: FirstAdminFacts = { tenantName, issuer, fullName, email, password, language: language.tag };
  const { store, vault, passwords, random, tenants, clock } = deps;
  const operationDeps = { vault, passwords, random, tenants, now: clock() };
  const result = await makeFirstAdmin(store, facts, secretOf(request), request.address, operationDeps);
  if (result.kind === 'invalid') return sendForm(reply, facts, language, result.problems);
  if (result.kind === 'made') return reply.redirect(`/setup/${secretOf(request)}`, 303);
  return sendNotOpen(reply, await linkOf(request, deps), language, 410);
}

function languageOf({ headers }: FastifyRequest, chosen: string | undefined): Language {
  return chooseLanguage([chosen], headers['accept-language']);
}

/** @param usedStatus the status of a page that says that the link was used */
function sendNotOpen(
  reply: FastifyReply,
  link: Link,
  language: Language,
  usedStatus: number,
): FastifyReply | Promise<FastifyReply> {
  if (link.kind === 'used') {
    const page = { template: 'setup/done.eta', language, title: 'setup.done.title', status: usedStatus };
    return sendPage(reply, { ...page, data: { portal: link.portal } });
  }
  if (link.kind === 'too-many') {
    reply.status(429).header('retry-after', link.retryAfter).type('text/plain; charset=utf-8');
    noteLimit(reply, 'set_up_links');
    return reply.send('Too many requests\n');
  }
  // What is no link of ours looks like any address that is not there.
  return reply.request.tenant === undefined ? sendUnknownHost(reply) : sendProblem(reply, 'notFound');
}

/** The host that the browser asked is most likely the public address, unless it came over this machine itself. */
function suggestedIssuer({ headers }: FastifyRequest): string {
  const host = headers.host ?? '';
  const isLoopback = readIssuer(`http://${host}`) !== null;
  return isLoopback ? '' : (readIssuer(`https://${host}`)?.issuer ?? '');
}

function sendForm(
  reply: FastifyReply,
  facts: Pick<FirstAdminFacts, 'tenantName' | 'issuer' | 'fullName' | 'email'>,
  language: Language,
  problems: readonly FactProblem[],
): Promise<FastifyReply> {
  const action = `/setup/${secretOf(reply.request)}`;
  const { t } = language;
  const least = passwordLength.default;
  return sendPage(reply, {
    template: 'setup/form.eta',
    language,
    title: 'setup.title',
    problems: problems.map(({ field, problem }) => ({
      field,
      text: t(`${sectionOf(field, problem)}.error.${field}.${problem}`, { least, most: brandNameLength }),
    })),
    again: { action, fields: {} },
    data: { action, lead: t('setup.lead'), facts, least },
  });
}

/** Whether sign-up has the text too. */
function sectionOf(field: FactProblem['field'], problem: string): 'member' | 'setup' {
  return field === 'tenantName' || field === 'issuer' || problem === 'taken' ? 'setup' : 'member';
}
