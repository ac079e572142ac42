import { beforeAll, describe, expect, it } from 'vitest';
import { updateRow } from '../../../../../src/storage/rows.ts';
import { hosts } from '../../../../support/fixtures.ts';
import { auditEvents } from '../../../../support/operators/api.ts';
import { run } from '../../../../support/operators/desk.ts';
import { mainOf, newAdmin, type PortalVisitor, plain } from '../../../../support/operators/portal.ts';
import {
  beginWorld,
  newAnswer,
  newCheckout,
  newClient,
  newInvoice,
  newSession,
  type World,
} from '../../../../support/operators/world.ts';
import { useService } from '../../../../support/use-service.ts';

const service = useService({ data: 'security' });
/** An administrator of tenant A, and one of everything. */
let tina: PortalVisitor;
let sam: PortalVisitor;
let world: World;

const home = `/admin/tenants/${hosts.a}`;

beforeAll(async () => {
  tina = await newAdmin(service, hosts.a, 'tina@example.test');
  world = await beginWorld(service, 'lists.test');
  sam = await newAdmin(service, world.host, 'sam@lists.test', 'system_admin');
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
      const next = /rel="next" href="(\?[^"]*)"/.exec(page.text)?.[1];
      path = next === undefined ? undefined : `${home}/audit${plain(next)}`;
    }
    expect(Math.max(...seen)).toBe(20);
    expect(seen.reduce((sum, count) => sum + count, 0)).toBe(
      all.filter(({ event }) => event === 'admin_acted').length,
    );
  });

  it('offers its file where it has entries', async () => {
    const filed = async (query: string) =>
      mainOf(await tina.send(`${home}/members${query}`)).includes('format=csv');
    expect(await filed('?search=u1')).toBe(true);
    expect(await filed('?search=xyzzy')).toBe(false);
  });

  it('is searched and narrowed, and says what it was narrowed by', async () => {
    const found = await tina.send(`${home}/members?search=u1`);
    expect(mainOf(found)).toContain('u1@example.test');
    expect(mainOf(found)).not.toContain('u2@example.test');
    expect(found.text).toMatch(/id="f-search"[^>]* value="u1"/);
    expect(mainOf(await tina.send(`${home}/members?userType=tenant_admin`))).not.toContain('u1@example.test');
    expect(mainOf(await tina.send(`${home}/members?search=nobody-at-all`))).toContain(
      'Nothing matches these filters',
    );
  });

  it('of tenants is searched by name and host, as far as the administrator has them', async () => {
    const found = mainOf(await sam.send('/admin/tenants?search=WORL'));
    expect([found.includes('lists.test'), found.includes(hosts.a)]).toEqual([true, false]);
    expect(mainOf(await sam.send('/admin/tenants?search=lists.t'))).toContain('1 tenant found');
    expect(mainOf(await tina.send('/admin/tenants?search=lists'))).toContain('Nothing matches these filters');
  });

  it('pages 20: says what would be in it while it is empty, and leads on', async () => {
    const list = `/admin/tenants/${world.host}/apis`;
    const none = mainOf(await sam.send(list));
    expect(none).toContain('<h2>No APIs yet</h2>');
    expect(none).not.toContain('Filters');
    expect(none).toContain(`<a class="button main" href="${list}/+create">New API</a>`);
    const narrowed = mainOf(await sam.send(`${list}?identifier=https://none.example.com`));
    expect(narrowed).toContain('<h2>Nothing matches these filters</h2>');
    expect(narrowed).toContain('<a class="button" href="?">Remove all filters</a>');
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
    expect(mainOf(await tina.send(`${home}/audit?from=${now}`))).toContain('Nothing matches these filters');
    const page = await tina.send(`${home}/audit?until=${now}&event=admin_signed_in`);
    const href = /class="button" href="([^"]*)">Export as JSON Lines/.exec(page.text)?.[1];
    const file = await tina.send(plain(String(href)));
    expect(file.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    const events = file.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string });
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['admin_signed_in']));
    expect(file.text).not.toContain(String(service.tenants.byHost(hosts.b)?.id));
  });

  it('pages 20: says once what was just done, and nothing that an address makes up', async () => {
    const isNoticed = async (path: string) => (await tina.send(path)).text.includes('role="status"');
    for (const typed of ['done=clients.create', 'saved=1', 'done=<b>']) {
      expect(await isNoticed(`${home}/clients?${typed}`), typed).toBe(false);
    }
    const { headers } = await tina.submit(`${home}/products/+create`, { name: 'Told once' });
    const page = String(headers.location);
    expect(await isNoticed(`${home}/clients`)).toBe(false);
    expect((await tina.send(page)).text).toContain('Told once created.');
    expect(await isNoticed(page)).toBe(false);
  });
});

