import { beforeAll, describe, expect, it } from 'vitest';
import { type Branding, neutralBranding } from '../../../src/core/members/branding.ts';
import { brandOf } from '../../../src/http/pages/brand.ts';
import { type ClientRegistration, registerClient } from '../../../src/operations/client/client.ts';
import { changeTenant } from '../../../src/operations/tenant/tenant.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { hostileSvgs, largestLogo, plainJpeg, plainLogo } from '../../support/members/pages/logos.ts';
import { pageWeight } from '../../support/members/pages/page-weight.ts';
import { useService } from '../../support/use-service.ts';
import { authorizationParameters, codeFor, pkce, type Visitor, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
/** A browser that is signed in on tenant A. */
let member: Visitor;

const app: ClientRegistration = {
  clientId: 'branded',
  name: 'Film & <i>Sport</i>',
  logo: largestLogo('client'),
  type: 'public',
  redirectUris: ['https://branded.test/cb'],
  deviceFlow: true,
};

const brand = (changes: Partial<Branding>) =>
  service.store.transaction(async (tx) => {
    const tenant = service.tenants.byHost(hosts.a);
    if (tenant === null) throw new Error('no tenant');
    await changeTenant(tx, tenant.id, changes);
    await service.tenants.reload(tx);
  });

beforeAll(async () => {
  member = visitor(service, hosts.a);
  await codeFor(member, 'pub1', 'https://pub1.test/cb');
  const tenant = service.tenants.byHost(hosts.a);
  await service.store.transaction(async (tx) => {
    await registerClient(tx, tenant?.id ?? '', app, service.clock.now());
    const asking = { ...app, clientId: 'branded-third', thirdParty: true };
    await registerClient(tx, tenant?.id ?? '', asking, service.clock.now());
  });
});

const signIn = (clientId = 'branded', redirectUri = 'https://branded.test/cb') =>
  visitor(service, hosts.a).authorize(authorizationParameters(clientId, redirectUri, pkce()));

const consent = () =>
  member.authorize(authorizationParameters('branded-third', 'https://branded.test/cb', pkce()));

const approve = async () => {
  const asked = await service.http(hosts.a, '/api/oidc/device/auth', {
    body: { client_id: 'branded', scope: 'openid offline_access' },
  });
  const { user_code } = asked.json<{ user_code: string }>();
  return member.send(`/device?user_code=${encodeURIComponent(user_code)}`);
};

/** The addresses of all pictures on a page, which must all be empty of words. */
const pictures = ({ text }: Answer) =>
  [...text.matchAll(/<img[^>]*>/g)].map(([tag]) => {
    expect(tag).toContain('alt=""');
    return /src="([^"]*)"/.exec(tag)?.[1];
  });

/** Where a picture of the tenant is served. */
const addressOf = (logo: string) => brandOf({ ...neutralBranding, logo }).logo;

const styleOf = ({ text }: Answer) => /<style>(.*)<\/style>/s.exec(text)?.[1] ?? '';

