import { randomBytes } from 'node:crypto';
import { insertPasskey } from '../../../src/storage/members/passkey.ts';
import type { Tx } from '../../../src/storage/store.ts';
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
    const endpointId = 'of the CRM';
    const told = {
      tenantId,
      memberId,
      endpointId,
      eventId: 'e',
      type: 'member.created',
      payload: difficult,
    } as const;
    await tx
      .insertInto('webhookEndpoints')
      .values({
        id: endpointId,
        tenantId,
        name: difficult,
        url: 'https://crm.example.com/hook',
        types: null,
        secret: randomBytes(60),
        previousSecret: null,
        previousUntil: 1,
        position: 7,
        createdAt: 1,
        disabledAt: null,
        disabledReason: null,
      })
      .execute();
    await tx
      .insertInto('webhookDeliveries')
      .values({
        ...told,
        kind: 'event',
        state: 'waiting',
        attempts: 1,
        nextAttemptAt: 1,
        createdAt: 1,
        firstAt: 1,
        lastAt: 1,
        lastResult: 'status 500',
        answer: difficult,
      })
      .execute();
    await tx
      .insertInto('webhookAttempts')
      .values({ endpointId, deliveryId: 1, at: 1, took: 5_000, result: 'status 500', answer: difficult })
      .execute();
    const { id: subscriptionId } = await tx
      .selectFrom('subscriptions')
      .select('id')
      .where('tenantId', '=', tenantId)
      .executeTakeFirstOrThrow();
    await tx.insertInto('seatGroups').values({ subscriptionId, tenantId, seats: 4 }).execute();
    await tx.insertInto('seatDomains').values({ subscriptionId, tenantId, domain: 'school.test' }).execute();
    await tx.insertInto('seatNetworks').values({ subscriptionId, tenantId, network: '8.8.8.0/24' }).execute();
    const seat = { id: 'seat', subscriptionId, tenantId, email: 'ada@school.test', memberId } as const;
    await tx
      .insertInto('seats')
      .values({
        ...seat,
        state: 'taken',
        invitedAt: 1,
        expiresAt: 2,
        takenAt: 1,
        endedAt: null,
        endedBy: null,
      })
      .execute();
    await tx.insertInto('auditStreams').values({ place: 'a file', until: 7 }).execute();
    await tx.replaceInto('eventNumbers').values({ tenantId, last: 9_007_199_254_740_991 }).execute();
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
    await tx
      .insertInto('callsOnce')
      .values({ id: difficult, owner: tenantId, memberId: null, answer: randomBytes(60), createdAt: 1 })
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
    await insertImport(tx, tenantId);
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

/** A file of members that is half read, with a line that was refused. */
async function insertImport(tx: Tx, tenantId: string): Promise<void> {
  const counts = { added: 1, changed: 0, skipped: 0, refused: 1, invited: 1 };
  const actor = { actorKind: 'operator', actorId: null, actorAddress: null } as const;
  const file = { fileName: difficult, fileHash: 'hash', fileBytes: 9, received: 9, readTo: 4, line: 3 };
  const times = { createdAt: 1, startedAt: 2, endedAt: null };
  const said = { options: '{}', place: null, failure: null, trial: '{}', work: 'stopped' } as const;
  await tx
    .insertInto('imports')
    .values({ id: 'import', tenantId, ...counts, ...actor, ...file, ...times, ...said })
    .execute();
  const importId = 'import';
  await tx.insertInto('importRefusals').values({ importId, line: 2, problems: '[]' }).execute();
  const sealed = randomBytes(70_000);
  await tx.insertInto('importParts').values({ importId, start: 0, sealed }).execute();
  const well = { failures: 0, failedAt: null, failure: null, restsUntil: 0 };
  const secret = Buffer.alloc(9, 255);
  await tx
    .insertInto('oldSystems')
    .values({ tenantId, secret, ...well })
    .execute();
  await tx.insertInto('movedAddresses').values({ tenantId, addressHash: difficult, movedAt: 1 }).execute();
}
