-- Written by "npm run docs" from the migrations: a new database begins with this, and a test holds them equal.

CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);

CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);

CREATE TABLE service (
    id integer primary key check (id = 1),
    environment text not null check (environment in ('development', 'production')),
    keyCheck text not null,
    initialisedAt integer not null
  , setupHash text, setupUsedAt integer, tokensFrom integer not null default 0, cleanedUntil integer not null default 0) strict;

CREATE TABLE tenants (
    id text primary key,
    name text not null,
    issuer text not null unique,
    host text not null unique,
    brandColor text not null,
    development integer not null check (development in (0, 1)),
    tokenKey blob not null,
    createdAt integer not null
  , limits text not null default '{}', logo text, returnOrigins text not null default '[]', disabledAt integer, stageTenantId text references tenants (id), languages text not null default '[]', passwordLength integer not null default 12 check (passwordLength between 8 and 64), revocationListed integer not null default 0
    check (revocationListed in (0, 1)), "clientRegistration" text default 'off' not null, "clientMetadataDocuments" text default 'off' not null, "clientMetadataHosts" text default '[]' not null, "unverifiedOfflineAccess" integer default 0 not null, "favicon" text, "coverPicture" text, "coverText" text, "supportAddress" text, "termsUrl" text, "privacyUrl" text, "corners" text default 'soft' not null, "font" text default 'system' not null, "invoicing" text default '{}' not null, "passkeys" text default 'off' not null, "emailCodes" text default 'off' not null, "secondFactor" text default 'off' not null, "adminSecondFactor" text default 'required' not null, "trustedBrowserDays" integer default 30 not null, "deviceFactor" text default 'off' not null, "oldSystemUrl" text) strict;

CREATE TABLE clients (
    tenantId text not null references tenants (id),
    clientId text not null,
    name text not null,
    type text not null check (type in ('public', 'confidential')),
    secrets text not null,
    redirectUris text not null,
    postLogoutRedirectUris text not null,
    webOrigins text not null,
    signupDisabled integer not null check (signupDisabled in (0, 1)),
    deviceFlow integer not null check (deviceFlow in (0, 1)),
    thirdParty integer not null check (thirdParty in (0, 1)),
    claimsInIdToken integer not null check (claimsInIdToken in (0, 1)),
    accessTokenSeconds integer not null check (accessTokenSeconds between 1 and 14400),
    refreshTokenIdle integer not null check (refreshTokenIdle > 0),
    refreshTokenAbsolute integer not null check (refreshTokenAbsolute > 0),
    replayWindow integer not null check (replayWindow between 0 and 30000),
    createdAt integer not null, logo text, disabledAt integer, signInsPerMember integer not null default 100 check (signInsPerMember between 1 and 1000), accessTokenAlgorithm text not null default 'ES256'
    check (accessTokenAlgorithm in ('ES256', 'RS256')), idTokenAlgorithm text not null default 'RS256'
    check (idTokenAlgorithm in ('ES256', 'RS256', 'PS256', 'EdDSA')), "pushedRequests" text default 'off' not null, "apis" text default '[]' not null, "signedResponses" integer default 0 not null, "authenticationMethod" text default 'client_secret' not null, "jwks" text, "jwksUri" text, "signingAlgorithms" text default '["ES256","PS256","EdDSA","RS256"]' not null, "claimsParameter" integer check (claimsParameter in (0, 1)) default 0 not null, "origin" text default 'operator' not null, "claimedName" text, "registrationTokenHash" text, "lastUsedAt" integer, "freshUntil" integer, "dpop" text default 'off' not null, "dpopNonce" integer default 0 not null, "requestObjects" text default 'off' not null, "backchannelLogoutUri" text, "introspection" integer default 0 not null, "clientCredentials" integer default 0 not null, "serviceScopes" text default '[]' not null, "profile" text default 'none' not null,
    primary key (tenantId, clientId)
  ) strict;

CREATE TABLE members (
    id text primary key,
    tenantId text not null references tenants (id),
    userId integer not null,
    memberNumber integer not null,
    email text not null,
    normalisedEmail text not null,
    emailVerified integer not null check (emailVerified in (0, 1)),
    passwordHash text not null,
    fullName text not null,
    nickName text not null,
    phone text not null,
    phoneVerified integer not null check (phoneVerified in (0, 1)),
    avatar text,
    locale text,
    userType text not null check (userType in ('member', 'tenant_admin', 'system_admin')),
    status text not null check (status in ('active', 'disabled')),
    addressLine1 text,
    addressCity text,
    addressPostCode text,
    addressPostOffice text,
    addressCountry text,
    addressName text,
    addressEmail text,
    createdAt integer not null,
    updatedAt integer not null, deletionDueAt integer, erasedAt integer, passwordWork integer not null default 0, emailSince integer not null default 0, "passwordSince" integer default 0, "externalId" text, "oldHashUnit" text, "oldHashWork" integer,
    unique (tenantId, userId),
    unique (tenantId, memberNumber)
  ) strict;

