// Shows what a look makes of pages and mails, in light and dark, before it is saved.
import type { FastifyReply } from 'fastify';
import { type Branding, brandingProblems, neutralBranding } from '../../../../core/members/branding.ts';
import type { Problem } from '../../../../core/problem.ts';
import type { Operation } from '../../../../operations/admin/operation.ts';
import { composeMail } from '../../../../operations/mail/mail.ts';
import { problemSentence } from '../../../../operations/problem-text.ts';
import type { OpenTenant } from '../../../../operations/tenant/open-tenants.ts';
import { chooseLanguage } from '../../../../text/language.ts';
import { say } from '../../../../text/portal.ts';
import type { Form } from '../../../form.ts';
import { previewHeaders } from '../../../headers.ts';
import { sheetText } from '../../../pages/assets.ts';
import { pictureAt, picturesOf } from '../../../pages/brand.ts';
import { renderPage } from '../../../pages/pages.ts';
import { withPresent } from '../form/present.ts';
import { readForm } from '../form/read.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { labelOf } from '../words/labels.ts';
import { sampleMail } from './sample-mails.ts';
import { sampleOf } from './samples.ts';
import { labelOfSurface, type Surface, surfaces } from './surfaces.ts';

/** GET: the look as it is. */
export function showPreview(visit: OperationVisit): Promise<FastifyReply> {
  const query = new URL(visit.request.url, 'http://portal').searchParams;
  return sendPreview(visit, {}, query.get('surface') ?? '', query.get('size') ?? '');
}

/** POST: the look as the form says it, which is not kept. */
export function submitPreview(visit: OperationVisit): Promise<FastifyReply> {
  const form = visit.request.body as Form;
  const said = (name: string) => form.get(name)?.at(-1) ?? '';
  return sendPreview(visit, readForm(visit, form), said('surface'), said('size'));
}

const style = sheetText('portal/preview.css');

const schemes = ['light', 'dark'] as const;
type Scheme = (typeof schemes)[number];

function sendPreview(
  visit: OperationVisit,
  said: Facts,
  surface: string,
  size: string,
): Promise<FastifyReply> {
  return withPresent(visit, async () => {
    const { deps, reply, known } = visit;
    const { tenant: named } = known;
    const tenant = deps.tenants.all().find(({ host, id }) => host === named || id === named);
    if (tenant === undefined) throw new Error('a tenant that was let in is not there');
    const { draft, problems } = drafted(visit.operation.input, tenant, said);
    const shown = surfaces.find(({ name }) => name === surface) ?? surfaces[0];
    if (shown === undefined) throw new Error('a preview shows nothing');
    const html = await drawn(reply, shown, draft);
    const body = await reply.viewAsync('admin/look/preview.eta', {
      title: say('preview.of', { surface: labelOfSurface(shown) }),
      style,
      isWide: size === 'wide',
      problems: problems.map((one) => problemSentence(one, ([name = '']) => labelOf(String(name)))),
      frames: schemes.map((scheme) => ({
        title: say(`preview.in.${scheme}`, { surface: labelOfSurface(shown) }),
        label: say(`preview.${scheme}`),
        html: inScheme(withPictures(html, draft, reply), scheme),
      })),
    });
    return reply
      .headers({ 'cache-control': 'no-store', 'content-language': 'en', ...previewHeaders })
      .type('text/html; charset=utf-8')
      .send(body);
  });
}

/** A tenant as it would look; what is wrong with a part of it, and that part as it was. */
function drafted(
  { properties }: Operation['input'],
  tenant: OpenTenant,
  said: Facts,
): { readonly draft: OpenTenant; readonly problems: readonly Problem[] } {
  const names = Object.keys(neutralBranding) as (keyof Branding)[];
  const changes = Object.fromEntries(
    names.flatMap((name) => {
      const { enum: words } = properties[name] ?? {};
      const isFit = name in said && (words === undefined || words.includes(said[name]));
      return isFit ? [[name, orNone(name, said[name])] as const] : [];
    }),
  );
  const wanted = { ...tenant, ...changes } as OpenTenant;
  const problems = brandingProblems(wanted, tenant.development);
  const wrong = new Set(problems.map(({ path }) => path[0]));
  const kept = Object.fromEntries(
    names.filter((name) => wrong.has(name)).map((name) => [name, tenant[name]]),
  );
  return { draft: { ...wanted, ...kept }, problems };
}

/** An empty field means that the tenant has no such text. */
const orNone = (name: string, value: unknown) =>
  value === '' && neutralBranding[name as keyof Branding] === null ? null : value;

/** A page, or a mail, of a tenant. */
async function drawn(reply: FastifyReply, surface: Surface, tenant: OpenTenant): Promise<string> {
  const language = chooseLanguage([], reply.request.headers['accept-language'], tenant.languages);
  if ('mail' in surface) {
    const { html, logo } = composeMail(tenant, { ...sampleMail(surface.mail), language: language.tag });
    // A mail brings its picture along (RFC 2392).
    return logo === null
      ? html
      : html.replaceAll(`cid:${logo.id}`, `data:${logo.type};base64,${logo.base64}`);
  }
  const { html } = await renderPage(reply, { ...sampleOf(surface.page, language, tenant), language }, tenant);
  return html;
}

/** A picture that is not kept yet has no address, nor has one of a tenant on another domain: it stands in the page. */
function withPictures(html: string, tenant: Branding, { request }: FastifyReply): string {
  return picturesOf(tenant).reduce((text, { url, type, bytes }) => {
    if (pictureAt(request.tenant, url) !== undefined) return text;
    return text.replaceAll(url, `data:${type};base64,${bytes.toString('base64')}`);
  }, html);
}

/** A document as it is in one look, whichever the browser has; nothing in it runs. */
function inScheme(html: string, scheme: Scheme): string {
  const other = scheme === 'dark' ? 'min-width:0' : 'max-width:0';
  return html
    .replaceAll(/\(prefers-color-scheme:\s*dark\)/g, `(${other})`)
    .replaceAll(/color-scheme:\s*light dark/g, `color-scheme:${scheme}`)
    .replaceAll(/(content=")light dark(?=")/g, `$1${scheme}`)
    .replaceAll(/<script[^>]*><\/script>| autofocus(?=[ >])/g, '');
}
