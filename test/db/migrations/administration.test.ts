import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../../db/migrations/index.ts';
import { findClient } from '../../../src/storage/clients/client.ts';
import { listMembers } from '../../../src/storage/members/member-search.ts';
import { applicationId } from '../../../src/storage/sqlite/check.ts';
import { databaseFile } from '../../../src/storage/sqlite/open.ts';
import { now } from '../../support/records/records.ts';
import { newStore } from '../../support/records/store.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';

describe('a database of the version before', () => {
  it('keeps its clients’ secrets, and its members are found by their names', async () => {
    const folder = temporaryFolder();
    const old = new SQLite(join(folder, databaseFile));
    old.pragma(`application_id = ${applicationId}`);
    const before = Object.fromEntries(Object.entries(migrations).slice(0, 4));
    const kysely = new Kysely<unknown>({ dialect: new SqliteDialect({ database: old }) });
    await new Migrator({
      db: kysely,
      provider: { getMigrations: async () => before },
    }).migrateToLatest();
    old.exec(`
      insert into tenants (id, name, issuer, host, brandColor, development, tokenKey, createdAt)
        values ('t', 'Old', 'https://old.test', 'old.test', '#000000', 0, x'01', 1);
      insert into clients (tenantId, clientId, name, type, secretHashes, redirectUris, postLogoutRedirectUris,
          webOrigins, signupDisabled, deviceFlow, thirdParty, idTokenAlgorithm, claimsInIdToken,
          accessTokenSeconds, refreshTokenIdle, refreshTokenAbsolute, replayWindow, createdAt)
        values ('t', 'conf', 'C', 'confidential', '["one","two"]', '[]', '[]', '[]', 0, 0, 0, 'RS256', 0,
          1, 1, 1, 0, 77),
          ('t', 'pub', 'P', 'public', '[]', '[]', '[]', '[]', 0, 0, 0, 'RS256', 0, 1, 1, 1, 0, 78);
      insert into members (id, tenantId, userId, memberNumber, email, normalisedEmail, emailVerified,
          passwordHash, fullName, nickName, phone, phoneVerified, userType, status, createdAt, updatedAt, erasedAt)
        values ('m', 't', 1, 1, 'a@x.test', 'a@x.test', 1, 'h', 'Åse Müller', 'Tulla', '', 0, 'member',
          'active', 1, 1, null),
          ('gone', 't', 2, 2, '', 'deleted', 0, '', 'Åse', '', '', 0, 'member', 'active', 1, 1, 5);
    `);
    await kysely.destroy();

    const store = await newStore(folder);
    const found = await store.transaction(async (tx) => ({
      conf: (await findClient(tx, 't', 'conf'))?.secrets,
      pub: (await findClient(tx, 't', 'pub'))?.secrets,
      byName: (await listMembers(tx, 't', { search: 'muller ase' }, 10, now)).map(({ id }) => id),
      byNick: (await listMembers(tx, 't', { search: 'tull' }, 10, now)).map(({ id }) => id),
      words: await tx.selectFrom('memberWords').select('memberId').distinct().execute(),
    }));
    expect(found).toEqual({
      conf: [
        { hash: 'one', createdAt: 77 },
        { hash: 'two', createdAt: 77 },
      ],
      pub: [],
      byName: ['m'],
      byNick: ['m'],
      words: [{ memberId: 'm' }],
    });
  });
});
