import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileBodyBytes } from '../../../src/core/limits.ts';
import { addressOf, newAddressOf } from '../../../src/http/admin/portal/addresses.ts';
import { operations } from '../../../src/operations/admin/index.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { auditEvents } from '../../support/operators/api.ts';
import { run } from '../../support/operators/desk.ts';
import { filledIn, makeAdmin, type PortalVisitor, plain, portalOf } from '../../support/operators/portal.ts';
import { allRows } from '../../support/records/rows.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { codeFor, token, visitor } from '../../support/visitor.ts';

let service: TestService;
/** An administrator of tenant A, and one of the whole service at home on it. */
let tina: PortalVisitor;
let sam: PortalVisitor;
/** A member of tenant B. */
let foreign: string;

const home = `/admin/tenants/${hosts.a}`;
const abroad = `/admin/tenants/${hosts.b}`;

beforeAll(async () => {
  service = await startTestService({ data: 'security' });
  await makeAdmin(service, hosts.a, 'tina@example.test');
  await makeAdmin(service, hosts.a, 'sam@example.test', 'system_admin');
  foreign = await makeAdmin(service, hosts.b, 'foreign@example.test', 'member');
  tina = await portalOf(service, hosts.a, 'tina@example.test');
  sam = await portalOf(service, hosts.a, 'sam@example.test');
});
afterAll(() => service.stop());

const mainOf = ({ text }: Answer) => plain(text.slice(text.indexOf('<main'), text.indexOf('</main>')));

/** A page without what differs each time. */
const same = ({ text }: Answer) =>
  text.replaceAll(/name="token" value="[^"]*"/g, 'TOKEN').replaceAll(/Reference: \w+/g, 'REFERENCE');

/** What another tenant's things are called in addresses. */
const others = () => ({
  tenant: hosts.b,
  clientId: 'conf1',
  memberId: foreign,
  packageId: 1,
  productId: 1,
  subscriptionId: 1,
  channelId: 'news',
  consentId: 'newsletter',
  key: 'seats',
  kid: 'any',
  number: 1,
  secretId: 'any',
  sessionId: 'any',
  signInId: 'any',
  tokenId: 'any',
});

describe('A17: a tenant’s administrator', () => {
  const ofTenants = operations.filter(({ path }) => path.startsWith('/tenants/{tenant}'));

  it.each(ofTenants.map((operation) => ({ name: operation.name, operation })))(
    '$name of another tenant is 404, as of one that is not there',
    async ({ operation }) => {
      const nowhere = { ...others(), tenant: 'nowhere.test' };
      for (const find of [addressOf, newAddressOf]) {
        const [there, none] = [find(operation, others()), find(operation, nowhere)];
        if (there === null || none === null) continue;
        const [known, unknown] = [await tina.send(there), await tina.send(none)];
        expect([known.status, unknown.status]).toEqual([404, 404]);
        expect(same(known)).toBe(same(unknown));
        expect(known.text).not.toContain('Tenant B');
      }
    },
  );

  it.each(ofTenants.filter(({ acts }) => acts).map((operation) => ({ name: operation.name, operation })))(
    '$name sent to another tenant is 404, and changes nothing',
    async ({ operation }) => {
      const before = await allRows(service, ['auditEvents', 'sessions']);
      const events = (await auditEvents(service)).length;
      const body = filledIn(await tina.send(`${home}/+change`));
      body.set('confirmed', 'yes');
      const answer = await tina.send(String(addressOf(operation, others())), { body });
      expect(answer.status).toBe(404);
      expect(await allRows(service, ['auditEvents', 'sessions'])).toEqual(before);
      expect((await auditEvents(service)).slice(events)).toMatchObject([
        { event: 'admin_denied', actorKind: 'admin', result: 'refused' },
      ]);
    },
  );

  it('finds nothing of the whole service, and no link to it', async () => {
    const pages = ['/admin/tokens', '/admin/audit', '/admin/audit/export', '/admin/tenants/+create'];
    for (const path of [
      ...pages,
      `${home}/+disable`,
      `${home}/+set-stage`,
      `${home}/clients/conf1/+device-flow`,
    ]) {
      expect((await tina.send(path)).status, path).toBe(404);
    }
    const page = await tina.send(home);
    for (const path of [...pages, `${home}/+disable`]) expect(page.text).not.toContain(`"${path}"`);
    expect((await sam.send('/admin/tokens')).status).toBe(200);
  });

  it('sees the own tenant alone in the list of tenants', async () => {
    const page = await tina.send('/admin/tenants');
    expect([page.text.includes('Tenant A'), page.text.includes('Tenant B')]).toEqual([true, false]);
    expect((await sam.send('/admin/tenants')).text).toContain('Tenant B');
  });

  it('opens everything with the id of the tenant in the place of its host', async () => {
    const id = service.tenants.byHost(hosts.a)?.id;
    expect((await tina.send(`/admin/tenants/${id}/clients`)).status).toBe(200);
    expect((await tina.send(`/admin/tenants/${service.tenants.byHost(hosts.b)?.id}`)).status).toBe(404);
  });

  it('makes no administrator of the whole service, and reads why', async () => {
    const answer = await tina.submit(`${home}/members/+create`, {
      fullName: 'Too much',
      email: 'much@example.test',
      password: 'kvist og eld i skogen',
      userType: 'system_admin',
    });
    expect(answer.status).toBe(422);
    expect(mainOf(answer)).toContain('A system_admin is for those who can do all that one can.');
  });
});

