import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/core/hash.ts';
import { auditEvents } from '../../support/operators/api.ts';
import { adminOf, refusal, run, tokenOf } from '../../support/operators/desk.ts';
import { exported } from '../../support/operators/tenant-file.ts';
import { allRows } from '../../support/records/rows.ts';
import { startTestService } from '../../support/service.ts';

import { base, giveBase, host, inDevelopment, named, secretHash, text } from './base.ts';

const given = giveBase();
const { apply, problemsOf } = given;

describe('what cannot be done is told with its place, and changes nothing', () => {
  it.each([
    [
      'an error in the last entry, found while it is done',
      {
        ...named,
        products: ['New'],
        clients: [{ clientId: 'last', name: 'L', type: 'public' }],
        members: [
          {
            email: 'z@example.com',
            fullName: 'Z',
            subscriptions: [
              { package: 'Gold', activatedAt: '2020-01-01T00:00:00Z', endedAt: '2021-01-02T00:00:00Z' },
            ],
          },
        ],
      },
      /^\d+:\d+: its times cannot have come one after the other$/,
    ],
    [
      'a new client with a name that turns the text around it',
      { ...named, clients: [{ clientId: 'new', name: 'New\u202e', type: 'public' }] },
      /^6:15: the name has a control character, or one that turns the text around it$/,
    ],
    [
      'a client with another name, which is too long',
      { ...named, clients: [{ clientId: 'tv', name: 'x'.repeat(15_000), type: 'public' }] },
      /^6:15: the name has more than 60 characters$/,
    ],
    [
      'a client of another type',
      { ...named, clients: [{ clientId: 'tv', name: 'TV', type: 'confidential', secretHash }] },
      /^7:15: the client is public, and stays so/,
    ],
    [
      'a confidential client without a secret',
      { ...named, clients: [{ clientId: 'api', name: 'API', type: 'confidential' }] },
      /^5:9: a confidential client needs a secret/,
    ],
    [
      'a property of another type',
      { ...named, properties: [{ key: 'seats', type: 'string' }] },
      /^6:15: the property seats is a number, and stays one$/,
    ],
    [
      'a product that nobody knows',
      { ...named, channels: [{ id: 'x', name: 'X', products: ['Nothing'] }] },
      /^8:13: there is no product "Nothing"$/,
    ],
    [
      'a package that nobody knows',
      {
        ...named,
        members: [{ email: 'q@example.com', fullName: 'Q', subscriptions: [{ package: 'Nothing' }] }],
      },
      /^8:22: there is no package "Nothing"$/,
    ],
    [
      'a property that nobody knows',
      {
        ...named,
        members: [
          {
            email: 'q@example.com',
            fullName: 'Q',
            subscriptions: [{ package: 'Gold', properties: { chairs: 1 } }],
          },
        ],
      },
      /: the property "chairs" is not defined$/,
    ],
    [
      'the number of somebody else',
      { ...named, members: [{ email: 'q@example.com', fullName: 'Q', userId: 1_001 }] },
      /^7:17: the userId is somebody else’s$/,
    ],
    [
      'another number of a member',
      { ...named, members: [{ email: 'ada@example.com', fullName: 'Ada', memberNumber: 5 }] },
      /^7:23: the member of this address has another memberNumber, which stays$/,
    ],
    [
      'a tenant that turns to development',
      { ...named, development: false },
      /^4:18: the tenant is one of development, and stays so$/,
    ],
    [
      'a stage that nobody knows',
      { ...named, stageTenant: 'nowhere.test' },
      /^4:18: there is no tenant "nowhere.test"/,
    ],
    [
      'a host that is taken',
      { issuer: 'https://base.localhost', name: 'B' },
      /^2:13: http:\/\/base.localhost is at that host already$/,
    ],
  ])('%s', async (_what, tenant, problem) => {
    const before = await allRows(given.service());
    expect(await problemsOf(tenant)).toEqual([expect.stringMatching(problem)]);
    expect(await allRows(given.service())).toEqual(before);
  });

  it('all at once, and before the file that names it on the command line', async () => {
    const said = await apply({
      ...named,
      stageTenant: 'nowhere.test',
      clients: [{ clientId: 'api', name: 'A', type: 'confidential' }],
    });
    expect(said).toMatchObject({ code: 1, out: '' });
    expect(said.err.split('\n').map((line) => line.split(' ')[0])).toEqual(['-:4:18:', '-:6:9:', '']);
  });

  it('two products of one name, which a file cannot tell apart', async () => {
    const { id } = await run<{ id: number }>(given.service(), 'products.create', {
      tenant: host,
      name: 'News',
    });
    expect(await problemsOf({ ...named, products: ['News'] })).toEqual([
      '5:9: two products in the database are called "News": give one another name first',
    ]);
    expect((await refusal(given.service(), 'tenantFiles.export', { tenant: host })).problems).toEqual([
      `two products of ${host} are called "News": give one another name first`,
    ]);
    await run(given.service(), 'products.change', { tenant: host, productId: id, name: 'Newer' });
  });
});

