import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sha256 } from '../../../src/core/hash.ts';
import type { TenantFile } from '../../../src/operations/tenant-file/tenant-file.ts';
import { auditEvents } from '../../support/operators/api.ts';
import { refusal, run } from '../../support/operators/desk.ts';
import { applied, exported } from '../../support/operators/tenant-file.ts';
import { allRows } from '../../support/records/rows.ts';

import { base, giveBase, host, inDevelopment, named, offer, secretHash, text } from './base.ts';

const given = giveBase();
const { apply, changesOf, problemsOf } = given;

describe('apply', () => {
  it('shows the difference and does nothing without --yes, and ends with 3', async () => {
    const before = await allRows(given.service());
    for (const options of [['--dry-run'], ['--prune']]) {
      const said = await apply(
        { ...named, clients: [{ clientId: 'new', name: 'New', type: 'public' }] },
        ...options,
      );
      expect(said).toMatchObject({ code: 3, err: '' });
      expect(said.out).toContain('  + client new\n');
      expect(said.out).toContain('Nothing was done: --yes does it.\n');
    }
    expect(await allRows(given.service())).toEqual(before);
  });

  it('shows a change field by field, old and new, and leaves what the file does not say', async () => {
    const tv = { clientId: 'tv', name: 'Big TV', type: 'public', redirectUris: ['https://tv.test/'] };
    const said = await apply({ ...named, passwordLength: 13, clients: [tv] });
    expect(said).toEqual({
      code: 0,
      err: '',
      out: `${host}
  ~ tenant ${host}
      passwordLength: 12 -> 13
  ~ client tv
      name: "TV" -> "Big TV"
      redirectUris: [] -> ["https://tv.test/"]
  - client web: only in the database, and stays (disabled with --prune)
Done: 0 added, 2 changed, 0 ended.
`,
    });
    expect(await apply({ ...named, clients: [tv] })).toEqual({
      code: 0,
      err: '',
      out: `${host}
  - client web: only in the database, and stays (disabled with --prune)
Nothing to do.
`,
    });
  });

  it('names the operations that it is done by, which comparing only tries', async () => {
    const tv = { clientId: 'tv', name: 'Tried TV', type: 'public', disabled: true };
    const before = await allRows(given.service());
    expect(await changesOf({ ...named, clients: [tv, { ...tv, clientId: 'tv2' }] })).toMatchObject([
      { name: 'tv', change: 'changed', calls: ['clients.change', 'clients.disable'] },
      { name: 'tv2', change: 'added', calls: ['clients.load', 'clients.disable'] },
      { name: 'web', change: 'kept', calls: [] },
    ]);
    expect(await allRows(given.service())).toEqual(before);
  });

  it('takes effect at once on the running service', async () => {
    const pages = () => given.service().http(host, '/no-such-page');
    expect((await pages()).text).toContain('Base');
    await apply({ ...named, name: 'Renamed' });
    expect((await pages()).text).toContain('Renamed');
    await apply(named);
  });

  it('disables a tenant at the first file that says so, and exports it as one of development', async () => {
    const disabledAt = async () =>
      (await run<{ disabledAt: string | null }>(given.service(), 'tenants.read', { tenant: host }))
        .disabledAt;
    await apply({ ...named, disabled: true });
    const since = await disabledAt();
    expect(since).not.toBeNull();
    await apply({ ...named, disabled: true, passwordLength: 14 });
    expect(await disabledAt()).toBe(since);
    const file = parse(await exported(given.service().folder, ['--tenant', host])) as TenantFile;
    expect(file.tenants[0]).toMatchObject({ disabled: true, development: true });
    await apply({ ...named, disabled: false });
    expect(await disabledAt()).toBeNull();
  });

  it('leaves an audit line of the file and one for each change, without values', async () => {
    const before = (await auditEvents(given.service())).length;
    await apply({
      ...named,
      products: ['News', 'Sport', 'Film'],
      clients: [
        { clientId: 'tv', name: 'TV again', type: 'public' },
        { clientId: 'web', name: 'Web', type: 'confidential', secretHash: [secretHash, sha256('two')] },
      ],
    });
    const events = (await auditEvents(given.service())).slice(before);
    const { id: tenantId } = given.service().tenants.byHost(host) ?? {};
    const name = 'serviceTenantFiles.apply';
    expect(events.map(({ event, reason }) => `${event} ${reason}`)).toEqual([
      `admin_acted ${name}: products.create`,
      `admin_acted ${name}: clients.change`,
      `admin_acted ${name}: clients.setSecrets`,
      `admin_acted ${name}`,
    ]);
    expect(events.slice(1, 3)).toMatchObject([
      { tenantId, clientId: 'tv', target: 'tv', actorKind: 'operator', result: 'done' },
      { tenantId, clientId: 'web', target: 'web' },
    ]);
  });

  it('keeps the age of a secret that stays, and takes the order of secrets for nothing', async () => {
    const secrets = async () =>
      (
        await run<{ secrets: readonly { secretId: string; createdAt: string }[] }>(
          given.service(),
          'clients.read',
          {
            tenant: host,
            clientId: 'web',
          },
        )
      ).secrets;
    const [first, second] = await secrets();
    const web = { clientId: 'web', name: 'Web', type: 'confidential' };
    expect(
      await changesOf({ ...named, clients: [{ ...web, secretHash: [sha256('two'), secretHash] }] }),
    ).not.toContainEqual(expect.objectContaining({ name: 'web' }));
    await apply({ ...named, clients: [{ ...web, secretHash: [sha256('three'), sha256('two')] }] });
    const [kept, added] = await secrets();
    expect(kept).toEqual(second);
    expect(added?.secretId).toBe(sha256('three').slice(0, 8));
    expect(first?.secretId).toBe(secretHash.slice(0, 8));
  });

  it('takes products in any order, and members’ numbers before those that are next', async () => {
    const news = { ...offer, name: 'Gold', price: { amount: 0, currency: 'NOK' } };
    await apply({ ...named, packages: [{ ...news, products: ['News', 'Sport'] }] });
    expect(await changesOf({ ...named, packages: [{ ...news, products: ['Sport', 'News'] }] })).toEqual([]);
    const members = [
      { email: 'next@example.com', fullName: 'Next' },
      { email: 'ten@example.com', fullName: 'Ten', userId: 1_002, memberNumber: 100_002 },
    ];
    expect(await apply({ ...named, members })).toMatchObject({ code: 0 });
    const file = parse(await exported(given.service().folder, ['--tenant', host, '--members'])) as TenantFile;
    expect(file.tenants[0]?.members?.map(({ email, userId }) => [email, userId])).toEqual([
      ['ada@example.com', 1_001],
      ['ten@example.com', 1_002],
      ['next@example.com', 1_003],
    ]);
  });

  it('gives a subscription its times, and leaves those of one that is there', async () => {
    const times = { activatedAt: '2026-01-01T00:00:00Z', expiresAt: '2027-01-01T00:00:00Z' };
    const bo = { email: 'bo@example.com', fullName: 'Bo' };
    await apply({ ...named, members: [{ ...bo, subscriptions: [{ package: 'Gold', ...times }] }] });
    const later = { ...times, expiresAt: '2028-01-01T00:00:00Z', properties: { seats: 3 } };
    const changes = await changesOf({
      ...named,
      members: [{ ...bo, subscriptions: [{ package: 'Gold', ...later }] }],
    });
    expect(changes).toMatchObject([
      {
        noun: 'subscription',
        change: 'changed',
        fields: [{ field: 'properties.seats', from: null, to: '3' }],
      },
    ]);
    // Two that look alike are two.
    for (const second of [{ activatedAt: null }, times]) {
      const two = [
        { package: 'Gold', ...times },
        { package: 'Gold', ...second },
      ];
      expect(await changesOf({ ...named, members: [{ ...bo, subscriptions: two }] })).toMatchObject([
        { noun: 'subscription', change: 'added', name: 'Gold of bo@example.com' },
      ]);
    }
    const seated = (properties: object) => ({
      ...bo,
      subscriptions: [{ package: 'Gold', ...times, properties }],
    });
    await apply({
      ...named,
      properties: [...(base.properties ?? []), { key: 'row', type: 'number' }],
      members: [seated({ seats: 3 })],
    });
    expect(await apply({ ...named, members: [seated({ row: 4 })] })).toMatchObject({ code: 0, err: '' });
    const file = parse(await exported(given.service().folder, ['--tenant', host, '--members'])) as TenantFile;
    const stored = file.tenants[0]?.members?.find(({ email }) => email === bo.email);
    expect(stored?.subscriptions).toMatchObject([{ properties: { seats: 3, row: 4 } }]);
  });

  it('lets members of a development tenant sign in with the password in the file, which stays theirs', async () => {
    const password = 'kvist og eld i skogen';
    await apply({ ...inDevelopment, members: [{ email: 'cy@example.com', fullName: 'Cy', password }] });
    expect(
      await changesOf({
        ...inDevelopment,
        members: [{ email: 'cy@example.com', fullName: 'Cy', password: 'x' }],
      }),
    ).toEqual([]);
    const file = parse(await exported(given.service().folder, ['--tenant', host, '--members'])) as TenantFile;
    const cy = file.tenants[0]?.members?.find(({ email }) => email === 'cy@example.com');
    expect(await given.service().passwords.verify(password, cy?.passwordHash ?? null)).toBe(true);
  });
});

