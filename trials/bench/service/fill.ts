import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { issueDeviceCode } from '../../../src/core/grants/device-code.ts';
import { writeRefreshToken } from '../../../src/core/grants/refresh-token.ts';
import { beginSignIn } from '../../../src/core/grants/sign-in.ts';
import { hashUserCode } from '../../../src/core/grants/user-code.ts';
import { sha256 } from '../../../src/core/hash.ts';
import { beginSession, type Session } from '../../../src/core/session.ts';
import { addSubscription } from '../../../src/operations/access/subscription.ts';
import { changeClient } from '../../../src/operations/client/client.ts';
import { createTenants, type OpenTenant } from '../../../src/operations/tenant/open-tenants.ts';
import { signingKeyFor, signToken } from '../../../src/secrets/signing.ts';
import { listPackages } from '../../../src/storage/access/package.ts';
import { insertSession } from '../../../src/storage/grants/session.ts';
import { insertMember } from '../../../src/storage/members/member.ts';
import { databaseFile } from '../../../src/storage/sqlite/open.ts';
import type { Store } from '../../../src/storage/store.ts';
import { systemRandom } from '../../../src/system/random.ts';
import { memberOf } from '../../../test/support/fixtures.ts';
import type { Item, OperationName } from '../generator/plan.ts';
import { deviceHosts, openFolder, type ServiceFolder, serviceHost, serviceScope } from './folder.ts';

/** What a load on the service is about. */
export interface ServiceFill {
  readonly operation: OperationName;
  readonly clientId: string;
  /** Of how many tokens, codes or members the load is. */
  readonly amount: number;
  /** How many refresh tokens are stored in all, where the load is about some of them alone. */
  readonly stored?: number;
}

/** More sign-ins than this share their members. */
const membersMost = 10_000;

const day = 86_400_000;
const random = systemRandom;

/** A member with the browser session that the sign-ins were begun in. */
interface Visitor {
  readonly memberId: string;
  readonly session: Session;
  readonly secret: string;
}

/** What a fill works with. */
interface Site {
  readonly store: Store;
  /** Closes the store, for what goes into the file without it: one that is open takes that for a foreign program. */
  readonly close: () => Promise<void>;
  readonly tenant: OpenTenant;
  readonly tenantOf: (host: string) => OpenTenant;
  readonly file: string;
  readonly now: number;
}

/** Fills a data folder while no service runs on it, and says what there is to ask about. */
export async function fillService(filled: ServiceFolder, fill: ServiceFill): Promise<readonly Item[]> {
  const { store, vault } = await openFolder(filled);
  let isOpen = true;
  const close = async () => {
    if (isOpen) await store.close();
    isOpen = false;
  };
  try {
    const tenants = createTenants(vault);
    await store.transaction((tx) => tenants.reload(tx));
    const tenantOf = (host: string) => {
      const tenant = tenants.byHost(host);
      if (tenant === null) throw new Error(`there is no tenant ${host}`);
      return tenant;
    };
    const tenant = tenantOf(serviceHost);
    const site = { store, close, tenant, tenantOf, file: join(filled.folder, databaseFile), now: Date.now() };
    return await itemsOf(site, fill);
  } finally {
    await close();
  }
}

async function itemsOf(site: Site, fill: ServiceFill): Promise<readonly Item[]> {
  const { operation, amount, clientId } = fill;
  const { tenant } = site;
  switch (operation) {
    case 'refresh-with-dpop':
      await site.store.transaction((tx) => changeClient(tx, tenant.id, clientId, { dpop: 'allowed' }));
      return addSignIns(site, await addVisitors(site, Math.min(amount, membersMost)), fill);
    case 'refresh':
    case 'revocation':
      return addSignIns(site, await addVisitors(site, Math.min(amount, membersMost)), fill);
    case 'sign-in':
      return (await addVisitors(site, amount)).map(({ secret }) => ({
        host: serviceHost,
        value: `__Host-memberdoor-session=${secret}`,
      }));
    case 'poll':
      return addDeviceCodes(site, clientId, amount);
    case 'device-authorization':
      return deviceHosts.map((host) => ({ host, value: '' }));
    case 'profile':
      return addProfiles(site, await addVisitors(site, amount), clientId);
    default:
      return [
        { host: serviceHost, value: '', expected: operation === 'discovery' ? `"${tenant.issuer}"` : '' },
      ];
  }
}