CREATE UNIQUE INDEX membersByEmail on members (tenantId, normalisedEmail);

CREATE TABLE sessions (
    id text primary key,
    tenantId text not null references tenants (id),
    memberId text not null references members (id),
    secretHash text not null,
    state text not null check (state in ('active', 'ended', 'expired')),
    authenticatedAt integer not null,
    createdAt integer not null,
    lastUsedAt integer not null,
    userAgent text not null,
    ipAddress text not null
  , kind text not null default 'member' check (kind in ('member', 'admin')), "amr" text default 'pwd' not null, "strongAt" integer) strict;

CREATE UNIQUE INDEX sessionsBySecret on sessions (secretHash);

CREATE TABLE signIns (
    id text primary key,
    tenantId text not null,
    clientId text not null,
    memberId text not null references members (id),
    sessionId text not null references sessions (id),
    state text not null check (state in ('active', 'ended')),
    scope text not null,
    generation integer not null check (generation >= 1),
    authenticatedAt integer not null,
    createdAt integer not null,
    rotatedAt integer not null,
    endedAt integer,
    endReason text, label text, "claims" text, "dpopJkt" text, "resources" text default '' not null, "holderNetwork" text, "holderProgram" text, "reuse" text,
    foreign key (tenantId, clientId) references clients (tenantId, clientId)
  ) strict;

CREATE TABLE scopeConsents (
    tenantId text not null,
    memberId text not null references members (id),
    clientId text not null,
    scope text not null,
    grantedAt integer not null, "resources" text default '' not null,
    primary key (memberId, clientId),
    foreign key (tenantId, clientId) references clients (tenantId, clientId)
  ) strict;

CREATE TABLE packages (
    id integer primary key,
    tenantId text not null references tenants (id),
    name text not null
  , description text not null default '', price integer not null default 0 check (price >= 0), currency text not null default 'EUR' check (length(currency) = 3), periodUnit text not null default 'month' check (periodUnit in ('day', 'week', 'month', 'year')), periodCount integer not null default 1 check (periodCount > 0), payment text not null default 'free', needsAddress integer not null default 0 check (needsAddress in (0, 1)), offered integer not null default 0 check (offered in (0, 1)), "taxName" text default '' not null, "taxRate" integer, "renews" integer default 0 not null, "networks" text default '[]' not null, "seats" integer) strict;

CREATE TABLE products (
    id integer primary key,
    tenantId text not null references tenants (id),
    name text not null
  ) strict;

CREATE TABLE packageProducts (
    packageId integer not null references packages (id),
    productId integer not null references products (id),
    primary key (packageId, productId)
  ) strict, without rowid;

CREATE TABLE deviceCodes (
    id text primary key,
    tenantId text not null,
    clientId text not null,
    hash text not null,
    userCodeHash text not null,
    state text not null check (state in ('pending', 'approved', 'denied', 'expired', 'used', 'withdrawn')),
    scope text not null,
    deviceName text,
    deviceModel text,
    ipAddress text not null,
    interval integer not null check (interval > 0),
    createdAt integer not null,
    expiresAt integer not null,
    memberId text references members (id),
    sessionId text references sessions (id),
    authenticatedAt integer,
    signInId text references signIns (id), "resources" text default '' not null,
    foreign key (tenantId, clientId) references clients (tenantId, clientId)
  ) strict;

CREATE UNIQUE INDEX deviceCodesByHash on deviceCodes (hash);

CREATE INDEX deviceCodesByUserCode on deviceCodes (tenantId, userCodeHash);

CREATE TABLE wrongUserCodes (
    tenantId text not null references tenants (id),
    memberId text not null references members (id),
    address text not null,
    enteredAt integer not null
  , userCodeHash text not null default '', browserHash text not null default '') strict;

CREATE INDEX wrongUserCodesByMember on wrongUserCodes (memberId, enteredAt);

CREATE INDEX wrongUserCodesByAddress on wrongUserCodes (tenantId, address, enteredAt);

CREATE INDEX wrongUserCodesByTime on wrongUserCodes (tenantId, enteredAt);

