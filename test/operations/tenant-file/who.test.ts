import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/core/hash.ts';
import { auditEvents } from '../../support/operators/api.ts';
import { adminOf, refusal, run, tenantIdOf, tokenOf } from '../../support/operators/desk.ts';
import { allRows } from '../../support/records/rows.ts';
import { base, giveBase, host, named, secretHash, text } from './base.ts';

const given = giveBase();

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
        problems: ['4:18: only those who have every tenant set the stage of one'],
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

  it('A17: and not by an id that it chooses whether any tenant has a member of it', async () => {
    const ids = await given
      .service()
      .store.transaction((tx) =>
        tx
          .selectFrom('members')
          .innerJoin('tenants', 'tenants.id', 'members.tenantId')
          .select(['members.id', 'host'])
          .execute(),
      );
    const ofAnother = ids.find((one) => one.host !== host)?.id;
    const ofOurs = ids.find((one) => one.host === host)?.id;
    const ofNone = '01900000-0000-7000-8000-0000000000ff';
    const before = await allRows(given.service(), ['auditEvents']);
    for (const id of [ofAnother, ofOurs, ofNone]) {
      const file = text({ ...named, members: [{ email: 'new@example.com', fullName: 'N', id }] });
      for (const name of ['tenantFiles.compare', 'tenantFiles.apply']) {
        expect(
          await refusal(given.service(), name, { tenant: host, file }, adminOf(given.service(), host)),
        ).toEqual({
          kind: 'conflict',
          problems: ['7:13: only those who have every tenant choose the id of a new member'],
        });
      }
    }
    expect(await allRows(given.service(), ['auditEvents'])).toEqual(before);
    const file = text({ ...named, members: [{ email: 'new@example.com', fullName: 'N', id: ofAnother }] });
    expect((await refusal(given.service(), 'serviceTenantFiles.compare', { file })).problems).toEqual([
      '7:13: the id is another member’s',
    ]);
  });

  it('A17: nor what another tenant has tried: whether a device flow is on at its stage', async () => {
    const client = (clientId: string, deviceFlow: boolean) =>
      ({ clientId, name: 'T', type: 'public', deviceFlow }) as const;
    const stage = { issuer: 'http://tried.localhost', name: 'Tried', development: true };
    const own = { ...named, stageTenant: 'tried.localhost' };
    await given.apply({ ...stage, clients: [client('tried', true), client('untried', false)] });
    await given.apply(own);
    const compare = async (clientId: string) => {
      const input = { tenant: host, file: text({ ...own, clients: [client(clientId, true)] }) };
      const answer = await run<{ changes: readonly object[] }>(
        given.service(),
        'tenantFiles.compare',
        input,
        adminOf(given.service(), host),
      );
      return answer.changes.length;
    };
    const told = [await compare('tried'), await compare('untried'), await compare('unknown')];
    expect(new Set(told).size).toBe(1);
    await given.apply({ ...named, stageTenant: null });
  });

  it('promise 7: a file that is compared ends no sign-in: there may be a hundred thousand', async () => {
    const service = given.service();
    const tenantId = tenantIdOf(service, host);
    const session = '019a7c1e-0000-7000-8000-000000000001';
    await service.store.transaction(async (tx) => {
      const members = tx.selectFrom('members').select('id').where('tenantId', '=', tenantId);
      const { id } = await members.where('email', '=', 'ada@example.com').executeTakeFirstOrThrow();
      const now = service.clock.now();
      await sql`insert into sessions (id, tenantId, memberId, kind, secretHash, state, authenticatedAt, createdAt,
          lastUsedAt, userAgent, ipAddress)
        values (${session}, ${tenantId}, ${id}, 'member', 'hash', 'active', ${now}, ${now}, ${now}, '', '')`.execute(
        tx,
      );
      for (const clientId of ['tv', 'web']) {
        await sql`insert into signIns (id, tenantId, clientId, memberId, sessionId, state, scope, generation,
            authenticatedAt, createdAt, rotatedAt)
          values (${clientId}, ${tenantId}, ${clientId}, ${id}, ${session}, 'active', 'openid', 1, ${now}, ${now},
            ${now})`.execute(tx);
        await sql`insert into deviceCodes (id, tenantId, clientId, hash, userCodeHash, scope, ipAddress, state,
            interval, createdAt, expiresAt)
          values (${clientId}, ${tenantId}, ${clientId}, ${clientId}, ${clientId}, 'openid', '', 'pending', 5000, ${now},
            ${now + 60_000})`.execute(tx);
      }
      for (const table of ['sessions', 'signIns', 'deviceCodes']) {
        await sql`create temp trigger ${sql.ref(`no ${table}`)} before update on ${sql.table(table)}
          begin select raise(abort, ${sql.lit(`${table} ended`)}); end`.execute(tx);
      }
    });
    await run(service, 'clients.setDeviceFlow', { tenant: host, clientId: 'tv', enabled: true });
    const input = {
      tenant: host,
      file: text({
        ...named,
        clients: [
          { clientId: 'tv', name: 'TV', type: 'public', deviceFlow: false },
          { clientId: 'web', name: 'Web', type: 'confidential', disabled: true },
        ],
        members: [{ email: 'ada@example.com', fullName: 'Ada', disabled: true }],
      }),
    };
    const reads = [
      'tenants:read',
      'clients:read',
      'access:read',
      'members:read',
      'subscriptions:read',
    ] as const;
    expect(await run(service, 'tenantFiles.compare', input, tokenOf(service, host, reads))).toMatchObject({
      changes: expect.arrayContaining([
        expect.objectContaining({ name: 'tv', calls: expect.arrayContaining(['clients.setDeviceFlow']) }),
        expect.objectContaining({ name: 'web', calls: expect.arrayContaining(['clients.disable']) }),
        expect.objectContaining({
          name: 'ada@example.com',
          calls: expect.arrayContaining(['members.disable']),
        }),
      ]),
    });
    await expect(run(service, 'tenantFiles.apply', input)).rejects.toThrow('ended');
    await service.store.transaction(async (tx) => {
      for (const table of ['sessions', 'signIns', 'deviceCodes']) {
        await sql`drop trigger ${sql.ref(`no ${table}`)}`.execute(tx);
      }
    });
    await run(service, 'tenantFiles.apply', input);
    const states = async (table: 'sessions' | 'signIns' | 'deviceCodes') =>
      service.store.transaction(async (tx) => {
        const rows = await tx.selectFrom(table).select('state').where('tenantId', '=', tenantId).execute();
        return rows.map(({ state }) => String(state));
      });
    expect(await states('sessions')).not.toContain('active');
    expect(await states('signIns')).not.toContain('active');
    await given.apply({
      ...named,
      clients: base.clients,
      members: [{ email: 'ada@example.com', fullName: 'Ada', disabled: false }],
    });
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

  it('A18: the audit keeps no secret that stands in a denied file where a name belongs', async () => {
    const reads = ['tenants:read', 'tenants:write', 'clients:read', 'access:read'] as const;
    const secret = `mda_${sha256('a token in the wrong place')}`;
    for (const section of [
      { clients: [{ clientId: secret, name: 'T', type: 'public' }] },
      { products: [secret, secret.slice(4)] },
    ]) {
      const input = { tenant: host, file: text({ ...named, ...section }) };
      const token = tokenOf(given.service(), host, reads);
      expect(await refusal(given.service(), 'tenantFiles.apply', input, token)).toMatchObject({
        kind: 'denied',
      });
      const denial = (await auditEvents(given.service())).at(-1);
      expect(denial).toMatchObject({ event: 'admin_denied' });
      expect(JSON.stringify(denial)).not.toContain(secret.slice(4));
    }
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

  it.each(['compare', 'apply'])(
    'a token that may not read or set it cannot guess at it: %s',
    async (verb) => {
      const own = ['tenants:read', 'tenants:write', 'clients:read', 'access:read'] as const;
      const token = tokenOf(given.service(), host, own);
      const said = async (section: object) =>
        refusal(
          given.service(),
          `tenantFiles.${verb}`,
          { tenant: host, file: text({ ...now, ...section }) },
          token,
        );
      const now = { ...named, name: given.service().tenants.byHost(host)?.name };
      const web = { clientId: 'web', name: 'Web', type: 'confidential' } as const;
      const ada = { email: 'ada@example.com', fullName: 'Ada' };
      for (const [right, wrong, what, needed] of [
        [
          { clients: [{ ...web, secretHash }] },
          { clients: [{ ...web, secretHash: sha256('two') }] },
          'secrets',
          'clients:write',
        ],
        [
          { members: [ada] },
          { members: [{ ...ada, fullName: 'Eve' }] },
          'members',
          'members:read, subscriptions:read',
        ],
      ] as const) {
        const denied = { kind: 'denied', problems: [`to ${verb} ${what} needs the permissions ${needed}`] };
        expect(await said(right)).toEqual(denied);
        expect(await said(wrong)).toEqual(denied);
      }
    },
  );
});
