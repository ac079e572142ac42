import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileBodyBytes } from '../../../../src/core/limits.ts';
import { type LocalSocket, openSocket } from '../../../../src/http/admin/socket.ts';
import { operations } from '../../../../src/operations/admin/index.ts';
import { hosts } from '../../../support/fixtures.ts';
import { run } from '../../../support/operators/desk.ts';
import { filledIn, mainOf, newAdmin, type PortalVisitor, plain } from '../../../support/operators/portal.ts';
import { applied } from '../../../support/operators/tenant-file.ts';
import { allRows } from '../../../support/records/rows.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });
let socket: LocalSocket | null;
/** An administrator of tenant A. */
let tina: PortalVisitor;

const home = `/admin/tenants/${hosts.a}`;

beforeAll(async () => {
  socket = await openSocket(service.folder, operations, service.deps, service.app.log);
  tina = await newAdmin(service, hosts.a, 'tina@example.test');
});
afterAll(async () => {
  await socket?.close();
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
    expect(mainOf(compared)).toContain('Nothing has changed yet.');
    expect(mainOf(compared)).toContain('name: "Tenant A" → "Tenant Aa"');
    expect(await rows()).toEqual(before);
    const applied = await tina.send(`${home}/file/+apply`, { body: filledIn(compared) });
    expect(applied.status, mainOf(applied)).toBe(200);
    expect(mainOf(applied)).toContain('Done: 0 added, 1 changed, 0 ended.');
    expect(service.tenants.byHost(hosts.a)?.name).toBe('Tenant Aa');
    const again = await tina.submit(`${home}/file/+compare`, { file });
    expect(mainOf(again)).toContain('Nothing to do.');
    await tina.submit(`${home}/file/+apply`, { file: exported.text });
  });

  it('is compared in the words of the command: what stays, what is counted, and that there is nothing to do', async () => {
    const lines = (text: string) => text.split('\n').map((line) => line.trim());
    const compare = async (text: string, options: readonly string[]) => {
      const compared = await tina.submit(`${home}/file/+compare`, {
        file: text,
        ...(options.includes('--prune') ? { prune: 'true', confirmed: 'yes' } : {}),
      });
      const said = await applied(service.folder, text, options);
      return { page: plain(mainOf(compared)), said: lines(said.out), compared };
    };
    const begun = `tenants:\n  - issuer: https://${hosts.a}\n    name: Tenant A\n`;
    await run(service, 'channels.define', {
      tenant: hosts.a,
      channelId: 'left',
      name: 'Left',
      productIds: [],
    });
    const others = `${begun}    channels:\n      - { id: new, name: New, products: [] }\n    brandColor: "#112233"\n`;
    const kept = await compare(others, []);
    expect(kept.said).toContain('- channel left: only in the database, and stays (deleted with --prune)');
    expect(kept.page).toContain('only in the database, and stays (deleted with “Prune”)');
    const colour = kept.said.find((line) => line.startsWith('brandColor: ')) ?? '';
    expect(kept.page).toContain(colour.replace('->', '→'));
    const [counts] = /\d+ added, \d+ changed, \d+ ended/.exec(kept.said.join('\n')) ?? [];
    expect(kept.page).toContain(`${counts}. Nothing has changed yet.`);
    expect(kept.page).toContain('>Apply<');

    const done = await tina.send(`${home}/file/+apply`, { body: filledIn(kept.compared) });
    expect(plain(mainOf(done))).toContain(`Done: ${counts}.`);
    const same = await compare(others, []);
    expect(same.said).toContain('Nothing to do.');
    expect(same.page).toContain('Nothing to do.');
    expect(same.page).not.toContain('>Apply<');
  });

  it('may be longer than other forms, and no longer than a file', async () => {
    const path = `${home}/file/+compare`;
    const long = await tina.submit(path, { file: `# ${'é'.repeat(30_000)}\ntenants: []\n` });
    expect(long.status).toBe(422);
    expect((await tina.submit(path, { file: 'x'.repeat(3 * fileBodyBytes) })).status).toBe(413);
    const other = await tina.submit(`${home}/products/+create`, { name: 'x'.repeat(20_000) });
    expect(other.status).toBe(413);
  });

  it('pages 6: keeps what was sent, and names what is wrong with it', async () => {
    const answer = await tina.submit(`${home}/file/+apply`, { file: 'tenants:\n  - nothing: 1\n' });
    expect(answer.status).toBe(422);
    expect(filledIn(answer).get('file')).toBe('tenants:\n  - nothing: 1\n');
    expect(mainOf(answer)).toContain('role="alert"');
  });
});
