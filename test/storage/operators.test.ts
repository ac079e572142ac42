import { describe, expect, it } from 'vitest';
import type { AdminToken } from '../../src/core/operators/admin-token.ts';
import type { AuditEvent } from '../../src/core/operators/audit-event.ts';
import {
  findClient,
  findRegisteredClient,
  insertClient,
  updateClient,
} from '../../src/storage/clients/client.ts';
import { endSignInsOfClient, findSignIn, insertSignIn } from '../../src/storage/grants/sign-in.ts';
import {
  findAdminToken,
  findAdminTokenBySecret,
  insertAdminToken,
  listAdminTokens,
  revokeAdminToken,
} from '../../src/storage/operators/admin-token.ts';
import { deleteAuditEvents, insertAuditEvent } from '../../src/storage/operators/audit-event.ts';
import { type AuditFilter, listAuditEvents } from '../../src/storage/operators/audit-list.ts';
import type { Store } from '../../src/storage/store.ts';
import { findTenant, updateTenant } from '../../src/storage/tenant.ts';
import { clientRecord, now, signInRecord, tenantRecord } from '../support/records/records.ts';
import { newStore, storeWithMember } from '../support/records/store.ts';

const event: AuditEvent = {
  at: now,
  tenantId: 'tenant-a',
  event: 'code_refused',
  actorKind: 'client',
  actorId: 'client-1',
  target: 'member-1',
  clientId: 'client-1',
  address: '192.0.2.1',
  result: 'refused',
  reason: 'the code is not known',
};

describe('events of the audit', () => {
  const store = async (...events: readonly Partial<AuditEvent>[]) => {
    const made = await newStore();
    await made.transaction(async (tx) => {
      for (const changes of events) await insertAuditEvent(tx, { ...event, ...changes });
    });
    return made;
  };
  const idsOf = async (made: Store, filter: AuditFilter = {}, limit = 10) =>
    (await made.transaction((tx) => listAuditEvents(tx, filter, limit))).map(({ id }) => id);

  it('are read as they were written, field by field', async () => {
    const nothing = {
      tenantId: null,
      actorId: null,
      target: null,
      clientId: null,
      address: null,
      reason: null,
    };
    const made = await store({}, { ...nothing, result: 'done' });
    expect(await made.transaction((tx) => listAuditEvents(tx, {}, 10))).toEqual([
      { ...event, ...nothing, result: 'done', id: 2 },
      { ...event, id: 1 },
    ]);
  });

  it('are listed by time, then in the order in which they were written; pages go on where one ended', async () => {
    // The clock was set back between the second and the third.
    const made = await store({ at: now + 1 }, { at: now + 9 }, { at: now + 1 }, { at: now + 5 });
    expect(await idsOf(made)).toEqual([2, 4, 3, 1]);
    expect(await idsOf(made, {}, 2)).toEqual([2, 4]);
    expect(await idsOf(made, { before: 4 }, 2)).toEqual([3, 1]);
    expect(await idsOf(made, { before: 3 })).toEqual([1]);
    expect(await idsOf(made, { before: 1 })).toEqual([]);
  });

  it.each<[keyof AuditFilter, AuditFilter]>([
    ['tenantId', { tenantId: 'tenant-b' }],
    ['event', { event: 'code_reused' }],
    ['actorId', { actorId: 'client-2' }],
    ['target', { target: 'member-2' }],
    ['clientId', { clientId: 'client-2' }],
    ['result', { result: 'done' }],
    ['from', { from: now + 1 }],
  ])('are narrowed by %s', async (_field, filter) => {
    const { from, ...changes } = filter;
    const made = await store({}, { ...changes, ...(from === undefined ? {} : { at: from }) });
    expect(await idsOf(made, filter)).toEqual([2]);
  });

  it('are narrowed by the time they are before: that moment is not among them', async () => {
    const made = await store({}, { at: now + 1 });
    expect(await idsOf(made, { until: now + 1 })).toEqual([1]);
  });

  it('are deleted from the oldest on, at most so many', async () => {
    const made = await store({ at: now + 2 }, { at: now }, { at: now + 1 }, { at: now + 3 });
    expect(await made.transaction((tx) => deleteAuditEvents(tx, 'others', now + 3, 2))).toBe(2);
    expect(await idsOf(made)).toEqual([4, 1]);
    expect(await made.transaction((tx) => deleteAuditEvents(tx, 'others', now + 3, 2))).toBe(1);
    expect(await idsOf(made)).toEqual([4]);
  });
});

