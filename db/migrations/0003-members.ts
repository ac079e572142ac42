import { type Kysely, sql } from 'kysely';

const statements = [
  // A message that proves that somebody reads an address: sign-up, forgotten password, changed address.
  `create table emailProofs (
    id text primary key,
    tenantId text not null references tenants (id),
    purpose text not null check (purpose in ('sign_up', 'password_reset', 'email_change')),
    state text not null check (state in ('pending', 'proven', 'finished', 'expired', 'exhausted')),
    memberId text references members (id),
    email text not null,
    linkHash text not null,
    codeHash text not null,
    wrongCodes integer not null check (wrongCodes >= 0),
    payload text not null,
    createdAt integer not null,
    expiresAt integer not null
  ) strict`,
  'create unique index emailProofsByLink on emailProofs (linkHash)',
  'create index emailProofsByEmail on emailProofs (tenantId, email, createdAt)',
  'create index emailProofsByExpiry on emailProofs (expiresAt)',
  'create index emailProofsByMember on emailProofs (memberId, purpose)',

  // Mails wait here until the mail server has taken them. The message is encrypted, and dropped once sent.
  `create table mails (
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
  ) strict`,
  'create index mailsByState on mails (state, nextAttemptAt)',

  // Failed sign-ins of an address, whether an account has it or not (A1, A6).
  `create table signInFailures (
    tenantId text not null references tenants (id),
    emailHash text not null,
    failures integer not null check (failures > 0),
    lastFailedAt integer not null,
    primary key (tenantId, emailHash)
  ) strict, without rowid`,

  // Browsers that a member has signed in with: they pass the limit above, and cause no notice.
  `create table knownBrowsers (
    memberId text not null references members (id),
    browserHash text not null,
    firstSeenAt integer not null,
    lastSeenAt integer not null,
    primary key (memberId, browserHash)
  ) strict, without rowid`,

  // When an account that its member asked to delete is gone, and when its personal data were erased.
  'alter table members add column deletionDueAt integer',
  'alter table members add column erasedAt integer',
  'create index membersByDeletion on members (deletionDueAt) where deletionDueAt is not null and erasedAt is null',

  // The account pages show what a device said of itself beside its sign-in.
  'create index deviceCodesBySignIn on deviceCodes (signInId)',
  'create index deviceCodesByMember on deviceCodes (memberId)',

  // For what ends with a sign-out everywhere.
  'create index authorizationCodesByMember on authorizationCodes (memberId, state)',

  // The name a member gave a TV or app.
  'alter table signIns add column label text',

  // Pictures in data: URIs, checked before they are stored.
  'alter table tenants add column logo text',
  'alter table clients add column logo text',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