CREATE TABLE mails (
    id integer primary key,
    tenantId text not null references tenants (id),
    name text not null,
    message blob,
    state text not null check (state in ('waiting', 'sent', 'failed')),
    attempts integer not null check (attempts >= 0),
    nextAttemptAt integer not null,
    lastError text,
    createdAt integer not null,
    sentAt integer
  , recipientHash text, "memberId" text) strict;

CREATE INDEX mailsByState on mails (state, nextAttemptAt);

CREATE TABLE signInFailures (
    tenantId text not null references tenants (id),
    emailHash text not null,
    failures integer not null check (failures > 0),
    lastFailedAt integer not null, underWay integer not null default 0,
    primary key (tenantId, emailHash)
  ) strict, without rowid;

CREATE TABLE knownBrowsers (
    memberId text not null references members (id),
    browserHash text not null,
    firstSeenAt integer not null,
    lastSeenAt integer not null, "trustedUntil" integer,
    primary key (memberId, browserHash)
  ) strict, without rowid;

CREATE INDEX membersByDeletion on members (deletionDueAt) where deletionDueAt is not null and erasedAt is null;

CREATE INDEX packagesByTenant on packages (tenantId);

CREATE INDEX productsByTenant on products (tenantId);

CREATE TABLE "subscriptions" (
    id integer primary key,
    tenantId text not null references tenants (id),
    memberId text not null references members (id),
    packageId integer not null references packages (id),
    state text not null check (state in ('pending', 'active', 'cancelled', 'expired', 'ended')),
    createdAt integer not null,
    activatedAt integer,
    expiresAt integer,
    cancelledAt integer,
    endedAt integer,
    customPropertyValues text not null
  ) strict;

CREATE INDEX subscriptionsByMember on subscriptions (memberId);

CREATE TABLE customProperties (
    tenantId text not null references tenants (id),
    key text not null,
    type text not null check (type in ('number', 'string', 'timestamp')),
    primary key (tenantId, key)
  ) strict, without rowid;

CREATE TABLE contentChannels (
    tenantId text not null references tenants (id),
    id text not null,
    name text not null,
    description text not null,
    primary key (tenantId, id)
  ) strict, without rowid;

CREATE TABLE channelProducts (
    tenantId text not null,
    channelId text not null,
    productId integer not null references products (id),
    primary key (tenantId, channelId, productId),
    foreign key (tenantId, channelId) references contentChannels (tenantId, id)
  ) strict, without rowid;

CREATE TABLE consents (
    tenantId text not null references tenants (id),
    id text not null,
    name text not null,
    description text not null,
    atSignUp integer not null check (atSignUp in (0, 1)),
    atCheckout integer not null check (atCheckout in (0, 1)),
    retiredAt integer,
    primary key (tenantId, id)
  ) strict, without rowid;

CREATE TABLE checkouts (
    id text primary key,
    tenantId text not null references tenants (id),
    memberId text not null references members (id),
    packageId integer not null references packages (id),
    state text not null check (state in ('open', 'completed', 'cancelled', 'expired')),
    payment text not null,
    price integer not null check (price >= 0),
    currency text not null,
    periodUnit text not null,
    periodCount integer not null,
    reference text,
    onCheckoutCompletedUrl text,
    callBackUrl text,
    createdAt integer not null,
    expiresAt integer not null,
    closedAt integer,
    paymentReference text,
    subscriptionId integer references subscriptions (id)
  ) strict;

CREATE INDEX checkoutsByMember on checkouts (memberId);

CREATE INDEX checkoutsBySubscription on checkouts (subscriptionId);

CREATE INDEX checkoutsByExpiry on checkouts (state, expiresAt);

CREATE INDEX checkoutsByPaymentAndExpiry on checkouts (payment, state, expiresAt);

CREATE TABLE invoices (
    id text primary key,
    tenantId text not null references tenants (id),
    number integer not null check (number > 0),
    memberId text not null references members (id),
    subscriptionId integer not null references subscriptions (id),
    packageName text not null,
    amount integer not null check (amount >= 0),
    currency text not null,
    addressee text not null,
    issuedAt integer not null,
    dueAt integer not null,
    paidAt integer, "taxName" text default '' not null, "taxRate" integer, "payTo" text, "seats" integer,
    unique (tenantId, number)
  ) strict;

CREATE INDEX invoicesBySubscription on invoices (subscriptionId);

CREATE TABLE auditEvents (
    id integer primary key,
    at integer not null,
    tenantId text,
    event text not null,
    actorKind text not null
      check (actorKind in ('member', 'client', 'admin', 'token', 'operator', 'service', 'nobody')),
    actorId text,
    target text,
    clientId text,
    address text,
    result text not null check (result in ('done', 'refused')),
    reason text
  , changes text, "operation" text, "reference" text, "browser" text, "memberId" text, "way" text, "rule" text) strict;

