import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { tenantFile } from '../../../src/core/operators/limits.ts';
import type { Actor } from '../../../src/core/operators/permission.ts';
import type { TenantFile } from '../../../src/operations/tenant-file/tenant-file.ts';
import { insertSession } from '../../../src/storage/grants/session.ts';
import { insertMember } from '../../../src/storage/members/member.ts';
import { systemRandom } from '../../../src/system/random.ts';
import { adminOf, refusal, run, tenantIdOf } from '../../support/operators/desk.ts';
import { exported } from '../../support/operators/tenant-file.ts';
import { memberRecord, sessionRecord } from '../../support/records/records.ts';
import { giveBase, host, named, text } from './base.ts';

const given = giveBase();
const { apply, changesOf, problemsOf } = given;

describe('a member who is there', () => {
  const eve = { email: 'eve@example.com', fullName: 'Eve' };
  const kinds = ['admin', 'member'] as const;

  /** The member with a session of each kind; each is told by its own. */
  async function member(): Promise<{
    readonly id: string;
    readonly sessions: readonly { readonly kind: string }[];
  }> {
    const found = await run<{ members: readonly { id: string }[] }>(given.service(), 'members.list', {
      tenant: host,
      search: eve.email,
    });
    const memberId = String(found.members[0]?.id);
    return run(given.service(), 'members.read', { tenant: host, memberId });
  }

  async function signIn(): Promise<void> {
    const { id: memberId } = await member();
    const tenantId = tenantIdOf(given.service(), host);
    const now = given.service().clock.now();
    for (const kind of kinds) {
      const id = systemRandom.id(now);
      const times = { createdAt: now, authenticatedAt: now, lastUsedAt: now };
      const session = sessionRecord({ id, tenantId, memberId, kind, secretHash: id, ...times });
      await given.service().store.transaction(async (tx) => insertSession(tx, session));
    }
  }

  const kindsLeft = async () => (await member()).sessions.map(({ kind }) => kind).toSorted();

  it('who may do something else from now on signs in to the portal anew', async () => {
    await apply({ ...named, members: [eve] });
    await signIn();
    expect(await kindsLeft()).toEqual(kinds);
    await apply({ ...named, members: [{ ...eve, userType: 'tenant_admin' }] });
    expect(await kindsLeft()).toEqual(['member']);
  });

  it('who is disabled is signed out, and can be enabled again', async () => {
    await apply({ ...named, members: [{ ...eve, disabled: true }] });
    expect(await kindsLeft()).toEqual([]);
    expect(await member()).toMatchObject({ status: 'disabled', userType: 'tenant_admin' });
    await apply({ ...named, members: [{ ...eve, disabled: false }] });
    expect(await member()).toMatchObject({ status: 'active' });
  });

  it('does neither to the administrator who applies the file', async () => {
    const { id: memberId } = await member();
    const self: Actor = {
      kind: 'admin',
      memberId,
      tenantId: tenantIdOf(given.service(), host),
      isSystem: false,
    };
    for (const change of [{ disabled: true }, { userType: 'member' }]) {
      const input = { tenant: host, file: text({ ...named, members: [{ ...eve, ...change }] }) };
      expect(await refusal(given.service(), 'tenantFiles.apply', input, self)).toEqual({
        kind: 'conflict',
        problems: ['5:9: you cannot do this to your own account'],
      });
    }
  });

  it('is not changed by a caller with fewer permissions', async () => {
    const root = { email: 'root@example.com', fullName: 'Root' };
    await apply({ ...named, members: [{ ...root, userType: 'system_admin' }] });
    const file = text({ ...named, members: [{ ...root, fullName: 'Mine' }] });
    const admin = adminOf(given.service(), host);
    for (const name of ['tenantFiles.compare', 'tenantFiles.apply']) {
      expect(await refusal(given.service(), name, { tenant: host, file }, admin)).toMatchObject({
        kind: 'denied',
      });
    }
  });

  it('keeps a verified number until it is another', async () => {
    const phone = (number: string, more: object = {}) => ({
      ...named,
      members: [{ ...eve, phone: number, ...more }],
    });
    await apply(phone('+4791234567', { phoneVerified: true }));
    expect(await changesOf(phone('+47 912 34 567'))).toEqual([]);
    await apply(phone('+4791234568'));
    expect(await member()).toMatchObject({ phone: '+4791234568', phoneVerified: false });
  });

  it('has an id that no other member gets, on any tenant', async () => {
    const { id } = await member();
    const other = { issuer: 'https://other.test', name: 'Other', members: [{ ...eve, id }] };
    expect(await problemsOf(other)).toEqual(['7:13: the id is another member’s']);
  });

  it('and is gone leaves the address to another', async () => {
    const { id } = await member();
    await given
      .service()
      .store.transaction((tx) =>
        tx.updateTable('members').set({ deletionDueAt: 1 }).where('id', '=', id).execute(),
      );
    expect(await changesOf({ ...named, members: [eve] })).toMatchObject([
      { noun: 'member', change: 'added' },
    ]);
    await apply({ ...named, members: [eve] });
    expect((await member()).id).not.toBe(id);
  });
});

describe('an export of members', () => {
  it('leaves out who asked to be deleted', async () => {
    const { store, folder } = given.service();
    const [before] = await memberEmails(folder);
    await store.transaction((tx) =>
      tx.updateTable('members').set({ deletionDueAt: 9e15 }).where('email', '=', String(before)).execute(),
    );
    expect(await memberEmails(folder)).not.toContain(before);
  });

  it('is refused where there are more than a file takes', async () => {
    const { store, folder } = given.service();
    const tenantId = tenantIdOf(given.service(), host);
    await store.transaction(async (tx) => {
      for (let n = 0; n < tenantFile.members; n += 1) {
        const facts = {
          id: `many-${n}`,
          email: `many-${n}@example.com`,
          userId: 9_000 + n,
          memberNumber: 9_000 + n,
        };
        await insertMember(tx, memberRecord({ ...facts, tenantId }), '');
      }
    });
    await expect(memberEmails(folder)).rejects.toThrow(
      `${host} has more than 500 members, who move with a backup and not with a file`,
    );
  });

  async function memberEmails(folder: string): Promise<readonly string[]> {
    const file = parse(await exported(folder, ['--tenant', host, '--members'])) as TenantFile;
    return (file.tenants[0]?.members ?? []).map(({ email }) => email);
  }
});