async function addVisitors({ store, tenant, now }: Site, count: number): Promise<readonly Visitor[]> {
  const visitors: Visitor[] = [];
  const batch = 500;
  for (let first = 0; first < count; first += batch) {
    await store.transaction(async (tx) => {
      for (let number = first; number < Math.min(count, first + batch); number += 1) {
        const member = memberOf(tenant.id, `member${number}@example.test`, 100_000 + number, now);
        const secret = random.secret();
        const { session } = beginSession(
          null,
          {
            id: random.id(now),
            tenantId: tenant.id,
            memberId: member.id,
            kind: 'member',
            secretHash: sha256(secret),
            userAgent: 'bench',
            ipAddress: '203.0.113.7',
            amr: 'pwd',
            strongAt: null,
          },
          now,
        );
        await insertMember(tx, member, '');
        await insertSession(tx, session);
        visitors.push({ memberId: member.id, session, secret });
      }
    });
  }
  return visitors;
}

/** The records are what the service itself would make; millions go into the file without its queue. */
async function addSignIns(
  { close, tenant, file, now }: Site,
  visitors: readonly Visitor[],
  { clientId, amount, stored = amount }: ServiceFill,
): Promise<readonly Item[]> {
  await close();
  const items: Item[] = [];
  const step = Math.max(1, Math.floor(stored / amount));
  insertAll(file, 'signIns', stored, (number) => {
    const visitor = visitors[number % visitors.length];
    if (visitor === undefined) throw new Error('a sign-in has no member');
    const { memberId, session } = visitor;
    const id = random.id(now);
    const of = { id, tenantId: tenant.id, clientId, memberId, sessionId: session.id };
    const facts = { ...of, scope: serviceScope, resources: '', dpopJkt: null };
    if (number % step === 0 && items.length < amount) {
      items.push({
        host: serviceHost,
        value: writeRefreshToken(tenant.tokenKey, { signInId: id, generation: 1 }),
      });
    }
    return beginSignIn({ ...facts, authenticatedAt: now }, now);
  });
  return shuffled(items);
}

async function addDeviceCodes(
  { close, tenantOf, file, now }: Site,
  clientId: string,
  amount: number,
): Promise<readonly Item[]> {
  await close();
  const items: Item[] = [];
  const each = 100_000;
  insertAll(file, 'deviceCodes', amount, (number) => {
    const host = deviceHosts[Math.floor(number / each)] ?? '';
    const tenant = tenantOf(host);
    const value = random.secret();
    items.push({ host, value });
    const userCodeHash = hashUserCode(tenant.tokenKey, String(number % each).padStart(6, '0'));
    const facts = { id: random.id(now), tenantId: tenant.id, clientId, hash: sha256(value), userCodeHash };
    const device = { deviceName: null, deviceModel: null, ipAddress: '203.0.113.7' };
    return issueDeviceCode({ ...facts, ...device, scope: serviceScope, resources: '' }, now);
  });
  return shuffled(items);
}

async function addProfiles(
  { store, tenant, now }: Site,
  visitors: readonly Visitor[],
  clientId: string,
): Promise<readonly Item[]> {
  await store.transaction(async (tx) => {
    const [sold] = await listPackages(tx, tenant.id);
    for (const { memberId } of visitors) {
      await addSubscription(tx, tenant.id, {
        memberId,
        packageId: sold?.id ?? 0,
        createdAt: now - 2 * day,
        activatedAt: now - day,
        expiresAt: now + 300 * day,
        customPropertyValues: {},
      });
    }
  });
  const key = signingKeyFor(tenant.keys, 'ES256', now);
  const seconds = Math.floor(now / 1_000);
  return Promise.all(
    visitors.map(async ({ memberId, session }) => {
      const value = await signToken(key, 'at+jwt', {
        iss: tenant.issuer,
        sub: memberId,
        aud: 'urn:memberdoor:api',
        client_id: clientId,
        scope: serviceScope,
        resources: '',
        sid: session.id,
        jti: random.id(now),
        iat: seconds,
        exp: seconds + 14_400,
        auth_time: seconds,
      });
      return { host: serviceHost, value, expected: `"${memberId}"` };
    }),
  );
}

/** Rows of one transaction: the write-ahead log of millions would be as large as the database. */
const rowsAtOnce = 50_000;

/** Inserts records by a statement with their own columns. */
function insertAll(file: string, table: string, count: number, record: (number: number) => object): void {
  const sqlite = new SQLite(file);
  try {
    const first = record(0);
    const columns = Object.keys(first);
    const names = columns.map((column) => `"${column}"`).join(', ');
    const insert = sqlite.prepare(
      `insert into ${table} (${names}) values (${columns.map((column) => `@${column}`).join(', ')})`,
    );
    sqlite.exec('begin immediate');
    for (let number = 0; number < count; number += 1) {
      insert.run(number === 0 ? first : record(number));
      if (number % rowsAtOnce === rowsAtOnce - 1) sqlite.exec('commit; begin immediate');
    }
    sqlite.exec('commit');
    sqlite.pragma('wal_checkpoint(truncate)');
  } finally {
    sqlite.close();
  }
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