CREATE INDEX auditEventsByClient on auditEvents (tenantId, clientId, at) where result = 'refused';

CREATE TABLE adminTokens (
    id text primary key,
    tenantId text references tenants (id),
    name text not null,
    secretHash text not null,
    permissions text not null,
    createdAt integer not null,
    expiresAt integer,
    revokedAt integer
  , parentId text, makerId text) strict;

CREATE UNIQUE INDEX adminTokensBySecret on adminTokens (secretHash);

CREATE INDEX signInsByClient on signIns (tenantId, clientId) where state = 'active';

CREATE TABLE memberWords (
    tenantId text not null,
    word text not null,
    memberId text not null references members (id),
    primary key (tenantId, word, memberId)
  ) strict, without rowid;

CREATE INDEX memberWordsByMember on memberWords (memberId);

CREATE INDEX membersByTenant on members (tenantId, id);

CREATE INDEX checkoutsByTenant on checkouts (tenantId, id);

CREATE INDEX adminTokensByParent on adminTokens (parentId) where parentId is not null;

CREATE INDEX systemAdmins on members (id) where userType = 'system_admin';

CREATE INDEX auditEventsByTime on auditEvents (at) where event <> 'token_refreshed';

CREATE INDEX auditEventsByTenant on auditEvents (tenantId, at) where event <> 'token_refreshed';

CREATE INDEX auditEventsByActor on auditEvents (tenantId, actorId, at)
    where actorId is not null and event <> 'token_refreshed';

CREATE INDEX auditEventsByTarget on auditEvents (tenantId, target, at)
    where target is not null and event <> 'token_refreshed';

CREATE INDEX auditRefreshesByTime on auditEvents (at) where event = 'token_refreshed';

CREATE INDEX auditRefreshesByTenant on auditEvents (tenantId, at) where event = 'token_refreshed';

CREATE INDEX auditRefreshesByTarget on auditEvents (target) where event = 'token_refreshed';

CREATE INDEX signInsBySession on signIns (sessionId);

CREATE INDEX deviceCodesBySession on deviceCodes (sessionId) where sessionId is not null;

CREATE INDEX signInFailuresByTime on signInFailures (lastFailedAt);

CREATE INDEX knownBrowsersByTime on knownBrowsers (lastSeenAt);

CREATE INDEX deviceCodesBySignIn on deviceCodes (signInId) where signInId is not null;

CREATE INDEX deviceCodesByMember on deviceCodes (memberId) where memberId is not null;

CREATE TABLE "authorizationCodes" (
    hash text primary key,
    tenantId text not null,
    clientId text not null,
    memberId text not null references members (id),
    sessionId text not null references sessions (id),
    state text not null check (state in ('issued', 'used', 'burned', 'expired')),
    redirectUri text not null,
    codeChallenge text not null,
    scope text not null,
    nonce text,
    authenticatedAt integer not null,
    issuedAt integer not null,
    expiresAt integer not null,
    signInId text references signIns (id), "claims" text, "dpopJkt" text, "resources" text default '' not null,
    foreign key (tenantId, clientId) references clients (tenantId, clientId)
  ) strict;

CREATE INDEX authorizationCodesByMember on authorizationCodes (memberId);

CREATE INDEX authorizationCodesByClient on authorizationCodes (tenantId, clientId) where state = 'issued';

CREATE INDEX authorizationCodesBySession on authorizationCodes (sessionId);

CREATE INDEX authorizationCodesBySignIn on authorizationCodes (signInId) where signInId is not null;

CREATE INDEX signInsByMember on signIns (memberId, state, id);

CREATE INDEX sessionsByMember on sessions (memberId, state, id);

CREATE INDEX invoicesByMember on invoices (memberId, paidAt, number);

CREATE INDEX mailsByRecipient on mails (tenantId, recipientHash) where recipientHash is not null;

CREATE INDEX auditEventsByAddress on auditEvents (tenantId, address)
    where address is not null and (actorKind = 'nobody' or result = 'refused');

CREATE INDEX membersByErasure on members (erasedAt) where erasedAt is not null;

CREATE INDEX adminTokensByTenant on adminTokens (tenantId, id);

CREATE INDEX invoicesUnpaid on invoices (tenantId, number) where paidAt is null;

CREATE TABLE filler (id integer primary key check (id = 1), bytes blob not null) strict;

