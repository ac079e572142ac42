import { beforeAll, describe, expect, it } from 'vitest';
import { hosts } from '../../../support/fixtures.ts';
import { auditEvents } from '../../../support/operators/api.ts';
import { run } from '../../../support/operators/desk.ts';
import { mainOf, newAdmin, type PortalVisitor, plain } from '../../../support/operators/portal.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });
/** An administrator of tenant A. */
let tina: PortalVisitor;

const home = `/admin/tenants/${hosts.a}`;

beforeAll(async () => {
  tina = await newAdmin(service, hosts.a, 'tina@example.test');
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

  it('pages 20: says once what was just done, and nothing that an address makes up', async () => {
    const isNoticed = async (path: string) => (await tina.send(path)).text.includes('role="status"');
    for (const typed of ['done=clients.create', 'saved=1', 'done=<b>']) {
      expect(await isNoticed(`${home}/clients?${typed}`), typed).toBe(false);
    }
    const { headers } = await tina.submit(`${home}/products/+create`, { name: 'Told once' });
    const page = String(headers.location);
    expect(await isNoticed(`${home}/clients`)).toBe(false);
    expect((await tina.send(page)).text).toContain('Product created.');
    expect(await isNoticed(page)).toBe(false);
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