describe('who applies a file', () => {
  const tenantFile = {
    file: text({ ...named, name: 'Theirs', clients: [{ clientId: 'tv', name: 'T', type: 'public' }] }),
  };
  const own = { tenant: host, ...tenantFile };

  it('an administrator of the tenant changes it, and sees what would change', async () => {
    const admin = adminOf(given.service(), host);
    expect(await run(given.service(), 'tenantFiles.compare', own, admin)).toMatchObject({
      changes: [{ noun: 'tenant' }, { noun: 'client' }, {}],
    });
    await run(given.service(), 'tenantFiles.apply', own, admin);
    expect(given.service().tenants.byHost(host)?.name).toBe('Theirs');
    const events = await auditEvents(given.service());
    expect(events.at(-2)).toMatchObject({
      actorKind: 'admin',
      actorId: `admin of ${host}`,
      address: '192.0.2.7',
      target: 'tv',
    });
  });

  it('A17: and learns and changes nothing of another, or of what is the system’s', async () => {
    const admin = adminOf(given.service(), host);
    const refusedFor = async (...tenants: readonly object[]) =>
      refusal(given.service(), 'tenantFiles.apply', { tenant: host, file: text(...tenants) }, admin);
    const alone = {
      kind: 'invalid',
      problems: [`the file is to describe ${base.issuer}, and no other tenant`],
    };
    expect(await refusedFor({ issuer: 'https://flow.test', name: 'X' })).toEqual(alone);
    expect(await refusedFor(named, { issuer: 'https://new.test', name: 'X' })).toEqual(alone);
    const other = { tenant: host, file: text({ issuer: 'https://flow.test', name: 'X' }) };
    expect(await refusal(given.service(), 'tenantFiles.compare', other, admin)).toEqual(alone);
    for (const stageTenant of ['flow.test', 'nowhere.test']) {
      expect(await refusedFor({ ...named, stageTenant })).toEqual({
        kind: 'conflict',
        problems: ['4:18: only whoever has every tenant sets the stage of one'],
      });
    }
    for (const tenant of [
      { ...named, disabled: true },
      { ...named, clients: [{ clientId: 'tv', name: 'T', type: 'public', deviceFlow: true }] },
      { ...named, clients: [{ clientId: 'tv2', name: 'T', type: 'public', deviceFlow: true }] },
      { ...named, members: [{ email: 'root@example.com', fullName: 'Root', userType: 'system_admin' }] },
    ]) {
      expect(await refusedFor(tenant)).toMatchObject({ kind: 'denied' });
    }
  });

  it.each([
    ['clients:write', /^the client tv needs the permission clients:write$/],
    ['access:read', /^to apply a file needs the permissions tenants:read, clients:read, access:read$/],
  ])('a token without %s does nothing by a file either', async (permission, problem) => {
    const all = ['tenants:read', 'tenants:write', 'clients:read', 'clients:write', 'access:read'] as const;
    const token = tokenOf(
      given.service(),
      host,
      all.filter((one) => one !== permission),
    );
    const file = text({ ...named, clients: [{ clientId: 'tv', name: 'Not theirs', type: 'public' }] });
    const before = await allRows(given.service(), ['auditEvents']);
    expect(await refusal(given.service(), 'tenantFiles.apply', { tenant: host, file }, token)).toEqual({
      kind: 'denied',
      problems: [expect.stringMatching(problem)],
    });
    expect(await allRows(given.service(), ['auditEvents'])).toEqual(before);
  });

  it.each([
    ['access:read', { products: [] }],
    ['clients:read', { clients: [] }],
    ['members:read', { members: [] }],
    ['subscriptions:read', { members: [] }],
  ])('a token without %s learns nothing by a file either', async (permission, section) => {
    const all = [
      'tenants:read',
      'clients:read',
      'access:read',
      'members:read',
      'subscriptions:read',
    ] as const;
    const input = { tenant: host, file: text({ ...named, ...section }) };
    const compare = (granted: readonly (typeof all)[number][]) =>
      run(given.service(), 'tenantFiles.compare', input, tokenOf(given.service(), host, granted));
    expect(await compare(all)).toMatchObject({ changes: expect.any(Array) });
    await expect(compare(all.filter((one) => one !== permission))).rejects.toMatchObject({ kind: 'denied' });
  });

  it('hashes are exported to those who could set them, and those of passwords to those who may do all', async () => {
    const reader = tokenOf(given.service(), null, [
      'tenants:read',
      'clients:read',
      'access:read',
      'members:read',
    ]);
    const writer = tokenOf(given.service(), null, [
      'tenants:read',
      'clients:read',
      'access:read',
      'clients:write',
    ]);
    for (const [actor, members] of [
      [reader, false],
      [writer, true],
    ] as const) {
      expect(await refusal(given.service(), 'serviceTenantFiles.export', { members }, actor)).toMatchObject({
        kind: 'denied',
      });
    }
    const { text: file } = await run<{ text: string }>(
      given.service(),
      'serviceTenantFiles.export',
      {},
      writer,
    );
    expect(file).toContain(secretHash);
    expect(file).not.toContain('passwordHash');
  });
});

