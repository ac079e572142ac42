import { beforeAll, describe, expect, it } from 'vitest';
import type { Branding } from '../../../src/core/members/branding.ts';
import { type ClientRegistration, registerClient } from '../../../src/operations/client/client.ts';
import { changeTenant } from '../../../src/operations/tenant/tenant.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { hostileSvgs, largestLogo, plainLogo } from '../../support/members/logos.ts';
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
    const { name, brandColor, logo } = tenant;
    await changeTenant(tx, tenant.id, { name, brandColor, logo, ...changes });
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

const styleOf = ({ text }: Answer) => /<style>(.*)<\/style>/s.exec(text)?.[1] ?? '';

describe('pages 5: the branding of a tenant', () => {
  it('begins with the letter of its name, and its logo takes the place of that', async () => {
    expect((await signIn('pub1', 'https://pub1.test/cb')).text).toContain(
      '<span class="mark" aria-hidden="true">T</span>',
    );
    await brand({ logo: plainLogo });
    const page = await signIn('pub1', 'https://pub1.test/cb');
    expect(page.text).not.toContain('class="mark"');
    expect(pictures(page)).toEqual([plainLogo]);
    for (const path of ['/nothing', '/device', '/account']) {
      expect(pictures(await member.send(path))[0], path).toBe(plainLogo);
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

describe('pages 15: the logo of an app', () => {
  const pages = {
    'the sign-in page': () => signIn(),
    'the consent page': consent,
    'the approve page': approve,
  };

  it.each(Object.entries(pages))('stands beside its escaped name on %s', async (_name, ask) => {
    await brand({ logo: largestLogo('tenant') });
    const page = await ask();
    expect(page.status).toBe(200);
    expect(pictures(page)).toEqual([largestLogo('tenant'), largestLogo('client')]);
    expect(page.text).toMatch(/<img class="logo" [^>]+><span>[^<]*Film &amp; &lt;i&gt;Sport&lt;\/i&gt;/);
  });

  it.each(Object.entries(pages))(
    'and the tenant’s, as large as may be, leave %s under 20 KB',
    async (_, ask) => {
      await brand({ logo: largestLogo('tenant') });
      const page = await ask();
      const script = await service.http(hosts.a, /src="(\/assets\/[^"]+)"/.exec(page.text)?.[1] ?? '');
      expect(script.status).toBe(200);
      expect(Buffer.byteLength(page.text) + Buffer.byteLength(script.text)).toBeLessThan(20_000);
    },
  );

  it('is left out where an app has none', async () => {
    await brand({ logo: null });
    expect(pictures(await signIn('pub1', 'https://pub1.test/cb'))).toEqual([]);
  });
});

describe('W1: the policy of a page with logos', () => {
  it('allows pictures that the page itself holds, and no others', async () => {
    await brand({ logo: plainLogo });
    const policy = String((await signIn()).headers['content-security-policy']);
    expect(policy.split(';').filter((directive) => directive.startsWith('img-src'))).toEqual([
      'img-src data:',
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
