import { type Kysely, sql } from 'kysely';

/**
 * Authorization codes lay in the order of their hashes, so each was written to another page, and so was its entry
 * in every index. Now they lie in the order in which they are made.
 */
const statements = [
  `create table codesInTheirOrder (
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
  ) strict`,
  `insert into codesInTheirOrder
    (hash, tenantId, clientId, memberId, sessionId, state, redirectUri, codeChallenge, scope, nonce,
      authenticatedAt, issuedAt, expiresAt, signInId)
    select hash, tenantId, clientId, memberId, sessionId, state, redirectUri, codeChallenge, scope, nonce,
      authenticatedAt, issuedAt, expiresAt, signInId
    from authorizationCodes order by issuedAt`,
  'drop table authorizationCodes',
  'alter table codesInTheirOrder rename to authorizationCodes',
  // Without the state, which changes with the use of each.
  'create index authorizationCodesByMember on authorizationCodes (memberId)',
  `create index authorizationCodesByClient on authorizationCodes (tenantId, clientId) where state = 'issued'`,
  'create index authorizationCodesBySession on authorizationCodes (sessionId)',
  'create index authorizationCodesBySignIn on authorizationCodes (signInId) where signInId is not null',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