it('a system administrator opens every tenant from the own one', async () => {
  const page = await sam.send(abroad);
  expect(page.status).toBe(200);
  expect(mainOf(page)).toContain('Tenant B');
  expect((await sam.submit(`${abroad}/+change`, { passwordLength: '14' })).headers.location).toBe(
    `${abroad}?done=tenants.change`,
  );
  expect(service.tenants.byHost(hosts.b)?.passwordLength).toBe(14);
  expect((await portalOf(service, hosts.a, 'sam@example.test')).cookies.size).toBe(2);
});

describe('A18: a secret', () => {
  const secretOn = (answer: Answer) =>
    /aria-label="The secret"><code>([\w-]{43,})</.exec(answer.text)?.[1] ?? '';
  const created = {
    clientId: 'shop',
    name: 'Shop',
    type: 'confidential',
    redirectUris: 'https://shop.test/cb',
  };

  it('is on the answer that makes it, works, and is nowhere else afterwards', async () => {
    const answer = await tina.submit(`${home}/clients/+create`, created);
    const secret = secretOn(answer);
    expect({ status: answer.status, length: secret.length }).toEqual({ status: 200, length: 43 });
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(answer.headers.location).toBeUndefined();

    const { code, verifier } = await codeFor(visitor(service, hosts.a), 'shop', 'https://shop.test/cb');
    const exchange = { grant_type: 'authorization_code', client_id: 'shop', code, code_verifier: verifier };
    expect((await token(service, hosts.a, { ...exchange, client_secret: secret })).status).toBe(200);

    const pages = ['', '/clients', '/clients/shop', '/clients/shop/+change', '/audit', '/audit/export'];
    for (const path of pages) expect((await tina.send(`${home}${path}`)).text).not.toContain(secret);
    expect(service.logLines.join('')).not.toContain(secret);
    const files = readdirSync(service.folder).filter((file) => file.startsWith('memberdoor.db'));
    for (const file of files) {
      expect(readFileSync(join(service.folder, file)).includes(secret)).toBe(false);
    }
  });

  it('pages 7: the same form sent again, as a reload does, makes no other', async () => {
    const path = `${home}/clients/shop/secrets/+add-secret`;
    const body = filledIn(await tina.send(path));
    const first = await tina.send(path, { body });
    expect(secretOn(first)).not.toBe('');
    const again = await tina.send(path, { body });
    expect({ status: again.status, secret: secretOn(again) }).toEqual({ status: 409, secret: '' });
    expect(mainOf(again)).toContain('This was sent already');
    const page = mainOf(await tina.send(`${home}/clients/shop`));
    expect(page.match(/\+remove-secret/g)).toHaveLength(2);
    expect(mainOf(await tina.send(home))).toContain('Shop has two live secrets');
  });

  it('two at once: one form makes one secret', async () => {
    await tina.submit(`${home}/clients/+create`, { ...created, clientId: 'once' });
    const path = `${home}/clients/once/secrets/+add-secret`;
    const body = filledIn(await tina.send(path));
    const answers = await Promise.all(Array.from({ length: 8 }, () => tina.send(path, { body })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
  });

  it('a token of the admin API is shown once too, and works', async () => {
    const answer = await tina.submit(`${home}/tokens/+create`, {
      name: 'deployment',
      permissions: ['clients:read', 'clients:write'],
    });
    const secret = secretOn(answer);
    expect(secret).toMatch(/^mda_/);
    const api = (path: string) =>
      service.http(hosts.a, `/api/v1/admin${path}`, { headers: { authorization: `Bearer ${secret}` } });
    expect((await api(`/tenants/${hosts.a}/clients`)).status).toBe(200);
    expect((await api(`/tenants/${hosts.a}/members`)).status).toBe(403);
    expect((await tina.send(`${home}/tokens`)).text).not.toContain(secret);
  });
});

describe('a form', () => {
  it('R18, pages 6: names each wrong address beside its field, and keeps what was written', async () => {
    const path = `${home}/clients/conf1/+change`;
    const redirectUris = [
      'https://app.test/cb',
      'http://evil.test/cb',
      'https://*.app.test/cb',
      'javascript:x',
    ];
    const answer = await tina.submit(path, { redirectUris: redirectUris.join('\n'), name: 'Kept' });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('<title>Error: Change client – Tenant A</title>');
    const field = /<textarea id="f-redirectUris"[^>]*>/.exec(answer.text)?.[0];
    expect(field).toMatch(/aria-describedby="f-redirectUris-hint f-redirectUris-error" aria-invalid="true"/);
    expect(answer.text.match(/<a href="#f-redirectUris">/g)).toHaveLength(3);
    expect(filledIn(answer).get('redirectUris')).toBe(redirectUris.join('\n'));
    expect(filledIn(answer).get('name')).toBe('Kept');
    expect(
      (await run<{ name: string }>(service, 'clients.read', { tenant: hosts.a, clientId: 'conf1' })).name,
    ).toBe('Confidential One');
    // The form that was refused can be sent again.
    const mended = filledIn(answer, {
      redirectUris: 'https://app.test/cb\nhttps://app.test/cb2',
      name: 'Confidential One',
    });
    expect((await tina.send(path, { body: mended })).status).toBe(303);
  });

  it('pages 6: every problem at once, in words, with its line', async () => {
    const answer = await tina.submit(`${home}/packages/+create`, {
      'price.amount': '-1',
      'price.currency': 'EUR',
      'period.count': 'many',
      'period.unit': 'month',
    });
    const page = mainOf(answer);
    for (const text of [
      'Name is missing.',
      'Payment is missing.',
      'Amount must be 0 or more.',
      'Count must be a whole number.',
    ]) {
      expect(page).toContain(text);
    }
  });

  it('pages 6: finds the field of a problem by what the field is called', async () => {
    const answer = await tina.submit(`${home}/clients/+create`, {
      clientId: 'a b',
      name: 'x'.repeat(3_000),
      type: 'public',
      redirectUris: 'http://evil.test/cb',
      logo: 'data:text/html,x',
    });
    const fields = [...answer.text.matchAll(/<li><a href="#f-(\w+)">/g)].map(([, name]) => name);
    expect(fields).toEqual(expect.arrayContaining(['clientId', 'redirectUris', 'logo']));
    expect(answer.text).not.toMatch(/<li>[A-Z]/);
  });

  it('never shows a password again', async () => {
    const answer = await tina.submit(`${home}/members/+create`, {
      fullName: '',
      email: 'new@example.test',
      password: 'hunter2-is-no-password',
    });
    expect(answer.status).toBe(422);
    expect(answer.text).not.toContain('hunter2-is-no-password');
  });

  it.each([
    { path: '/keys/+rotate', values: { emergency: 'true', algorithm: 'ES256' } },
    { path: '/clients/conf2/device-flow/+set-device-flow', values: { enabled: 'true', force: 'true' } },
  ])('asks once more before $path with what ends things', async ({ path, values }) => {
    const before = await allRows(service, ['auditEvents', 'sessions']);
    const asked = await sam.submit(`${home}${path}`, values);
    expect(asked.status).toBe(200);
    expect(mainOf(asked)).toContain('It is done as soon as you say yes.');
    expect(await allRows(service, ['auditEvents', 'sessions'])).toEqual(before);
    const done = await sam.send(`${home}${path}`, { body: filledIn(asked) });
    expect(done.status).toBe(303);
    expect(await allRows(service, ['auditEvents', 'sessions'])).not.toEqual(before);
  });

  it('puts nothing new in the place of what is there', async () => {
    const fields = { channelId: 'live', name: 'Live' };
    expect((await tina.submit(`${home}/channels/+define`, fields)).status).toBe(303);
    const again = await tina.submit(`${home}/channels/+define`, { ...fields, name: 'Other' });
    expect(again.status).toBe(422);
    expect(again.text).toContain('<a href="#f-channelId">');
    expect((await tina.submit(`${home}/channels/live/+define`, { name: 'Other' })).status).toBe(303);
    expect(mainOf(await tina.send(`${home}/channels`))).toContain('Other');
  });

  it('begins with what is there, and changes nothing that it does not show otherwise', async () => {
    const before = await run(service, 'tenants.read', { tenant: hosts.a });
    expect((await tina.submit(`${home}/+change`)).status).toBe(303);
    expect(await run(service, 'tenants.read', { tenant: hosts.a })).toEqual(before);
    const client = { tenant: hosts.a, clientId: 'third' };
    const third = await run(service, 'clients.read', client);
    expect((await tina.submit(`${home}/clients/third/+change`)).status).toBe(303);
    expect(await run(service, 'clients.read', client)).toEqual(third);
  });

  it('says "none" where that is no limit, and takes it back', async () => {
    const limit = () => service.tenants.byHost(hosts.a)?.limits.signUpsPerAddressAndHour;
    await tina.submit(`${home}/+change`, { 'limits.signUpsPerAddressAndHour': 'none' });
    expect(limit()).toBeNull();
    expect(mainOf(await tina.send(home))).toContain('no limit');
    expect(filledIn(await tina.send(`${home}/+change`)).get('limits.signUpsPerAddressAndHour')).toBe('none');
    await tina.submit(`${home}/+change`, { 'limits.signUpsPerAddressAndHour': '20' });
    expect(limit()).toBe(20);
  });

  it('warns whoever is about to close the portal that they look at', async () => {
    expect(mainOf(await sam.send(`${home}/+disable`))).toContain('its portal closes with it');
    expect(mainOf(await sam.send(`${abroad}/+disable`))).not.toContain('its portal closes with it');
  });

  it('H6: a repeated field counts once, and what nobody asked for not at all', async () => {
    const body = filledIn(await tina.send(`${home}/products/+create`), { name: 'Sport live' });
    body.append('__proto__', 'x');
    body.append('tenant', hosts.b);
    expect((await tina.send(`${home}/products/+create`, { body })).status).toBe(303);
    expect(mainOf(await tina.send(`${home}/products`))).toContain('Sport live');
    expect((await tina.send(`${home}/products/+create`, { body: 'name=%ff' })).status).toBe(403);
  });
});

describe('D14: what others wrote', () => {
  const hostile = [
    `<script>alert(1)</script>`,
    `"><img src=x onerror=alert(1)>`,
    '{{7*7}}',
    '<%= 1 %>',
    '<%~ it %>',
  ];

  it.each(hostile)('%s is shown as text on every page', async (name) => {
    const { id } = await run<{ id: string }>(service, 'members.create', {
      tenant: hosts.a,
      fullName: name,
      email: `m${hostile.indexOf(name)}@example.test`,
      password: 'kvist og eld i skogen',
    });
    const clientId = `hostile-${hostile.indexOf(name)}`;
    await run(service, 'clients.create', { tenant: hosts.a, clientId, name, type: 'confidential' });
    const paths = [
      '/members',
      `/members/${id}`,
      `/members/${id}/+change`,
      '/clients',
      `/clients/${clientId}`,
      '',
    ];
    for (const path of paths) {
      const { status, text } = await tina.send(`${home}${path}`);
      expect(status).toBe(200);
      expect(text).not.toMatch(/<script>alert|<img src=x/);
    }
    expect(mainOf(await tina.send(`${home}/members/${id}`))).toContain(name);
    const filtered = await tina.send(`${home}/audit?${new URLSearchParams({ clientId: name })}`);
    expect(filtered.text).not.toMatch(/<script>alert|<img src=x/);
  });
});

describe('a list', () => {
  it('pages through all of its entries, twenty at a time, each once', async () => {
    for (let index = 0; index < 25; index += 1) {
      await run(service, 'audit.list', { tenant: hosts.a });
      await run(service, 'products.create', { tenant: hosts.a, name: `Product ${index}` });
    }
    const all = (await auditEvents(service)).filter(
      ({ tenantId }) => tenantId === service.tenants.byHost(hosts.a)?.id,
    );
    const seen: number[] = [];
    let path: string | undefined = `${home}/audit?event=admin_acted`;
    while (path !== undefined) {
      const page = await tina.send(path);
      seen.push(page.text.match(/<tr>\n<td/g)?.length ?? 0);
      const next = /<a class="button" href="(\?[^"]*)">Next page/.exec(page.text)?.[1];
      path = next === undefined ? undefined : `${home}/audit${plain(next)}`;
    }
    expect(Math.max(...seen)).toBe(20);
    expect(seen.reduce((sum, count) => sum + count, 0)).toBe(
      all.filter(({ event }) => event === 'admin_acted').length,
    );
  });

  it('is searched and narrowed, and says what it was narrowed by', async () => {
    const found = await tina.send(`${home}/members?search=u1`);
    expect(mainOf(found)).toContain('u1@example.test');
    expect(mainOf(found)).not.toContain('u2@example.test');
    expect(found.text).toMatch(/id="f-search"[^>]* value="u1"/);
    expect(mainOf(await tina.send(`${home}/members?userType=tenant_admin`))).not.toContain('u1@example.test');
    expect(mainOf(await tina.send(`${home}/members?search=nobody-at-all`))).toContain('Nothing here.');
  });

  it('pages 6: names what cannot be searched for', async () => {
    const answer = await tina.send(`${home}/audit?from=yesterday&event=nothing`);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('<title>Error: Audit – Tenant A</title>');
    expect(answer.text).toContain('<a href="#f-from">');
    expect(answer.text).toContain('<a href="#f-event">');
  });

  it('narrows the audit by times in UTC, and exports just that', async () => {
    const now = new Date(service.clock.now() + 60_000).toISOString().slice(0, 16);
    expect(mainOf(await tina.send(`${home}/audit?from=${now}`))).toContain('Nothing here.');
    const page = await tina.send(`${home}/audit?until=${now}&event=admin_signed_in`);
    const href = /<a class="button" href="([^"]*)">Export/.exec(page.text)?.[1];
    const file = await tina.send(plain(String(href)));
    expect(file.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    const events = file.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string });
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['admin_signed_in']));
    expect(file.text).not.toContain(String(service.tenants.byHost(hosts.b)?.id));
  });

  it('says what was just done, and nothing that a link makes up', async () => {
    expect((await tina.send(`${home}/clients?done=clients.create`)).text).toContain('Client created.');
    expect((await tina.send(`${home}/clients?done=<b>`)).text).not.toContain('role="status"');
  });
});