CREATE INDEX membersByPasswordWork on members (tenantId, passwordWork);

CREATE INDEX deviceCodesByState on deviceCodes (tenantId, state, expiresAt, clientId, ipAddress);

CREATE INDEX deviceCodesUsedByAddress on deviceCodes (tenantId, ipAddress) where state = 'used';

CREATE INDEX sessionsByAddress on sessions (tenantId, ipAddress);

CREATE TABLE formerAddresses (
    memberId text not null references members (id),
    email text not null,
    givenUpAt integer not null,
    primary key (memberId, email)
  ) strict, without rowid;

CREATE INDEX formerAddressesByTime on formerAddresses (givenUpAt);

CREATE INDEX signInFailuresUnderWay on signInFailures (underWay) where underWay > 0;

CREATE TABLE "remembered" ("id" integer primary key check (id = 1), "version" integer not null, "bannedUntil" bigint default 0 not null);

CREATE TABLE "leases" ("name" text primary key, "holder" text not null, "until" bigint not null);

CREATE TABLE "counters" ("key" text primary key, "count" bigint not null, "endsAt" bigint not null);

CREATE INDEX "countersByEnd" on "counters" ("endsAt");

CREATE TABLE "pollTimes" ("deviceCodeId" text primary key, "polledAt" bigint not null);

CREATE TABLE "slowedEntries" ("tenantId" text not null references "tenants" ("id"), "memberId" text not null references "members" ("id"), "address" text not null, "network" text not null, "isKnown" bigint not null, "isRight" bigint not null, "overAt" bigint not null, constraint "slowedEntries_pkey" primary key ("tenantId", "memberId"));

CREATE INDEX "slowedEntriesByTenantAndEnd" on "slowedEntries" ("tenantId", "overAt");

CREATE TABLE "usedIds" ("tenantId" text not null, "purpose" text not null, "hash" text not null, "expiresAt" bigint not null, constraint "usedIds_pkey" primary key ("tenantId", "purpose", "hash"));

CREATE INDEX "usedIdsByEnd" on "usedIds" ("expiresAt");

CREATE TABLE "signingKeys" (
    kid text primary key,
    tenantId text not null references tenants (id),
    algorithm text not null check (algorithm in ('ES256', 'RS256', 'PS256', 'EdDSA')),
    publicJwk text not null,
    privateKey blob not null,
    createdAt integer not null,
    activeFrom integer not null,
    retiredAt integer
  ) strict;

CREATE INDEX signingKeysByTenant on signingKeys (tenantId);

CREATE TABLE "pushedRequests" ("hash" text primary key, "tenantId" text not null references "tenants" ("id"), "clientId" text not null, "sealed" text not null, "expiresAt" bigint not null);

CREATE INDEX "pushedRequestsByEnd" on "pushedRequests" ("expiresAt");

CREATE TABLE "apis" ("tenantId" text not null references "tenants" ("id"), "identifier" text not null, "name" text not null, "scopes" text not null, "accessTokenAlgorithm" text not null check ("accessTokenAlgorithm" in ('ES256', 'RS256')), "unverifiedClients" integer default 0 not null, constraint "apis_pkey" primary key ("tenantId", "identifier"));

CREATE INDEX "clientsUnverified" on "clients" ("tenantId", "lastUsedAt", "createdAt") where "origin" <> 'operator';

CREATE TABLE "clientBans" ("tenantId" text not null references "tenants" ("id"), "banned" text not null, "bannedAt" bigint not null, constraint "clientBans_pkey" primary key ("tenantId", "banned"));

CREATE TABLE "registrationTokens" ("id" text primary key, "tenantId" text not null references "tenants" ("id"), "name" text not null, "secretHash" text not null unique, "usesLeft" bigint not null, "createdAt" bigint not null, "expiresAt" bigint not null);

CREATE INDEX "registrationTokensByTenant" on "registrationTokens" ("tenantId", "id");

CREATE TABLE "logoutNotices" ("id" integer primary key autoincrement, "tenantId" text not null references "tenants" ("id"), "clientId" text not null, "memberId" text not null, "sessionId" text not null, "state" text not null check (state in ('waiting', 'delivered', 'given_up')), "attempts" integer not null, "nextAttemptAt" integer not null, "lastResult" text, "endedAt" integer not null, "doneAt" integer);

CREATE UNIQUE INDEX "logoutNoticesWaiting" on "logoutNotices" ("sessionId", "clientId") where state = 'waiting';

CREATE INDEX "logoutNoticesByState" on "logoutNotices" ("state", "nextAttemptAt");

