import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { openSocket } from '../../../src/http/admin/socket.ts';
import { operations } from '../../../src/operations/admin/index.ts';
import { readTenantFile } from '../../../src/operations/tenant-file/read.ts';
import { lookUpIn } from '../../../src/operations/tenant-file/references.ts';
import type { FileTenant, TenantFile } from '../../../src/operations/tenant-file/tenant-file.ts';
import { tenantFileSchema } from '../../../src/operations/tenant-file/tenant-file.ts';
import { command } from '../../support/operators/command.ts';
import { applied, exported } from '../../support/operators/tenant-file.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { useStarted } from '../../support/use-service.ts';
import { telling, untold } from './telling.ts';

interface Served {
  readonly service: TestService;
  stop(): Promise<void>;
}

async function serve(): Promise<Served> {
  const service = await startTestService({ data: 'nothing' });
  const socket = await openSocket(service.folder, operations, service.deps, service.app.log);
  const stop = async () => {
    await socket?.close();
    await service.stop();
  };
  return { service, stop };
}

/** One that was filled by a file in which every field tells, and one in which every field was changed so. */
const made = useStarted(serve);
const changed = useStarted(serve);
const tellingText = JSON.stringify(telling);

interface Described {
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
}

/** The names of every field in a schema, and the names of every field in a value. */
function namesIn(schema: Described, path = ''): readonly string[] {
  const { properties = {}, items } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, inner]) => [
      `${path}${name}`,
      ...namesIn(inner, `${path}${name}.`),
    ]),
    ...(items === undefined ? [] : namesIn(items, path)),
  ];
}

function namesOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => namesOf(one, path));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    `${path}${name}`,
    ...namesOf(inner, `${path}${name}.`),
  ]);
}

describe('a file in which every field tells', () => {
  it('has every field that there is, but for those that stand for another', () => {
    const missing = namesIn(tenantFileSchema).filter((name) => !namesOf(telling).includes(name));
    expect(missing).toEqual([
      'tenants.development',
      'tenants.logoFile',
      'tenants.faviconFile',
      'tenants.coverPictureFile',
      'tenants.identityProviders.clientSecretFile',
      'tenants.identityProviders.clientSecretEnv',
      'tenants.identityProviders.clientSecret',
      'tenants.clients.secretFile',
      'tenants.clients.secretEnv',
      'tenants.clients.secret',
      'tenants.clients.logoFile',
      'tenants.members.password',
    ]);
  });

  it('makes a service, which writes it back as it was', async () => {
    expect(await applied(made.service.folder, tellingText)).toMatchObject({ code: 0, err: '' });
    const written = parse(await exported(made.service.folder, ['--members'])) as TenantFile;
    expect(written.tenants[0]).toEqual(telling.tenants[0]);
    expect(Object.keys(written.tenants[0] ?? {})).toEqual(Object.keys(telling.tenants[0] ?? {}));
    expect(written.tenants[1]).toMatchObject({ ...telling.tenants[1] });
  });

  it('changes a service that says something else of everything, field by field', async () => {
    expect(await applied(changed.service.folder, JSON.stringify(untold))).toMatchObject({ code: 0, err: '' });
    const { code, out } = await applied(changed.service.folder, tellingText);
    expect(code).toBe(0);
    expect(out).toContain('  ~ tenant login.telling.test:8443\n      name: "Untold" -> "Telling & Söhne"\n');
    expect(out).toContain('      secrets: z3Xnt1ft -> x3Xnt1ft, -3Xnt1ft\n');
    expect(out).not.toContain('  + ');
    const written = parse(await exported(changed.service.folder, ['--members'])) as TenantFile;
    const { members: [ada] = [], ...tenant } = written.tenants[0] ?? {};
    const { members: [given] = [], ...expected } = telling.tenants[0] ?? {};
    expect(tenant).toEqual(expected);
    // The address is the member's name, and stays as it was written first.
    expect(ada).toEqual({ ...given, email: 'ada@example.com' });
  });
});

