import { type Kysely, sql } from 'kysely';

const statements = [
  // What a tenant sets for itself, as JSON; what is missing has its default.
  `alter table tenants add column limits text not null default '{}'`,

  `create table deviceCodes (
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
    signInId text references signIns (id),
    foreign key (tenantId, clientId) references clients (tenantId, clientId)
  ) strict`,
  'create unique index deviceCodesByHash on deviceCodes (hash)',
  'create index deviceCodesByUserCode on deviceCodes (tenantId, userCodeHash)',
  'create index deviceCodesByState on deviceCodes (tenantId, state, expiresAt)',

  // One row for each wrong user code of the last 15 minutes.
  `create table wrongUserCodes (
    tenantId text not null references tenants (id),
    memberId text not null references members (id),
    address text not null,
    enteredAt integer not null
  ) strict`,
  'create index wrongUserCodesByMember on wrongUserCodes (memberId, enteredAt)',
  'create index wrongUserCodesByAddress on wrongUserCodes (tenantId, address, enteredAt)',
  'create index wrongUserCodesByTime on wrongUserCodes (tenantId, enteredAt)',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