describe('a client’s page', () => {
  it('has the last failed requests with the reason in words', async () => {
    const wrong = await token(service, hosts.a, {
      grant_type: 'refresh_token',
      client_id: 'conf2',
      client_secret: 'not the secret',
      refresh_token: 'x',
    });
    expect(wrong.status).toBe(401);
    await service.store.transaction((tx) =>
      tx
        .insertInto('auditEvents')
        .values({
          at: service.clock.now(),
          tenantId: String(service.tenants.byHost(hosts.a)?.id),
          event: 'authorization_refused',
          actorKind: 'client',
          actorId: 'conf2',
          target: null,
          clientId: 'conf2',
          address: '192.0.2.9',
          result: 'refused',
          reason: 'the redirect_uri is not registered',
        })
        .execute(),
    );
    const page = mainOf(await tina.send(`${home}/clients/conf2`));
    expect(page).toContain('the redirect_uri is not registered');
    expect(page).toContain('192.0.2.9');
    expect(page).toContain('authorization refused');
  });

  it('shows the device flow at the stage tenant and here, and refuses production first', async () => {
    await run(service, 'tenants.setStage', { tenant: hosts.a, stageTenant: hosts.b });
    await run(service, 'clients.setDeviceFlow', { tenant: hosts.b, clientId: 'nodev', enabled: false });
    const page = mainOf(await sam.send(`${home}/clients/nodev`)).replaceAll(/\s+/g, ' ');
    expect(page).toMatch(/<h3>Stage<\/h3>.*b\.test.*off.*<h3>Production<\/h3>.*a\.test.*off/);
    const path = `${home}/clients/nodev/device-flow/+set-device-flow`;
    const refused = await sam.submit(path, { enabled: 'true' });
    expect(refused.status).toBe(422);
    expect(mainOf(refused)).toContain('not on at the stage tenant');
    await sam.submit(`${abroad}/clients/nodev/device-flow/+set-device-flow`, { enabled: 'true' });
    expect((await sam.submit(path, { enabled: 'true' })).status).toBe(303);
    const after = mainOf(await sam.send(`${home}/clients/nodev`)).replaceAll(/\s+/g, ' ');
    expect(after).toMatch(/<h3>Stage<\/h3>.*flag on.*<h3>Production<\/h3>.*flag on/);
    const atStage = mainOf(await sam.send(`${abroad}/clients/nodev`)).replaceAll(/\s+/g, ' ');
    expect(atStage).toMatch(/<h3>Stage<\/h3>.*b\.test.*<h3>Production<\/h3>.*a\.test/);
    // Whoever has this tenant alone sees what the stage says, and no way to it; nobody asked for more.
    const before = (await auditEvents(service)).length;
    const own = mainOf(await tina.send(`${home}/clients/nodev`)).replaceAll(/\s+/g, ' ');
    expect(own).toMatch(/<h3>Stage<\/h3> <p><bdi>b\.test<\/bdi><\/p> <p><span class="flag on">on/);
    expect((await auditEvents(service)).length).toBe(before);
  });
});

