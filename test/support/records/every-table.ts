import { randomBytes } from 'node:crypto';
import { insertPasskey } from '../../../src/storage/members/passkey.ts';
import { hosts } from '../fixtures.ts';
import type { TestService } from '../service.ts';
import { passkeyRecord } from './records.ts';

/** A text that an engine could take for something else, or store in another way. */
const difficult = `Zoë "Ö" 'quoted' \\N {a,b} \u{1f6aa}\t1\r\n2 `;

/** Adds rows to the tables that a member's traces leave empty, and rows that are easily copied wrongly. */
export async function fillOtherTables(
  { store }: Pick<TestService, 'store'>,
  memberId: string,
): Promise<void> {
  await store.transaction(async (tx) => {
    const tenants = await tx.selectFrom('tenants').select(['id', 'host']).execute();
    const idOf = (host: string) => tenants.find((tenant) => tenant.host === host)?.id ?? '';
    const tenantId = idOf(hosts.a);
    // Each refers to the other: whichever comes first refers to one that is not there yet.
    await tx
      .updateTable('tenants')
      .set({ stageTenantId: idOf(hosts.b) })
      .where('id', '=', tenantId)
      .execute();
    await tx
      .updateTable('tenants')
      .set({ stageTenantId: tenantId })
      .where('id', '=', idOf(hosts.b))
      .execute();
    const product = await tx
      .selectFrom('products')
      .select('id')
      .where('tenantId', '=', tenantId)
      .executeTakeFirstOrThrow();
    const offer = await tx
      .selectFrom('packages')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .executeTakeFirstOrThrow();
    const subscription = { tenantId, memberId, packageId: offer.id, state: 'active', createdAt: 1 } as const;
    await tx
      .insertInto('subscriptions')
      .values({
        ...subscription,
        id: 900,
        activatedAt: 1,
        expiresAt: null,
        cancelledAt: null,
        endedAt: null,
        customPropertyValues: '{}',
      })
      .execute();
    await insertPasskey(tx, passkeyRecord({ tenantId, memberId, name: difficult }));
    await tx
      .insertInto('secondFactors')
      .values({
        memberId,
        tenantId,
        secret: randomBytes(60),
        lastStep: 59_000_000,
        recoveryHashes: '["a"]',
        createdAt: 1,
      })
      .execute();
    const provider = { tenantId, key: 'elsewhere', issuer: 'https://elsewhere.test' } as const;
    await tx
      .insertInto('identityProviders')
      .values({
        ...provider,
        name: difficult,
        preset: 'oidc',
        clientId: 'us',
        teamId: null,
        keyId: null,
        secret: randomBytes(60),
        secretId: 'abcdefgh',
        scopes: '["openid"]',
        trustsVerifiedEmail: 1,
        keepTokens: 0,
        position: 3,
        disabledAt: null,
      })
      .execute();
    await tx
      .insertInto('linkedAccounts')
      .values({
        id: 'link',
        tenantId,
        memberId,
        provider: provider.key,
        issuer: provider.issuer,
        subject: difficult,
        email: 'ada@elsewhere.test',
        linkedAt: 1,
        lastUsedAt: 2,
        tokens: randomBytes(60),
      })
      .execute();
    await tx
      .insertInto('leases')
      .values({ name: difficult, holder: '', until: Number.MAX_SAFE_INTEGER })
      .execute();
    await tx.insertInto('counters').values({ key: difficult, count: 2, endsAt: 1 }).execute();
    await tx
      .insertInto('figures')
      .values({ tenantId, unit: 'day', at: 0, name: difficult, value: Number.MAX_SAFE_INTEGER })
      .execute();
    await tx.insertInto('rolledUp').values({ what: 'events', until: 1 }).execute();
    const used = { purpose: 'client assertion', hash: difficult, expiresAt: 1 } as const;
    await tx
      .insertInto('usedIds')
      .values({ ...used, tenantId })
      .execute();
    await tx.insertInto('pollTimes').values({ deviceCodeId: difficult, polledAt: 1 }).execute();
    await tx.insertInto('clientBans').values({ tenantId, banned: difficult, bannedAt: 1 }).execute();
    const initial = { id: 'initial', name: difficult, secretHash: 'hash', usesLeft: 2 } as const;
    await tx
      .insertInto('registrationTokens')
      .values({ ...initial, tenantId, createdAt: 1, expiresAt: 2 })
      .execute();
    const entry = { address: '192.0.2.1', network: '192.0.2.0/24', isKnown: 1, isRight: 0, overAt: 1 };
    await tx
      .insertInto('slowedEntries')
      .values({ ...entry, tenantId, memberId })
      .execute();
    await tx
      .insertInto('signInFailures')
      .values({ tenantId, emailHash: 'hash', failures: 3, lastFailedAt: 1, underWay: 2 })
      .execute();
    const code = {
      tenantId,
      memberId,
      address: '192.0.2.1',
      enteredAt: 1,
      userCodeHash: '',
      browserHash: '',
    };
    // They may be the same in all that is known of them.
    await tx
      .insertInto('wrongUserCodes')
      .values([code, code, { ...code, browserHash: 'b' }])
      .execute();
    await tx
      .insertInto('scopeConsents')
      .values({ tenantId, memberId, clientId: 'pub1', scope: 'openid', resources: '', grantedAt: 1 })
      .execute();
    await tx
      .insertInto('apis')
      .values({
        tenantId,
        identifier: 'urn:api',
        name: difficult,
        scopes: '{}',
        accessTokenAlgorithm: 'ES256',
        unverifiedClients: 1,
      })
      .execute();
    await tx
      .insertInto('contentChannels')
      .values({ tenantId, id: 'channel', name: difficult, description: '' })
      .execute();
    await tx
      .insertInto('channelProducts')
      .values({ tenantId, channelId: 'channel', productId: product.id })
      .execute();
    const pushed = {
      hash: difficult,
      clientId: 'pub1',
      sealed: 'sealed',
      expiresAt: Number.MAX_SAFE_INTEGER,
    };
    await tx
      .insertInto('pushedRequests')
      .values({ ...pushed, tenantId })
      .execute();
    const { price, currency, periodUnit, periodCount } = offer;
    const blank = {
      reference: null,
      onCheckoutCompletedUrl: null,
      callBackUrl: null,
      paymentReference: null,
    };
    await tx
      .insertInto('checkouts')
      .values({
        ...blank,
        id: 'checkout',
        tenantId,
        memberId,
        packageId: offer.id,
        state: 'completed',
        payment: 'invoice',
        price,
        currency,
        periodUnit,
        periodCount,
        createdAt: 1,
        expiresAt: 2,
        closedAt: 2,
        subscriptionId: 900,
      })
      .execute();
    await tx
      .insertInto('invoices')
      .values({
        id: 'invoice',
        tenantId,
        number: 1,
        memberId,
        subscriptionId: 900,
        packageName: difficult,
        amount: 0,
        currency,
        taxName: difficult,
        taxRate: 2_500,
        payTo: JSON.stringify({ payee: difficult, account: null, bic: null, note: difficult }),
        addressee: '{}',
        issuedAt: 1,
        dueAt: 2,
        paidAt: null,
      })
      .execute();
    const consent = { name: 'News', description: difficult };
    await tx
      .insertInto('consents')
      .values({ ...consent, tenantId, id: 'news', atSignUp: 1, atCheckout: 0, retiredAt: null })
      .execute();
    await tx
      .insertInto('consentChanges')
      .values({
        ...consent,
        id: 40,
        tenantId,
        memberId,
        consentId: 'news',
        status: 'accepted',
        source: 'api',
        clientId: null,
        changedAt: -1,
      })
      .execute();
    await tx
      .insertInto('adminTokens')
      .values({
        id: 'token',
        tenantId: null,
        name: difficult,
        secretHash: 'hash',
        permissions: '[]',
        createdAt: 1,
        expiresAt: null,
        revokedAt: null,
        parentId: null,
        makerId: null,
      })
      .execute();
    const mail = {
      tenantId,
      name: 'signUp',
      attempts: 0,
      lastError: null,
      createdAt: 1,
      nextAttemptAt: 1,
      recipientHash: null,
    };
    const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    await tx
      .insertInto('logoutNotices')
      .values({
        tenantId,
        clientId: 'pub1',
        memberId: 'a member',
        sessionId: 'a session',
        state: 'given_up',
        attempts: 3,
        nextAttemptAt: 1,
        lastResult: 'status 400',
        endedAt: 1,
        doneAt: 2,
      })
      .execute();
    for (const message of [everyByte, Buffer.alloc(0), randomBytes(70_000)]) {
      await tx
        .insertInto('mails')
        .values({ ...mail, message, state: 'waiting', sentAt: null })
        .execute();
    }
  });
}
