import { beforeAll, describe, expect, it } from 'vitest';
import { surfaces } from '../../../../src/http/admin/portal/preview/surfaces.ts';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { plainLogo } from '../../../support/members/pages/logos.ts';
import { run } from '../../../support/operators/desk.ts';
import { filledIn, newAdmin, type PortalVisitor, plain } from '../../../support/operators/portal.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });
let tina: PortalVisitor;
let sam: PortalVisitor;

const look = `/admin/tenants/${hosts.a}/+change/look`;

beforeAll(async () => {
  tina = await newAdmin(service, hosts.a, 'tina@example.test');
  sam = await newAdmin(service, hosts.a, 'sam@example.test', 'system_admin');
});

/** The documents that a preview holds, in light and in dark. */
const framesOf = ({ text }: Answer) =>
  [...text.matchAll(/srcdoc="([^"]*)"/g)].map(([, html = '']) => plain(html));

/** The preview of a look that is not saved. */
async function drafted(values: Readonly<Record<string, string>>, surface = 'sign-in', size = 'phone') {
  const body = filledIn(await tina.send(look), values);
  body.set('surface', surface);
  body.set('size', size);
  return tina.send(`${look}/preview`, { body });
}

describe('a preview', () => {
  it.each(surfaces)(
    'of "$name" is the page in light and dark, with nothing in it that runs, under 60 KB',
    async ({ name }) => {
      const answer = await tina.send(`${look}/preview?surface=${name}`);
      expect(answer.status, service.logLines.slice(-3).join()).toBe(200);
      expect(answer.text.length).toBeLessThan(60_000);
      const [light = '', dark = '', ...more] = framesOf(answer);
      expect(more).toEqual([]);
      expect(light).not.toBe(dark);
      for (const html of [light, dark]) {
        expect(html).toContain('Tenant A');
        expect(html).not.toMatch(/<script|prefers-color-scheme: ?dark|autofocus/);
      }
      expect(answer.headers['content-security-policy']).not.toContain('script-src');
    },
  );

  it('shows what a form says, keeps nothing, and does not use the form up', async () => {
    const before = await run(service, 'tenants.read', { tenant: hosts.a });
    const answer = await drafted({ name: 'Tenant <b>B</b>', brandColor: '#0b7a4b', corners: 'sharp' });
    const [light = ''] = framesOf(answer);
    expect(light).toContain('--brand:#0b7a4b');
    expect(light).toContain('--radius:.15rem');
    expect(light).toContain('Tenant &lt;b&gt;B');
    expect(await run(service, 'tenants.read', { tenant: hosts.a })).toEqual(before);
    const body = filledIn(await tina.send(look), { coverText: 'Seen first' });
    body.set('surface', 'mail-subscribed');
    for (let again = 0; again < 3; again += 1) {
      expect((await tina.send(`${look}/preview`, { body })).status).toBe(200);
    }
    expect((await tina.send(look, { body })).status).toBe(303);
  });

  it('W15: draws no picture that may not be kept', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><script/></svg>');
    const body = filledIn(await tina.send(look));
    body.append('logo', `data:image/svg+xml;base64,${svg.toString('base64')}`);
    const answer = await tina.send(`${look}/preview`, { body });
    expect(plain(answer.text)).toContain('The SVG has the element <script>');
    expect(framesOf(answer).join()).not.toContain(svg.toString('base64'));
    body.append('logo', plainLogo);
    expect(framesOf(await tina.send(`${look}/preview`, { body })).join()).toContain(plainLogo);
  });

  it.each([
    [{ corners: 'wavy' }, '--radius:.8rem'],
    [{ font: '</style><script>alert(1)</script>' }, '--font:system-ui'],
    [{ brandColor: 'red;} body{display:none' }, '--brand:#'],
    [{ coverText: '</div><script>alert(1)</script>' }, '&lt;/div&gt;&lt;script&gt;'],
    [{ name: '' }, 'Tenant A'],
  ])('D14: keeps to what a look can be: %j', async (values, shown) => {
    const answer = await drafted(values, 'sign-in', 'wide');
    expect(answer.status).toBe(200);
    const [light = ''] = framesOf(answer);
    expect(light).toContain(shown);
    expect(light).not.toMatch(/<script|display:none"/);
  });

  it('U14, A17: is for forms of this session, and for this tenant', async () => {
    const body = filledIn(await tina.send(look));
    expect((await sam.send(`${look}/preview`, { body })).status).toBe(403);
    const other = look.replace(hosts.a, hosts.b);
    expect((await tina.send(`${other}/preview`, { body })).status).toBe(404);
    expect(framesOf(await sam.send(`${other}/preview`)).join()).toContain('Tenant B');
  });
});