describe('a tenant file', () => {
  const rows = () => allRows(service, ['auditEvents', 'sessions']);

  it('comes out of the portal, is compared without a change, and applied', async () => {
    const exported = await tina.send(`${home}/file?format=yaml`);
    expect(exported.headers['content-disposition']).toBe('attachment; filename="tenant-files-export.yaml"');
    const file = exported.text.replace('name: Tenant A', 'name: Tenant Aa');
    expect(file).not.toBe(exported.text);
    const before = await rows();
    const compared = await tina.submit(`${home}/file/+compare`, { file });
    expect(compared.status).toBe(200);
    expect(mainOf(compared)).toContain('Nothing is changed yet.');
    expect(mainOf(compared)).toContain('name: "Tenant A" → "Tenant Aa"');
    expect(await rows()).toEqual(before);
    const applied = await tina.send(`${home}/file/+apply`, { body: filledIn(compared) });
    expect(applied.status, mainOf(applied)).toBe(200);
    expect(mainOf(applied)).toContain('This was changed.');
    expect(service.tenants.byHost(hosts.a)?.name).toBe('Tenant Aa');
    const again = await tina.submit(`${home}/file/+compare`, { file });
    expect(mainOf(again)).toContain('Nothing: the two agree.');
    await tina.submit(`${home}/file/+apply`, { file: exported.text });
  });

  it('may be longer than other forms, and no longer than a file', async () => {
    const path = `${home}/file/+compare`;
    const long = await tina.submit(path, { file: `# ${'é'.repeat(30_000)}\ntenants: []\n` });
    expect(long.status).toBe(422);
    expect((await tina.submit(path, { file: 'x'.repeat(3 * fileBodyBytes) })).status).toBe(400);
    const other = await tina.submit(`${home}/products/+create`, { name: 'x'.repeat(20_000) });
    expect(other.status).toBe(400);
  });

  it('pages 6: keeps what was sent, and names what is wrong with it', async () => {
    const answer = await tina.submit(`${home}/file/+apply`, { file: 'tenants:\n  - nothing: 1\n' });
    expect(answer.status).toBe(422);
    expect(filledIn(answer).get('file')).toBe('tenants:\n  - nothing: 1\n');
    expect(mainOf(answer)).toContain('role="alert"');
  });
});