describe('tokens of the admin API', () => {
  const token = (changes: Partial<AdminToken>): AdminToken => ({
    id: 'token-1',
    tenantId: 'tenant-a',
    name: 'deployment',
    secretHash: 'hash 1',
    permissions: ['clients:read', 'keys:write'],
    createdAt: now,
    expiresAt: now + 5,
    revokedAt: null,
    parentId: 'token-2',
    makerId: 'member-1',
    ...changes,
  });
  const service = token({
    id: 'token-2',
    tenantId: null,
    secretHash: 'hash 2',
    expiresAt: null,
    parentId: null,
    makerId: null,
  });

  it('are read as they were written, by id and by secret; those of a tenant and of the service apart', async () => {
    const store = await storeWithMember();
    const found = await store.transaction(async (tx) => {
      await insertAdminToken(tx, token({}));
      await insertAdminToken(tx, service);
      return {
        byId: await findAdminToken(tx, 'token-2'),
        bySecret: await findAdminTokenBySecret(tx, 'hash 1'),
        none: [await findAdminToken(tx, 'token-3'), await findAdminTokenBySecret(tx, 'hash 3')],
        ofA: await listAdminTokens(tx, 'tenant-a'),
        ofB: await listAdminTokens(tx, 'tenant-b'),
        ofService: await listAdminTokens(tx, null),
      };
    });
    expect(found).toEqual({
      byId: service,
      bySecret: token({}),
      none: [null, null],
      ofA: [token({})],
      ofB: [],
      ofService: [service],
    });
  });

  it('are revoked once, and only where they belong', async () => {
    const store = await storeWithMember();
    await store.transaction((tx) => insertAdminToken(tx, token({})));
    const revoke = (tenantId: string | null, at: number) =>
      store.transaction((tx) => revokeAdminToken(tx, tenantId, 'token-1', at));
    expect(await revoke('tenant-b', now)).toBe(false);
    expect(await revoke(null, now)).toBe(false);
    expect(await revoke('tenant-a', now)).toBe(true);
    expect(await revoke('tenant-a', now + 1)).toBe(false);
    expect(await store.transaction((tx) => findAdminToken(tx, 'token-1'))).toEqual(token({ revokedAt: now }));
  });
});

describe('what operators change', () => {
  it('of a tenant is stored, and its address and everything of another tenant stay', async () => {
    const store = await storeWithMember();
    const changed = tenantRecord('a', {
      name: 'Another',
      brandColor: '#112233',
      logo: null,
      limits: { ...tenantRecord('a').limits, signUpsPerAddressAndDay: 3 },
      returnOrigins: [],
      languages: ['fi'],
      passwordLength: 20,
      clientRegistration: 'open',
      clientMetadataDocuments: 'any',
      clientMetadataHosts: [],
      unverifiedOfflineAccess: false,
      revocationListed: false,
      stageTenantId: 'tenant-b',
      disabledAt: now,
    });
    await store.transaction((tx) =>
      updateTenant(tx, { ...changed, host: 'x.test', issuer: 'https://x.test' }),
    );
    const found = await store.transaction(async (tx) => [
      await findTenant(tx, 'tenant-a'),
      await findTenant(tx, 'tenant-b'),
      await findTenant(tx, 'tenant-c'),
    ]);
    expect(found).toEqual([changed, tenantRecord('b'), null]);
  });

  it('of a client is stored; one that is disabled is found by those alone who look after it', async () => {
    const store = await storeWithMember();
    const changed = clientRecord({ name: 'Changed', secrets: [], disabledAt: now, replayWindow: 5 });
    const found = await store.transaction(async (tx) => {
      await insertClient(tx, clientRecord({ tenantId: 'tenant-b' }), now);
      await updateClient(tx, changed);
      return {
        registered: await findRegisteredClient(tx, 'tenant-a', 'client-1'),
        inUse: await findClient(tx, 'tenant-a', 'client-1'),
        other: await findClient(tx, 'tenant-b', 'client-1'),
      };
    });
    expect(found).toEqual({
      registered: changed,
      inUse: null,
      other: clientRecord({ tenantId: 'tenant-b' }),
    });
  });

  it('the sign-ins of a client end together, and of no other client, with the first reason kept', async () => {
    const store = await storeWithMember();
    const revoked = signInRecord({ id: 'revoked', state: 'ended', endedAt: now, endReason: 'revoked' });
    const other = signInRecord({ id: 'other', clientId: 'client-2' });
    const found = await store.transaction(async (tx) => {
      await insertClient(tx, clientRecord({ clientId: 'client-2' }), now);
      for (const signIn of [signInRecord(), revoked, other]) await insertSignIn(tx, signIn);
      await endSignInsOfClient(tx, clientRecord(), 'client_disabled', now + 1);
      const ids = ['sign-in-1', 'revoked', 'other'];
      return Promise.all(ids.map((id) => findSignIn(tx, 'tenant-a', id)));
    });
    const ended = { state: 'ended', endedAt: now + 1, endReason: 'client_disabled' } as const;
    expect(found).toEqual([signInRecord(ended), revoked, other]);
  });
});
