import { type Kysely, sql } from 'kysely';

const statements = [
  // One row: what this file is and which keys it belongs to.
  `create table service (
    id integer primary key check (id = 1),
    environment text not null check (environment in ('development', 'production')),
    keyCheck text not null,
    initialisedAt integer not null
  ) strict`,

  `create table tenants (
    id text primary key,
    name text not null,
    issuer text not null unique,
    host text not null unique,
    brandColor text not null,
    development integer not null check (development in (0, 1)),
    tokenKey blob not null,
    createdAt integer not null
  ) strict`,

  `create table signingKeys (
    kid text primary key,
    tenantId text not null references tenants (id),
    algorithm text not null check (algorithm in ('ES256', 'RS256')),
    publicJwk text not null,
    privateKey blob not null,
    createdAt integer not null,
    activeFrom integer not null,
    retiredAt integer
  ) strict`,
  'create index signingKeysByTenant on signingKeys (tenantId)',

  `create table clients (
    tenantId text not null references tenants (id),
    clientId text not null,
    name text not null,
    type text not null check (type in ('public', 'confidential')),
    secretHashes text not null,
    redirectUris text not null,
    postLogoutRedirectUris text not null,
    webOrigins text not null,
    signupDisabled integer not null check (signupDisabled in (0, 1)),
    deviceFlow integer not null check (deviceFlow in (0, 1)),
    thirdParty integer not null check (thirdParty in (0, 1)),
    idTokenAlgorithm text not null check (idTokenAlgorithm in ('ES256', 'RS256')),
    claimsInIdToken integer not null check (claimsInIdToken in (0, 1)),
    accessTokenSeconds integer not null check (accessTokenSeconds between 1 and 14400),
    refreshTokenIdle integer not null check (refreshTokenIdle > 0),
    refreshTokenAbsolute integer not null check (refreshTokenAbsolute > 0),
    replayWindow integer not null check (replayWindow between 0 and 30000),
    createdAt integer not null,
    primary key (tenantId, clientId)
  ) strict`,

  `create table members (
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
    updatedAt integer not null,
    unique (tenantId, userId),
    unique (tenantId, memberNumber)
  ) strict`,
  'create unique index membersByEmail on members (tenantId, normalisedEmail)',

  `create table sessions (
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
  ) strict`,
  'create unique index sessionsBySecret on sessions (secretHash)',
  'create index sessionsByMember on sessions (memberId)',

  `create table authorizationCodes (
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
    signInId text references signIns (id),
    foreign key (tenantId, clientId) references clients (tenantId, clientId)
  ) strict, without rowid`,

  `create table signIns (
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
    endReason text,
    foreign key (tenantId, clientId) references clients (tenantId, clientId)
  ) strict`,
  'create index signInsByMember on signIns (memberId)',

  `create table scopeConsents (
    tenantId text not null,
    memberId text not null references members (id),
    clientId text not null,
    scope text not null,
    grantedAt integer not null,
    primary key (memberId, clientId),
    foreign key (tenantId, clientId) references clients (tenantId, clientId)
  ) strict`,

  `create table packages (
    id integer primary key,
    tenantId text not null references tenants (id),
    name text not null
  ) strict`,

  `create table products (
    id integer primary key,
    tenantId text not null references tenants (id),
    name text not null
  ) strict`,

  `create table packageProducts (
    packageId integer not null references packages (id),
    productId integer not null references products (id),
    primary key (packageId, productId)
  ) strict, without rowid`,

  `create table subscriptions (
    id integer primary key,
    tenantId text not null references tenants (id),
    memberId text not null references members (id),
    packageId integer not null references packages (id),
    createdAt integer not null,
    activatedAt integer not null,
    expiresAt integer not null,
    customPropertyValues text not null
  ) strict`,
  'create index subscriptionsByMember on subscriptions (memberId)',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
