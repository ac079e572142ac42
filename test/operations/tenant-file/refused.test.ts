import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/core/hash.ts';
import { auditEvents } from '../../support/operators/api.ts';
import { refusal } from '../../support/operators/desk.ts';
import { exported } from '../../support/operators/tenant-file.ts';
import { allRows } from '../../support/records/rows.ts';
import { serviceForTest } from '../../support/use-service.ts';
import { giveBase, inDevelopment, named, secretHash, text } from './base.ts';

const given = giveBase();
const { apply, problemsOf } = given;

describe('what cannot be done is told with its place, and changes nothing', () => {
  const refusedByCompare = async (tenant: object) =>
    (await refusal(given.service(), 'serviceTenantFiles.compare', { file: text(tenant) })).problems;

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
      /^6:15: name has a control character, or one that turns the text around it$/,
    ],
    [
      'a client with another name, which is too long',
      { ...named, clients: [{ clientId: 'tv', name: 'x'.repeat(15_000), type: 'public' }] },
      /^6:15: name has more than 60 characters$/,
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
      /^6:15: the property seats is a number already$/,
    ],
    [
      'an unknown product',
      { ...named, channels: [{ id: 'x', name: 'X', products: ['Nothing'] }] },
      /^8:13: there is no product "Nothing"$/,
    ],
    [
      'an unknown package',
      {
        ...named,
        members: [{ email: 'q@example.com', fullName: 'Q', subscriptions: [{ package: 'Nothing' }] }],
      },
      /^8:22: there is no package "Nothing"$/,
    ],
    [
      'an unknown property',
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
      'the number of another member',
      { ...named, members: [{ email: 'q@example.com', fullName: 'Q', userId: 1_001 }] },
      /^7:17: the userId is another member’s$/,
    ],
    [
      'another number of a member',
      { ...named, members: [{ email: 'ada@example.com', fullName: 'Ada', memberNumber: 5 }] },
      /^7:23: the member of this address has another memberNumber, which stays$/,
    ],
    [
      'a tenant that turns to development',
      { ...named, development: false },
      /^4:18: whether a tenant is one of development stays as it is$/,
    ],
    [
      'an unknown stage',
      { ...named, stageTenant: 'nowhere.test' },
      /^4:18: there is no tenant "nowhere.test"/,
    ],
    [
      'a host that is taken',
      { issuer: 'https://base.localhost', name: 'B' },
      /^2:13: the address https:\/\/base.localhost is taken$/,
    ],
  ])('%s', async (_what, tenant, problem) => {
    const before = await allRows(given.service());
    expect(await problemsOf(tenant)).toEqual([expect.stringMatching(problem)]);
    expect(await refusedByCompare(tenant)).toEqual([expect.stringMatching(problem)]);
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
  // On PostgreSQL there is no file of ours: its rows say the same.
  const rows = Buffer.from(JSON.stringify(await allRows(given.service(), [])));
  const bytes = Buffer.concat([
    rows,
    ...files.map((name) => readFileSync(join(given.service().folder, name))),
  ]);
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
  const production = await serviceForTest({ data: 'nothing' });
  const input = { file: text({ issuer: 'http://localhost', name: 'D', development: true }) };
  expect(await refusal(production, 'serviceTenantFiles.apply', input)).toMatchObject({
    problems: ['4:18: this is a production service, which has no development tenants'],
  });
});