CREATE INDEX "logoutNoticesByClient" on "logoutNotices" ("tenantId", "clientId", "id");

CREATE TABLE "figures" ("tenantId" text not null references "tenants" ("id"), "unit" text not null check (unit in ('hour', 'day')), "at" integer not null, "name" text not null, "value" integer not null, constraint "figures_pkey" primary key ("tenantId", "unit", "at", "name")) without rowid;

CREATE TABLE "rolledUp" ("what" text primary key check (what in ('events', 'levels')), "until" integer not null);

CREATE INDEX "auditEventsByReference" on "auditEvents" ("tenantId", "reference", "at") where "reference" is not null;

CREATE INDEX "auditEventsByMember" on "auditEvents" ("tenantId", "memberId", "at") where "memberId" is not null;

CREATE INDEX "checkoutsByPaymentReference" on "checkouts" ("tenantId", "paymentReference") where "paymentReference" is not null;

CREATE INDEX "mailsByMember" on "mails" ("memberId", "createdAt") where "memberId" is not null;

CREATE INDEX "membersErasedOrNot" on "members" ("tenantId", "erasedAt");

CREATE INDEX "membersDisabled" on "members" ("tenantId", "id") where "status" = 'disabled';

CREATE INDEX "membersInCharge" on "members" ("tenantId", "id") where "userType" <> 'member';

CREATE INDEX "invoicesByDue" on "invoices" ("tenantId", "dueAt", "paidAt") where "paidAt" is null;

CREATE INDEX "auditEventsRare" on "auditEvents" ("tenantId", "event", "at") where event not in ('api_denied', 'authorization_refused', 'client_authentication_failed', 'code_issued', 'code_redeemed', 'code_refused', 'device_code_entered', 'device_code_issued', 'device_code_refused', 'device_code_wrong', 'device_redeemed', 'form_refused', 'page_refused', 'refresh_refused', 'service_token_issued', 'session_ended', 'sign_in', 'sign_in_refused', 'signed_out', 'token_refreshed', 'token_request_refused');

CREATE TABLE "passkeys" ("id" text not null primary key, "tenantId" text not null references "tenants" ("id"), "memberId" text not null references "members" ("id"), "credentialId" text not null, "publicKey" text not null, "counter" integer not null, "isSynced" integer not null, "isBackedUp" integer not null, "transports" text not null, "aaguid" text not null, "name" text not null, "createdAt" integer not null, "lastUsedAt" integer, "userAgent" text not null, "ipAddress" text not null);

CREATE UNIQUE INDEX "passkeysByCredential" on "passkeys" ("tenantId", "credentialId");

CREATE INDEX "passkeysByMember" on "passkeys" ("memberId", "id");

CREATE TABLE "emailProofs" (
    id text primary key,
    tenantId text not null references tenants (id),
    purpose text not null check (purpose in ('sign_in', 'sign_up', 'password_reset', 'email_change')),
    state text not null check (state in ('pending', 'proven', 'finished', 'expired', 'exhausted')),
    memberId text references members (id),
    email text not null,
    linkHash text not null,
    codeHash text not null,
    wrongCodes integer not null check (wrongCodes >= 0),
    payload text not null,
    createdAt integer not null,
    expiresAt integer not null,
    askedBy text not null default '',
    askedFrom text not null default ''
  ) strict;

CREATE UNIQUE INDEX emailProofsByLink on emailProofs (linkHash);

CREATE INDEX emailProofsByEmail on emailProofs (tenantId, email, createdAt);

CREATE INDEX emailProofsByExpiry on emailProofs (expiresAt);

CREATE INDEX emailProofsByMember on emailProofs (memberId, purpose);

CREATE TABLE "identityProviders" ("tenantId" text not null references "tenants" ("id"), "key" text not null, "name" text not null, "preset" text not null, "issuer" text not null, "clientId" text not null, "teamId" text, "keyId" text, "secret" blob, "secretId" text, "scopes" text not null, "trustsVerifiedEmail" integer not null, "keepTokens" integer not null, "position" integer not null, "disabledAt" integer, constraint "identityProviders_pkey" primary key ("tenantId", "key"));

CREATE TABLE "linkedAccounts" ("id" text primary key, "tenantId" text not null, "memberId" text not null references "members" ("id"), "provider" text not null, "issuer" text not null, "subject" text not null, "email" text not null, "linkedAt" integer not null, "lastUsedAt" integer not null, "tokens" blob, constraint "linkedAccounts_provider_fkey" foreign key ("tenantId", "provider") references "identityProviders" ("tenantId", "key"));

