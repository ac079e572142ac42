import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileBodyBytes } from '../../../src/core/limits.ts';
import { hosts } from '../../support/fixtures.ts';
import { filledIn, mainOf, newAdmin, type PortalVisitor } from '../../support/operators/portal.ts';
import { allRows } from '../../support/records/rows.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
/** An administrator of tenant A. */
let tina: PortalVisitor;

const home = `/admin/tenants/${hosts.a}`;

beforeAll(async () => {
  service = await startTestService({ data: 'security' });
  tina = await newAdmin(service, hosts.a, 'tina@example.test');
});
afterAll(() => service.stop());

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