describe('--prune ends what is only in the database, and deletes nothing that others name', () => {
  it('in the sections that the file has, and twice is once', async () => {
    const left = {
      ...named,
      products: [],
      properties: [],
      packages: [],
      channels: [],
      consents: [],
      clients: [],
    };
    expect((await changesOf({ ...named }, { prune: true })).length).toBe(0);
    const said = await apply(left, '--yes', '--prune');
    expect(said).toMatchObject({ code: 0, err: '' });
    for (const line of [
      '  - property seats: only in the database, and stays\n',
      '  - product News: only in the database, and stays\n',
      '  - package Gold: no longer offered\n',
      '  - channel live: deleted\n',
      '  - consent mail: asked for no more\n',
      '  - client tv: disabled\n',
    ]) {
      expect(said.out).toContain(line);
    }
    expect(await apply(left, '--yes', '--prune')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Nothing to do.'),
    });
    const file = parse(await exported(given.service().folder, ['--tenant', host, '--members'])) as TenantFile;
    const [tenant] = file.tenants;
    expect(tenant?.packages).toMatchObject([{ name: 'Gold', offered: false }]);
    expect(tenant?.consents).toMatchObject([{ id: 'mail', retired: true }]);
    expect(tenant?.clients?.every(({ disabled }) => disabled)).toBe(true);
    expect(tenant?.channels).toEqual([]);
    expect(tenant?.members?.[0]).toMatchObject({
      disabled: false,
      subscriptions: [{ package: 'Gold', endedAt: null }],
    });
    expect(
      given
        .service()
        .tenants.all()
        .every(({ disabledAt }) => disabledAt === null),
    ).toBe(true);
  });

  it('and the first file brings it all back', async () => {
    const back = {
      ...base,
      packages: [{ ...base.packages?.[0], offered: true }],
      consents: [{ id: 'mail', name: 'Mail', retired: false }],
      clients: base.clients?.map((client) => ({ ...client, disabled: false })),
    };
    expect(await apply(back)).toMatchObject({ code: 0, err: '' });
    expect(await apply(back)).toMatchObject({ code: 0, out: expect.stringContaining('Nothing to do.') });
  });
});

