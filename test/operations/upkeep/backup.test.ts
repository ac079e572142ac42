import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sha256 } from '../../../src/core/hash.ts';
import { backUp } from '../../../src/operations/upkeep/backup.ts';
import { restore } from '../../../src/operations/upkeep/restore.ts';
import { openVault } from '../../../src/secrets/vault.ts';
import { insertAdminToken } from '../../../src/storage/operators/admin-token.ts';
import { StartupError } from '../../../src/system/startup-error.ts';
import { approvedCodes, codesFor, expectEndedSignIn, phoneOf, poll } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { day } from '../../support/records/records.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';
import { fixtureKey } from '../../support/run/fixture-folders.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { apps, expectBadToken, expectError, profile, refreshAs, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { codeFor, type Tokens, token, visitor } from '../../support/visitor.ts';

const vault = openVault(fixtureKey);
const module = new URL('../../../src/operations/upkeep/backup.ts', import.meta.url).href;
const program = `
  import { backUp } from ${JSON.stringify(module)};
  backUp(...process.argv.slice(1));
`;

/** Backs up in a process of its own, as an operator does, while this one goes on. */
const backUpElsewhere = (folder: string, file: string) =>
  promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program, folder, file]);

const target = (dataFolder: string) => ({ dataFolder, environment: 'production', vault }) as const;

const service = useService({ data: 'security' });
/** What the whole file needs; what a single test needs is in folders of its own. */
let shared: string;

beforeAll(() => {
  shared = mkdtempSync(join(tmpdir(), 'memberdoor-backup-'));
});
afterAll(() => rmSync(shared, { recursive: true, force: true }));