CREATE UNIQUE INDEX "linkedAccountsBySubject" on "linkedAccounts" ("tenantId", "provider", "issuer", "subject");

CREATE INDEX "linkedAccountsByMember" on "linkedAccounts" ("memberId", "id");

CREATE TABLE "secondFactors" ("memberId" text primary key references "members" ("id"), "tenantId" text not null references "tenants" ("id"), "secret" blob not null, "lastStep" bigint not null, "recoveryHashes" text not null, "createdAt" bigint not null);

CREATE INDEX "signInsByReuse" on "signIns" ("tenantId", "clientId", "endedAt", "id", "reuse") where "reuse" is not null;

CREATE TABLE "events" ("seq" integer primary key autoincrement, "tenantId" text not null references "tenants" ("id"), "number" integer, "id" text, "at" integer not null, "type" text not null, "memberId" text, "subject" text, "clientId" text, "detail" text, "changed" text);

CREATE UNIQUE INDEX "eventsByNumber" on "events" ("tenantId", "number") where number is not null;

CREATE INDEX "eventsWithoutNumber" on "events" ("seq") where number is null;

CREATE INDEX "eventsByMember" on "events" ("memberId", "seq") where "memberId" is not null;

CREATE TABLE "eventNumbers" ("tenantId" text primary key references "tenants" ("id"), "last" integer not null);

CREATE INDEX "subscriptionsByBeginning" on "subscriptions" ("state", "activatedAt");

CREATE INDEX "subscriptionsByEnd" on "subscriptions" ("state", "expiresAt");

CREATE UNIQUE INDEX "membersByExternalId" on "members" ("tenantId", "externalId") where "externalId" is not null;

CREATE INDEX "membersByOldHash" on "members" ("tenantId", "oldHashUnit", "oldHashWork") where "oldHashUnit" is not null;

CREATE TABLE "imports" ("id" text primary key, "tenantId" text not null references "tenants" ("id"), "fileName" text not null, "fileHash" text not null, "fileBytes" integer not null, "received" integer not null, "options" text not null, "place" text, "readTo" integer not null, "line" integer not null, "added" integer not null, "changed" integer not null, "skipped" integer not null, "refused" integer not null, "actorKind" text not null, "actorId" text, "actorAddress" text, "createdAt" integer not null, "startedAt" integer, "endedAt" integer, "failure" text, "work" text default 'none' not null, "trial" text, "invited" integer default 0 not null, "sending" text);

CREATE INDEX "importsOfTenant" on "imports" ("tenantId", "createdAt", "id");

CREATE TABLE "importRefusals" ("importId" text not null references "imports" ("id"), "line" integer not null, "problems" text not null, constraint "importRefusals_pkey" primary key ("importId", "line"));

CREATE TABLE "webhookEndpoints" ("id" text primary key, "tenantId" text not null references "tenants" ("id"), "name" text not null, "url" text not null, "types" text, "secret" blob, "previousSecret" blob, "previousUntil" integer, "position" integer not null, "createdAt" integer not null, "disabledAt" integer, "disabledReason" text);

CREATE INDEX "webhookEndpointsByTenant" on "webhookEndpoints" ("tenantId", "id");

CREATE TABLE "webhookDeliveries" ("id" integer primary key autoincrement, "tenantId" text not null references "tenants" ("id"), "endpointId" text not null references "webhookEndpoints" ("id"), "kind" text not null check (kind in ('event', 'again', 'test')), "eventId" text not null, "type" text not null, "memberId" text, "payload" text not null, "state" text not null check (state in ('held', 'waiting', 'delivered', 'failed')), "attempts" integer not null, "nextAttemptAt" integer not null, "createdAt" integer not null, "firstAt" integer, "lastAt" integer, "lastResult" text, "answer" text);

CREATE INDEX "webhookDeliveriesByState" on "webhookDeliveries" ("state", "nextAttemptAt");

CREATE INDEX "webhookDeliveriesByEndpoint" on "webhookDeliveries" ("endpointId", "id");

CREATE INDEX "webhookDeliveriesInOrder" on "webhookDeliveries" ("endpointId", "memberId", "id") where state in ('held', 'waiting');

CREATE TABLE "auditStreams" ("place" text primary key, "until" integer not null);

CREATE INDEX "membersByChange" on "members" ("tenantId", "updatedAt", "id");

CREATE TABLE "seatGroups" ("subscriptionId" integer primary key references "subscriptions" ("id"), "tenantId" text not null references "tenants" ("id"), "seats" integer not null);

CREATE INDEX "seatGroupsByTenant" on "seatGroups" ("tenantId", "subscriptionId");