describe('what is exported', () => {
  it.each([['yaml'], ['json']])('as %s is nothing to do, and the same again', async (format) => {
    const options = ['--members', '--format', format];
    const text = await exported(made.service.folder, options);
    expect(await applied(made.service.folder, text)).toEqual({ code: 0, out: 'Nothing to do.\n', err: '' });
    expect(await exported(made.service.folder, options)).toBe(text);
  });

  it('makes the same service elsewhere, byte for byte', async () => {
    const text = await exported(made.service.folder, ['--members']);
    const { service, stop } = await serve();
    onTestFinished(stop);
    expect(await applied(service.folder, text)).toMatchObject({ code: 0, err: '' });
    expect(await exported(service.folder, ['--members'])).toBe(text);
    expect(await applied(service.folder, text)).toMatchObject({ code: 0, out: 'Nothing to do.\n' });
  });

  it('has no members unless they are asked for, and one tenant if it is', async () => {
    const all = parse(await exported(made.service.folder)) as TenantFile;
    expect(all.tenants.map(({ issuer }) => issuer)).toEqual(telling.tenants.map(({ issuer }) => issuer));
    expect(all.tenants.some((tenant) => 'members' in tenant)).toBe(false);
    const one = parse(await exported(made.service.folder, ['--tenant', 'stage.telling.test'])) as TenantFile;
    expect(one.tenants.map(({ issuer }) => issuer)).toEqual(['https://stage.telling.test']);
  });
});

it('what a file leaves out of an entry stays as it is', async () => {
  const { folder } = changed.service;
  const whole = async () => (parse(await exported(folder, ['--members'])) as TenantFile).tenants[0];
  const before = await whole();
  const name = 'Another';
  const other: FileTenant = {
    issuer: String(before?.issuer),
    name,
    packages: (before?.packages ?? []).map(({ name: same, price, payment, products }) => {
      return { name: same, price, payment, products, period: { unit: 'year', count: 1 } };
    }),
    channels: (before?.channels ?? []).map(({ id, products }) => ({ id, name, products })),
    consents: (before?.consents ?? []).map(({ id }) => ({ id, name })),
    clients: (before?.clients ?? []).map(({ clientId, type }) => ({ clientId, type, name })),
    members: (before?.members ?? []).map(({ email }) => ({ email, fullName: name })),
  };
  expect(await applied(folder, JSON.stringify({ tenants: [other] }))).toMatchObject({ code: 0, err: '' });
  const named = <Entry extends object>(entries: readonly Entry[] = []) =>
    entries.map((entry) => ({ ...entry, name }));
  expect(await whole()).toEqual({
    ...before,
    name,
    packages: before?.packages?.map((one) => ({ ...one, period: { unit: 'year', count: 1 } })),
    channels: named(before?.channels),
    consents: named(before?.consents),
    clients: named(before?.clients),
    members: before?.members?.map((one) => ({ ...one, fullName: name })),
  });
});

describe('the documentation', () => {
  const read = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

  it('has an example that is applied, and twice is once', async () => {
    const place = temporaryFolder();
    const file = join(place, 'tenant.yaml');
    writeFileSync(file, read('examples/tenant.yaml'));
    writeFileSync(join(place, 'example-web.secret'), 'a-secret-of-a-test-that-is-long-enough\n');
    const { folder } = changed.service;
    const first = await command(folder, ['apply', file, '--yes']);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toContain('  + client example-web\n');
    const second = await command(folder, ['apply', file, '--yes']);
    expect(second).toEqual({ code: 0, out: 'Nothing to do.\n', err: '' });
    expect(changed.service.tenants.byHost('login.example.com')?.deviceFlow).toBe(true);
  });

  it('names every field, and its files are sound', () => {
    const page = read('tenant-files.md');
    const fields = new Set(namesIn(tenantFileSchema).flatMap((name) => name.split('.').at(-1) ?? []));
    const ofLimitsAndAddress = /Per[A-Z]|^pendingDeviceCodes$|^(?:line1|city|postCode|postOffice|country)$/;
    for (const field of [...fields].filter((name) => !ofLimitsAndAddress.test(name))) {
      expect(page).toMatch(new RegExp(`\\b${field}\\b`));
    }
    const files = [...page.matchAll(/```yaml\n(tenants:[^`]+)```/g)].map(([, text]) => String(text));
    expect(files).toHaveLength(1);
    for (const text of files) expect(readTenantFile(text, lookUpIn({}))).toMatchObject({ ok: true });
  });
});