describe('Z22: a backup that is taken during load', () => {
  const refreshTokens = new Set<string>();
  let file: string;
  let restored: TestService;
  let online: Tokens;
  let last: Tokens;

  beforeAll(async () => {
    mkdirSync(join(shared, 'first'));
    file = join(shared, 'first', 'backup.db');
    const families = [];
    for (const host of [hosts.a, hosts.b]) {
      families.push({ host, tokens: await tokensOf(service, host, apps.pub1) });
    }
    let isRunning = true;
    const load = families.map(async (family) => {
      for (;;) {
        refreshTokens.add(String(family.tokens.refresh_token));
        if (!isRunning) return;
        const answer = await refreshAs(service, family.host, apps.pub1, family.tokens.refresh_token);
        expect(answer.status).toBe(200);
        family.tokens = answer.json<Tokens>();
      }
    });
    const before = refreshTokens.size;
    await backUpElsewhere(service.folder, file);
    isRunning = false;
    await Promise.all(load);
    expect(refreshTokens.size - before).toBeGreaterThan(10);
    last = families[0]?.tokens as Tokens;
  });

  it('is whole and consistent, and its owner alone can read it', () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const sqlite = new SQLite(file, { readonly: true });
    onTestFinished(() => void sqlite.close());
    expect(sqlite.pragma('quick_check', { simple: true })).toBe('ok');
    expect(sqlite.pragma('foreign_key_check')).toEqual([]);
    expect(sqlite.prepare('select count(*) from signIns').pluck().get()).toBe(2);
    expect(readdirSync(join(file, '..'))).toEqual(['backup.db']);
  });

  describe('restored elsewhere', () => {
    const issued: Record<string, string> = {};

    beforeAll(async () => {
      // What lives on in the backup, of every kind.
      const browser = visitor(service, hosts.a);
      online = await tokensOf(service, hosts.a, apps.pub1, { browser, more: { scope: 'openid' } });
      issued.cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const { code, verifier } = await codeFor(browser, 'pub1', apps.pub1.redirectUri);
      Object.assign(issued, { code, verifier });
      issued.pending = (await codesFor(service, hosts.a)).device_code;
      issued.approved = (await approvedCodes(service, await phoneOf(service, hosts.a))).device_code;
      await service.store.transaction(async (tx) => {
        await insertAdminToken(tx, {
          id: 'token-1',
          tenantId: null,
          name: 'deployment',
          secretHash: sha256('secret of the token'),
          permissions: ['tenants:read'],
          createdAt: service.clock.now(),
          expiresAt: null,
          revokedAt: null,
          parentId: null,
          makerId: null,
        });
        await tx.updateTable('service').set({ setupHash: 'hash of a link' }).execute();
      });
      const later = join(shared, 'later.db');
      backUp(service.folder, later);

      const folder = join(shared, 'restored');
      await restore(target(folder), later, service.clock.now());
      restored = await startTestService({ data: 'security', folder });
      restored.clock.set(service.clock.now() + 2_000);
    });
    afterAll(() => restored.stop());

    it('takes no refresh token that was issued before', async () => {
      // The current one first: an old one would end its sign-in, which is no proof.
      await expectEndedSignIn(restored, hosts.a, last);
      for (const text of refreshTokens) {
        // Far from the limit on failed grants: the next test has a few more.
        restored.clock.advance(2_000);
        expectError(await refreshAs(restored, hosts.a, apps.pub1, text), 400, 'invalid_grant');
        expectError(await refreshAs(restored, hosts.b, apps.pub1, text), 400, 'invalid_grant');
      }
    });

    it('takes no access token, whether it was tied to a session or not', async () => {
      for (const { access_token } of [online, last]) {
        expect((await profile(service, hosts.a, access_token)).status).toBe(200);
        expectBadToken(await profile(restored, hosts.a, access_token));
      }
    });

    it('knows no session, code or token of the admin API', async () => {
      const { cookie = '', code = '', verifier = '', pending = '', approved = '' } = issued;
      const account = await restored.http(hosts.a, '/account', { headers: { cookie } });
      expect(account.status).toBe(303);
      const exchange = { grant_type: 'authorization_code', client_id: 'pub1', code, code_verifier: verifier };
      expectError(await token(restored, hosts.a, exchange), 400, 'invalid_grant');
      for (const deviceCode of [pending, approved]) {
        expectError(await poll(restored, hosts.a, deviceCode), 400, 'invalid_grant');
      }
      const rows = await restored.store.transaction(async (tx) => ({
        tokens: await tx.selectFrom('adminTokens').select(['id']).where('revokedAt', 'is', null).execute(),
        links: await tx.selectFrom('service').select(['setupHash']).execute(),
        mails: await tx.selectFrom('mails').select(['id']).where('state', '=', 'waiting').execute(),
      }));
      expect(rows).toEqual({ tokens: [], links: [{ setupHash: null }], mails: [] });
    });

    it('Z18: a clock that was set back since lets members sign in at once, for as long as it says', async () => {
      const before = restored.clock.now();
      onTestFinished(() => restored.clock.set(before));
      restored.clock.set(before - day);
      const issued = await tokensOf(restored, hosts.a, apps.pub1, { browser: visitor(restored, hosts.a) });
      expect((await profile(restored, hosts.a, issued.access_token)).status).toBe(200);
      restored.clock.advance(3_600_000);
      expectBadToken(await profile(restored, hosts.a, issued.access_token));
    });

    it('W9: held no secret in clear', async () => {
      const bytes = readFileSync(join(shared, 'later.db')).toString('latin1');
      const refreshToken = String(last.refresh_token).split('.').at(-1);
      const cookies = (issued.cookie ?? '').split('; ').map((pair) => pair.split('=')[1]);
      const { code, pending, approved } = issued;
      for (const secret of [online.access_token, refreshToken, code, pending, approved, ...cookies]) {
        expect(secret?.length).toBeGreaterThan(20);
        expect(bytes).not.toContain(secret);
      }
      expect(bytes).not.toMatch(/PRIVATE KEY|"d":/);
    });

    it('signs members in with the same keys as before', async () => {
      const jwks = '/api/oidc/jwks';
      expect((await restored.http(hosts.a, jwks)).text).toBe((await service.http(hosts.a, jwks)).text);
      const tokens = await tokensOf(restored, hosts.a, apps.pub1);
      expect((await profile(restored, hosts.a, tokens.access_token)).status).toBe(200);
      expect((await refreshAs(restored, hosts.a, apps.pub1, tokens.refresh_token)).status).toBe(200);
    });

    it('has a line of the audit that says what was ended', async () => {
      const events = await restored.store.transaction((tx) =>
        tx.selectFrom('auditEvents').selectAll().where('event', '=', 'service_restored').execute(),
      );
      expect(events).toHaveLength(1);
      expect(events[0]).toMatchObject({ actorKind: 'operator', result: 'done', tenantId: null });
      expect(events[0]?.reason).toMatch(/deviceCodes ended: 2.*adminTokens ended: 1.*signIns ended: 3/);
    });
  });
});

describe('a backup', () => {
  it('never overwrites a file, and leaves nothing half done', () => {
    const file = join(temporaryFolder(), 'kept.db');
    writeFileSync(file, 'something else');
    expect(() => backUp(service.folder, file)).toThrow(`The file ${file} is there already.`);
    expect(readFileSync(file, 'utf8')).toBe('something else');
    const folder = temporaryFolder();
    expect(() => backUp(temporaryFolder(), join(folder, 'new.db'))).toThrow(StartupError);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says where it cannot be written', () => {
    const file = join(temporaryFolder(), 'missing', 'new.db');
    expect(() => backUp(service.folder, file)).toThrow(
      `The file ${file}.part cannot be made: it is not there.`,
    );
  });
});