describe('the device flow', () => {
  const flow = (deviceFlow: boolean) => ({
    clients: [{ clientId: 'tv', name: 'TV', type: 'public', deviceFlow }],
  });
  const stage = { issuer: 'https://stage.flow.test', name: 'Stage' };
  const production = { issuer: 'https://flow.test', name: 'Flow', stageTenant: 'stage.flow.test' };

  it('comes to a tenant when it is on at its stage, in the same file or before, or by force', async () => {
    const problem = expect.stringMatching(
      /the device flow of this client is not on at the stage tenant stage.flow.test; force/,
    );
    const both = (onStage: boolean) => text({ ...production, ...flow(true) }, { ...stage, ...flow(onStage) });
    expect(
      (await refusal(given.service(), 'serviceTenantFiles.compare', { file: both(false) })).problems,
    ).toEqual([problem]);
    expect((await applied(given.service().folder, both(false), ['--force'])).code).toBe(3);
    expect(await applied(given.service().folder, both(true))).toMatchObject({ code: 0, err: '' });
    // What is on stays on.
    expect(await applied(given.service().folder, both(false))).toMatchObject({ code: 0, err: '' });
    await applied(given.service().folder, text({ ...production, ...flow(false) }));
    expect(await problemsOf({ ...production, ...flow(true) })).toEqual([problem]);
    // A client that is disabled there cannot be tried.
    const [tv] = flow(true).clients;
    const disabled = { ...stage, clients: [{ ...tv, disabled: true }] };
    expect(await problemsOf({ ...production, ...flow(true) }, disabled)).toEqual([problem]);
    expect((await applied(given.service().folder, text(disabled))).code).toBe(0);
    expect(await problemsOf({ ...production, ...flow(true) })).toEqual([problem]);
  });
});
