import { beforeAll, describe, expect, it } from 'vitest';
import { hosts } from '../../../../../support/fixtures.ts';
import { run } from '../../../../../support/operators/desk.ts';
import { filledIn, mainOf, newAdmin, type PortalVisitor } from '../../../../../support/operators/portal.ts';
import { useService } from '../../../../../support/use-service.ts';

const service = useService({ data: 'security' });
/** An administrator of tenant A, and one of the whole service at home on it. */
let tina: PortalVisitor;
let sam: PortalVisitor;

const home = `/admin/tenants/${hosts.a}`;
const path = `${home}/clients/+create`;

beforeAll(async () => {
  tina = await newAdmin(service, hosts.a, 'tina@example.test');
  sam = await newAdmin(service, hosts.a, 'sam@example.test', 'system_admin');
});

const clientOf = (clientId: string) => run(service, 'clients.read', { tenant: hosts.a, clientId });

describe('a new client begins with what is built', () => {
  it('asks for a kind, a name and an address, and folds the rest', async () => {
    const page = await tina.send(path);
    expect(mainOf(page)).toContain('<h1>What are you building?</h1>');
    const [seen = '', folded = ''] = page.text
      .slice(page.text.indexOf('class="build"'))
      .split('<details class="part">');
    const names = (text: string) => new Set([...text.matchAll(/ name="([^"]+)"/g)].map(([, name]) => name));
    expect([...names(seen)]).toEqual(['token', 'kind', 'name', 'address']);
    expect([...names(folded)]).toEqual(
      expect.arrayContaining(['redirectUris', 'webOrigins', 'serviceScopes']),
    );
    // A public client has no secret: nothing offers one.
    expect([...names(page.text)]).not.toContain('authenticationMethod');
  });

  it.each([
    ['single_page_app', { webOrigins: ['https://app.example.com'], type: 'public' }],
    ['native_app', { redirectUris: ['https://app.example.com/callback'], type: 'public' }],
    ['assistant', { thirdParty: true, type: 'public' }],
    ['tv_app', { redirectUris: [], deviceFlow: true, type: 'public' }],
  ])('%s: leads straight to its page, with settings to copy', async (kind, settings) => {
    const name = `Made as ${kind.replaceAll('_', ' ')}`;
    const clientId = name.toLowerCase().replaceAll(' ', '-');
    const answer = await sam.submit(path, { kind, name, address: 'https://app.example.com' });
    expect(answer.headers.location, mainOf(answer)).toBe(`${home}/clients/${clientId}`);
    expect(await clientOf(clientId)).toMatchObject(settings);
    const page = mainOf(await sam.send(`${home}/clients/${clientId}`));
    expect(page).toMatch(/ created\./);
    expect(page).toMatch(/<details class="setting" open>[\s\S]*made-as-/);
  });

  it.each([
    ['website', 'REDIRECT_URI=https://app.example.com/callback'],
    ['server_job', "grant_type: 'client_credentials'"],
  ])('%s: shows its secret once, with settings that have it', async (kind, setting) => {
    const answer = await tina.submit(path, { kind, name: `Secret ${kind}`, address: 'app.example.com' });
    const page = mainOf(answer);
    const secret = /aria-label="The secret"><code>([\w-]{43})</.exec(page)?.[1];
    expect(page).toContain(`CLIENT_SECRET=${secret}`);
    expect(page).toContain(setting);
    const next = `${home}/clients/secret-${kind.replace('_', '-')}`;
    expect(page).toContain(`href="${next}">I have copied it`);
    expect((await tina.send(next)).text).not.toContain(String(secret));
  });

  it('without script: fills in the rest to be checked, changes nothing yet, and keeps what was said', async () => {
    const values = {
      kind: 'single_page_app',
      name: 'Checked',
      address: 'https://app.test/',
      webOrigins: 'https://own.test',
    };
    const body = filledIn(await tina.send(path), values);
    body.append('step', 'rest');
    const shown = await tina.send(path, { body });
    expect(shown.status).toBe(200);
    const filled = filledIn(shown);
    expect(Object.fromEntries(filled)).toMatchObject({
      name: 'Checked',
      redirectUris: 'https://app.test/callback',
      postLogoutRedirectUris: 'https://app.test/',
      webOrigins: 'https://own.test',
      refreshTokenIdleSeconds: '14',
      'refreshTokenIdleSeconds:unit': 'day',
    });
    expect(shown.text).toContain('<details class="part" open>');
    await expect(clientOf('checked')).rejects.toThrow('no such client');
    filled.set('redirectUris', 'https://app.test/elsewhere');
    expect((await tina.send(path, { body: filled })).status).toBe(303);
    expect(await clientOf('checked')).toMatchObject({ redirectUris: ['https://app.test/elsewhere'] });
  });

  it.each(['', 'rest'])(
    'R18, pages 6: names a wrong address at its field and keeps it, sent or checked (%j)',
    async (step) => {
      const address = 'http://evil.test';
      const body = filledIn(await tina.send(path), { kind: 'website', name: 'Wrong', address });
      if (step !== '') body.append('step', step);
      const refused = await tina.send(path, { body });
      expect(refused.status).toBe(422);
      expect(refused.text).toContain('<a href="#f-address">');
      expect(refused.text).toMatch(/id="f-address-error"[^>]*>“?"?.*uses http/);
      expect(filledIn(refused).get('address')).toBe(address);
      expect(filledIn(refused).get('kind')).toBe('website');
    },
  );

  it('contract 5: offers the device flow to those alone who may turn it on', async () => {
    const [own, all] = [mainOf(await tina.send(path)), mainOf(await sam.send(path))];
    expect(own).toContain('A system administrator turns that on for you.');
    expect(all).not.toContain('A system administrator turns that on for you.');
    await tina.submit(path, { kind: 'tv_app', name: 'TV of Tina' });
    expect(await clientOf('tv-of-tina')).toMatchObject({ deviceFlow: false });
  });

  it('D14: a name and an address are text, whatever is in them', async () => {
    const hostile = '"><script>alert(1)</script>';
    const refused = await tina.submit(path, { kind: 'website', name: hostile, address: hostile });
    expect(refused.status).toBe(422);
    expect(refused.text).not.toContain('<script>alert');
    expect(filledIn(refused).get('address')).toBe(hostile);
  });
});