CREATE TABLE "seatDomains" ("tenantId" text not null references "tenants" ("id"), "domain" text not null, "subscriptionId" integer not null references "seatGroups" ("subscriptionId"), constraint "seatDomains_pkey" primary key ("tenantId", "domain", "subscriptionId"));

CREATE INDEX "seatDomainsBySubscription" on "seatDomains" ("subscriptionId");

CREATE TABLE "seats" ("id" text primary key, "tenantId" text not null references "tenants" ("id"), "subscriptionId" integer not null references "seatGroups" ("subscriptionId"), "state" text not null check (state in ('invited', 'taken', 'expired', 'ended')), "email" text not null, "memberId" text references "members" ("id"), "invitedAt" integer not null, "expiresAt" integer not null, "takenAt" integer, "endedAt" integer, "endedBy" text check ("endedBy" in ('holder', 'member', 'operator', 'subscription')));

CREATE INDEX "seatsBySubscription" on "seats" ("subscriptionId", "id");

CREATE UNIQUE INDEX "seatsByAddress" on "seats" ("tenantId", "email", "subscriptionId") where state = 'invited';

CREATE INDEX "seatsByMember" on "seats" ("memberId", "subscriptionId") where "memberId" is not null;

CREATE UNIQUE INDEX "seatsInUse" on "seats" ("subscriptionId", "memberId") where state = 'taken';

CREATE INDEX "seatsToForget" on "seats" ("endedAt") where "endedAt" is not null;

CREATE INDEX "seatInvitationsToForget" on "seats" ("expiresAt") where state = 'invited';

CREATE TABLE "oldSystems" ("tenantId" text primary key references "tenants" ("id"), "secret" blob, "failures" integer not null, "failedAt" integer, "failure" text, "restsUntil" integer not null);

CREATE TABLE "movedAddresses" ("tenantId" text not null references "tenants" ("id"), "addressHash" text not null, "movedAt" integer not null, constraint "movedAddresses_pkey" primary key ("tenantId", "addressHash"));

CREATE TABLE "importParts" ("importId" text not null references "imports" ("id"), "start" integer not null, "sealed" blob not null, constraint "importParts_pkey" primary key ("importId", "start"));

CREATE TABLE "consentChanges" (
    id integer primary key,
    tenantId text not null,
    memberId text not null references members (id),
    consentId text not null,
    status text not null check (status in ('accepted', 'withdrawn')),
    name text not null,
    description text not null,
    source text not null check (source in ('account', 'api', 'checkout', 'import', 'sign_up')),
    clientId text,
    changedAt integer not null,
    foreign key (tenantId, consentId) references consents (tenantId, id)
  ) strict;

CREATE INDEX consentChangesByMember on consentChanges (memberId);

CREATE INDEX consentChangesByConsent on consentChanges (memberId, consentId);

CREATE INDEX consentChangesByTenant on consentChanges (tenantId, status, changedAt);

CREATE INDEX consentChangesByAnswer on consentChanges (tenantId, consentId, status, changedAt);

CREATE TABLE "webhookAttempts" ("id" integer primary key autoincrement, "endpointId" text not null references "webhookEndpoints" ("id"), "deliveryId" integer not null, "at" integer not null, "took" integer not null, "result" text not null, "answer" text);

CREATE INDEX "webhookAttemptsByDelivery" on "webhookAttempts" ("endpointId", "deliveryId", "id");

CREATE INDEX "webhookAttemptsByTime" on "webhookAttempts" ("at");

CREATE INDEX "webhookDeliveriesFailing" on "webhookDeliveries" ("endpointId", "firstAt") where state = 'waiting' and "firstAt" is not null;

CREATE INDEX "webhookDeliveriesWaiting" on "webhookDeliveries" ("createdAt") where state = 'waiting';

CREATE TABLE "callsOnce" ("id" text primary key, "owner" text not null, "memberId" text, "answer" blob, "createdAt" integer not null);

CREATE INDEX "callsOnceByAge" on "callsOnce" ("createdAt");

CREATE INDEX "callsOnceByMember" on "callsOnce" ("memberId");

CREATE TABLE "seatNetworks" ("tenantId" text not null references "tenants" ("id"), "network" text not null, "subscriptionId" integer not null references "seatGroups" ("subscriptionId"), constraint "seatNetworks_pkey" primary key ("tenantId", "network", "subscriptionId"));

CREATE INDEX "seatNetworksBySubscription" on "seatNetworks" ("subscriptionId");

insert into "kysely_migration_lock" values ('migration_lock', 0);

insert into "remembered" values (1, 0, 0);