describe('pages 5: the branding of a tenant', () => {
  it('begins with the letter of its name, and its logo takes the place of that', async () => {
    expect((await signIn('pub1', 'https://pub1.test/cb')).text).toContain(
      '<span class="mark" aria-hidden="true">T</span>',
    );
    await brand({ logo: plainLogo });
    const page = await signIn('pub1', 'https://pub1.test/cb');
    expect(page.text).not.toContain('class="mark"');
    expect(pictures(page)).toEqual([addressOf(plainLogo)]);
    for (const path of ['/nothing', '/device', '/account']) {
      expect(pictures(await member.send(path))[0], path).toBe(addressOf(plainLogo));
    }
  });

  it('colours buttons and the text on them as the guard says, light and dark', async () => {
    await brand({ brandColor: '#0b1f4b' });
    expect(styleOf(await signIn())).toMatch(
      /^:root\{--brand:#0b1f4b;--on-brand:#ffffff;--link:#0b1f4b;[^}]+\}@media \(prefers-color-scheme:dark\)\{:root\{--brand:#576483;--on-brand:#ffffff;--link:#919aae;/,
    );
    await brand({ brandColor: '#ea580c' });
    expect(styleOf(await signIn())).toContain(':root{--brand:#ea580c;--on-brand:#050505;');
  });

  it('has no effect on the pages of another tenant', async () => {
    await brand({ name: 'Another Name', logo: plainLogo, brandColor: '#c2410c' });
    const other = await visitor(service, hosts.b).authorize(
      authorizationParameters('pub1', 'https://pub1.test/cb', pkce()),
    );
    expect(other.text).toContain('Tenant B');
    expect(other.text).not.toMatch(/Another Name|#c2410c|data:image/);
  });

  it('is escaped wherever it stands', async () => {
    const name = `</title><script>alert("1")</script> & 'Sons'`;
    await brand({ name });
    const page = await signIn();
    expect(page.text).not.toContain('<script>alert');
    const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;Sons&#39;';
    expect(page.text.split(escaped)).toHaveLength(3);
    await brand({ name: 'Tenant A' });
  });
});

describe('pages 5: the pictures of a tenant', () => {
  const read = async (html: string, pattern: RegExp) => {
    const url = pattern.exec(html)?.[1] ?? '';
    const picture = await service.http(hosts.a, url);
    return { url, picture, type: picture.headers['content-type'], text: picture.text };
  };
  const iconOf = ({ text }: Answer) => read(text, /<link rel="icon" href="([^"]+)"/);

  it('are served where the pages say, to be kept for good, and are no documents that do anything', async () => {
    await brand({ logo: plainLogo, coverPicture: plainJpeg });
    const page = await signIn();
    const logo = await read(page.text, /class="logo" src="([^"]+)"/);
    const cover = await read(page.text, /url\(([^)]+)\)/);
    expect([logo.type, cover.type]).toEqual(['image/svg+xml', 'image/jpeg']);
    expect(logo.text).toContain('<circle');
    for (const { picture, url } of [logo, cover]) {
      expect(picture.headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      });
      // One tenant shows nothing of another.
      expect((await service.http(hosts.b, url)).status).toBe(404);
    }
    await brand({ logo: null, coverPicture: null });
    expect((await service.http(hosts.a, cover.url)).status).toBe(404);
  });

  it('have an icon among them: its own, the logo, or else the letter of the name', async () => {
    const letter = await iconOf(await signIn());
    expect(letter.text).toMatch(/fill="#ffffff">T<\/text><\/svg>$/);
    await brand({ name: '<&' });
    expect((await iconOf(await signIn())).text).toContain('>&#60;</text>');
    await brand({ name: 'Tenant A', logo: plainLogo });
    expect((await iconOf(await signIn())).url).toBe(addressOf(plainLogo));
    await brand({ favicon: largestLogo('client') });
    const own = await iconOf(await signIn());
    expect(own.url).toBe(addressOf(largestLogo('client')));
    const asked = await service.http(hosts.a, '/favicon.ico');
    expect([asked.status, asked.headers.location]).toEqual([302, own.url]);
    await brand({ favicon: null, logo: null });
  });

  it('pages 23: the foot of every page leads to help, terms and privacy, where the tenant has them', async () => {
    const foot = ({ text }: Answer) =>
      [...(/<footer[\s\S]*<\/footer>/.exec(text)?.[0] ?? '').matchAll(/<a href="([^"]+)">([^<]+)/g)].map(
        ([, href, words]) => `${words}: ${href}`,
      );
    // A page may add a way of its own before them.
    const own = (path: string) => (path === '/device' ? ['My TVs: /account/devices'] : []);
    const paths = ['/nothing', '/device', '/account', '/checkout', '/recover', '/account/details'];
    for (const path of paths) expect(foot(await member.send(path)), path).toEqual(own(path));
    await brand({ supportAddress: 'help@a.test', termsUrl: 'https://a.test/terms?a=1&b' });
    const two = ['Help: mailto:help@a.test', 'Terms: https://a.test/terms?a=1&amp;b'];
    for (const path of paths) {
      expect(foot(await member.send(path)), path).toEqual([...own(path), ...two]);
    }
    await brand({ privacyUrl: 'https://a.test/privacy' });
    expect(foot(await signIn())).toEqual([...two, 'Privacy: https://a.test/privacy']);
    await brand({ supportAddress: null, termsUrl: null, privacyUrl: null });
  });
});

describe('pages 15: the logo of an app', () => {
  const pages = {
    'the sign-in page': () => signIn(),
    'the consent page': consent,
    'the approve page': approve,
  };

  it.each(Object.entries(pages))('stands beside its escaped name on %s', async (name, ask) => {
    await brand({ logo: largestLogo('tenant') });
    const page = await ask();
    expect(page.status).toBe(200);
    const [own, app] = [addressOf(largestLogo('tenant')), largestLogo('client')];
    // The app and the member stand side by side, above the question.
    const isQuestion = name === 'the consent page';
    expect(pictures(page)).toEqual(isQuestion ? [own, app, own] : [own, app]);
    expect(page.text).toMatch(
      isQuestion
        ? /<img class="logo" [^>]+>\s*<\/p>\s*<h1>[^<]*Film &amp; &lt;i&gt;Sport&lt;\/i&gt;/
        : /<img class="logo" [^>]+><span>[^<]*(?:<strong><bdi>)?Film &amp; &lt;i&gt;Sport&lt;\/i&gt;/,
    );
  });

  it.each(Object.entries(pages))(
    'and the tenant’s, as large as may be, leave %s under 20 KB',
    async (_, ask) => {
      await brand({ logo: largestLogo('tenant') });
      const page = await ask();
      expect(await pageWeight(service, hosts.a, page.text)).toBeLessThan(20_000);
    },
  );

  it('is left out where an app has none', async () => {
    await brand({ logo: null });
    expect(pictures(await signIn('pub1', 'https://pub1.test/cb'))).toEqual([]);
  });
});

describe('W1: the policy of a page with logos', () => {
  it('allows pictures that the page itself holds or we serve, and no others', async () => {
    await brand({ logo: plainLogo });
    const policy = String((await signIn()).headers['content-security-policy']);
    expect(policy.split(';').filter((directive) => directive.startsWith('img-src'))).toEqual([
      "img-src 'self' data:",
    ]);
    expect(policy).toContain("default-src 'none'");
    expect(policy.match(/data:/g)).toHaveLength(1);
  });

  it.each(Object.entries(hostileSvgs))('never meets a logo with %s', async (_what, logo) => {
    await expect(brand({ logo })).rejects.toThrow('the SVG');
    const tenant = service.tenants.byHost(hosts.a);
    const registered = service.store.transaction((tx) =>
      registerClient(tx, tenant?.id ?? '', { ...app, clientId: 'hostile', logo }, service.clock.now()),
    );
    await expect(registered).rejects.toThrow('the SVG');
  });
});