describe('pages 21: a name stands where an id stood', () => {
  const shown = async (path: string) => mainOf(await sam.send(`/admin/tenants/${world.host}${path}`));

  it('of members, with the address below it and the page of the member behind it', async () => {
    await newInvoice(world);
    await newCheckout(world);
    await newAnswer(world);
    const page = `/admin/tenants/${world.host}/members/${world.memberId}`;
    for (const list of ['/invoices', '/checkouts']) {
      const text = await shown(list);
      expect(text).toContain(`<a href="${page}" title="${world.memberId}"><bdi>Ada Berg</bdi></a>`);
      expect(text).toContain('<span class="under"><bdi>ada@example.test</bdi></span>');
    }
    expect(await shown('/checkouts')).toContain(`<bdi title="${world.packageId}">Gold</bdi>`);
    expect(await shown('/consent-answers')).toMatch(/<bdi>member-\d<\/bdi>/);
  });

  it('of the apps and the browsers that a member is signed in with', async () => {
    const { sessionId } = await newSession(world);
    const member = `/members/${world.memberId}`;
    expect(await shown(`${member}/sign-ins`)).toMatch(/title="client-1"><bdi>The client-1<\/bdi>/);
    const userAgent =
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';
    await service.store.transaction((tx) => updateRow(tx, 'sessions', { id: sessionId }, { userAgent }));
    expect(await shown(`${member}/sessions`)).toContain(`<bdi title="${userAgent}">Chrome on Linux</bdi>`);
  });

  it('of who did what in the audit, in a sentence, with everything that is known of it behind', async () => {
    const clientId = await newClient(world);
    await world.operate('clients.disable', { clientId });
    await sam.submit(`/admin/tenants/${world.host}/clients/${clientId}/+enable`);
    const text = await shown('/audit?event=admin_acted&result=done');
    const row = text.slice(text.indexOf('<tr>\n<td'), text.indexOf('</tr>', text.indexOf('<tr>\n<td')));
    const words = row.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(words).toContain(`An administrator enabled the client The ${clientId}`);
    expect(row).toContain(`href="/admin/tenants/${world.host}/clients/${clientId}"`);
    expect(words).toMatch(/Details Event admin acted .* Reason clients\.enable/);
    expect(mainOf(await sam.send('/admin/audit'))).toMatch(/data-label="Tenant">\s*<bdi>World<\/bdi>/);
  });

  it('and names no member to an administrator who may not read members', async () => {
    await newInvoice(world);
    const names = async (...permissions: readonly string[]) => {
      const { secret } = await world.operate<{ secret: string }>('tokens.create', {
        name: 'names',
        permissions,
      });
      const headers = { authorization: `Bearer ${secret}` };
      const answer = await service.http(world.host, `/api/v1/admin/tenants/${world.host}/invoices`, {
        headers,
      });
      return new Set(
        (JSON.parse(answer.text) as { invoices: { memberName: string | null }[] }).invoices.map(
          ({ memberName }) => memberName,
        ),
      );
    };
    expect(await names('subscriptions:read')).toEqual(new Set([null]));
    expect(await names('subscriptions:read', 'members:read')).toEqual(new Set(['Ada Berg']));
  });
});

describe('D14: what others wrote', () => {
  it('is never taken for a picture or a colour', async () => {
    const picture = `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'/%3E`;
    for (const [index, fullName] of [picture, '#ff0000'].entries()) {
      const { id } = await run<{ id: string }>(service, 'members.create', {
        tenant: hosts.a,
        fullName,
        email: `drawn${index}@example.test`,
        nickName: fullName,
        password: 'kvist og eld i skogen',
      });
      for (const path of ['/members?search=drawn', `/members/${id}`]) {
        const main = mainOf(await tina.send(`${home}${path}`));
        expect(main).not.toMatch(/<img|class="swatch"/);
        expect(main).toContain(fullName);
      }
    }
  });

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