it('A18: no secret and no password of a file is in an answer, a log, the audit or the database', async () => {
  const secret = 'a-secret-in-the-file-itself-1234';
  const password = 'a password in the file itself';
  const tenant = {
    ...inDevelopment,
    clients: [{ clientId: 'hush', name: 'Hush', type: 'confidential', secret }],
    members: [{ email: 'hush@example.com', fullName: 'Hush', password }],
  };
  const said = [
    await apply(tenant, '--dry-run'),
    await apply(tenant),
    await apply({ ...tenant, passwordLength: 1 }),
  ];
  expect(said.map(({ code }) => code)).toEqual([3, 0, 1]);
  const all = await exported(given.service().folder, ['--members', '--format', 'json']);
  expect(all).toContain(sha256(secret));
  const files = readdirSync(given.service().folder).filter((name) => name.startsWith('memberdoor.db'));
  const bytes = Buffer.concat(files.map((name) => readFileSync(join(given.service().folder, name))));
  expect(bytes.includes('hush@example.com')).toBe(true);
  const told = [
    JSON.stringify(said),
    all,
    given.service().logLines.join(''),
    JSON.stringify(await auditEvents(given.service())),
    bytes.toString('latin1'),
  ];
  for (const place of told) {
    expect(place).not.toContain(secret);
    expect(place).not.toContain(password);
  }
});

it('a development tenant is made by a development service alone', async () => {
  const production = await startTestService({ data: 'nothing' });
  try {
    const input = { file: text({ issuer: 'http://localhost', name: 'D', development: true }) };
    expect(await refusal(production, 'serviceTenantFiles.apply', input)).toMatchObject({
      problems: ['4:18: this is a production service, which has no development tenants'],
    });
  } finally {
    await production.stop();
  }
});
