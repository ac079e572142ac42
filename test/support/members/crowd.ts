import { sql } from 'kysely';
import { insertPackage } from '../../../src/storage/access/package.ts';
import type { Store } from '../../../src/storage/store.ts';
import { packageFacts } from '../records/access-records.ts';

/** How much of everything a crowded member has (security, F10). */
export const crowd = {
  signIns: 10_000,
  tvs: 1_000,
  sessions: 10_000,
  consents: 10_000,
  subscriptions: 1_000,
  invoices: 1_000,
} as const;

/** A name as long and as wide as names may be. */
const long = '\u{1F4FA} TV “North & South” <1>'.repeat(3).slice(0, 64);

/** An id of the kind that tells the time: the higher, the newer. */
const idOf = (kind: string) => sql.raw(`'${kind}-0000-7000-8000-' || printf('%012d', i)`);

const upTo = (count: number) =>
  sql.raw(`with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${count})`);

/**
 * Gives a member of a tenant ten thousand of everything that the account pages and the portal list, all of it alive.
 *
 * @param now ms
 */
export async function fillMember(
  store: Store,
  { tenantId, memberId, clientId }: { tenantId: string; memberId: string; clientId: string },
  now: number,
): Promise<void> {
  const values = sql`${tenantId}, ${memberId}`;
  await store.transaction(async (tx) => {
    const insert = (statement: ReturnType<typeof sql>) => sql`${statement}`.execute(tx);
    const { sessions, signIns, tvs, consents, subscriptions, invoices } = crowd;
    await insert(
      sql`insert into sessions (id, tenantId, memberId, kind, secretHash, state, authenticatedAt, createdAt, lastUsedAt,
          userAgent, ipAddress)
        ${upTo(sessions)} select ${idOf('019a7c1e')}, ${values}, 'member', 'hash ' || i, 'active', ${now}, ${now}, ${now},
          'Mozilla/5.0 (Linux; Android 10; K) Chrome/130.0.0.0 Mobile Safari/537.36', '2001:db8:1:2:3:4:5:6' from numbers`,
    );
    await insert(
      sql`insert into signIns (id, tenantId, clientId, memberId, sessionId, state, scope, generation, authenticatedAt,
          createdAt, rotatedAt, label)
        ${upTo(signIns)} select ${idOf('019a7c1f')}, ${tenantId}, ${clientId}, ${memberId}, ${idOf('019a7c1e')}, 'active',
          'openid offline_access', 1, ${now}, ${now}, ${now}, ${long} from numbers`,
    );
    await insert(
      sql`insert into deviceCodes (id, tenantId, clientId, hash, userCodeHash, scope, deviceName, deviceModel, ipAddress,
          state, interval, createdAt, expiresAt, memberId, sessionId, authenticatedAt, signInId)
        ${upTo(tvs)} select ${idOf('019a7c20')}, ${tenantId}, ${clientId}, 'hash ' || i, 'user ' || i,
          'openid offline_access', ${long}, ${long}, '2001:db8:1:2:3:4:5:6', 'used', 5000, ${now}, ${now}, ${memberId},
          '019a7c1e-0000-7000-8000-' || printf('%012d', ${signIns} - i),  ${now},
          '019a7c1f-0000-7000-8000-' || printf('%012d', ${signIns} - i) from numbers`,
    );
    await insert(
      sql`insert into consents (tenantId, id, name, description, atSignUp, atCheckout)
        ${upTo(consents)} select ${tenantId}, printf('consent-%05d', i), 'Consent ' || i, ${'Words. '.repeat(20)}, 0, 0
        from numbers`,
    );
    await insert(
      sql`insert into consentChanges (tenantId, memberId, consentId, status, name, description, source, clientId, changedAt)
        ${upTo(consents)} select ${values}, printf('consent-%05d', i), 'accepted', 'Consent ' || i,
          ${'Words. '.repeat(20)}, 'account', null, ${now} from numbers`,
    );
    const packageId = await insertPackage(tx, tenantId, packageFacts(), []);
    await insert(
      sql`insert into subscriptions (id, tenantId, memberId, packageId, state, createdAt, activatedAt, expiresAt,
          customPropertyValues)
        ${upTo(subscriptions)} select 900000 + i, ${values}, ${packageId}, 'active', ${now}, ${now}, ${now + 86_400_000}, '{}'
        from numbers`,
    );
    await insert(
      sql`insert into invoices (id, tenantId, number, memberId, subscriptionId, packageName, amount, currency, addressee,
          issuedAt, dueAt)
        ${upTo(invoices)} select 'invoice ' || i, ${tenantId}, 900000 + i, ${memberId}, 900000 + i, 'Gold', 100, 'EUR',
          '{}', ${now}, ${now} from numbers`,
    );
  });
}
