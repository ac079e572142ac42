import { type Kysely, sql } from 'kysely';

const statements = [
  // The portal has sessions of its own, which no member page takes (A17).
  `alter table sessions add column kind text not null default 'member' check (kind in ('member', 'admin'))`,

  // One row a security event, oldest first.
  `create table auditEvents (
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
  ) strict`,
  'create index auditEventsByTime on auditEvents (at)',
  'create index auditEventsByTenant on auditEvents (tenantId, at)',
  'create index auditEventsByActor on auditEvents (tenantId, actorId, at) where actorId is not null',
  'create index auditEventsByTarget on auditEvents (tenantId, target, at) where target is not null',
  `create index auditEventsByClient on auditEvents (tenantId, clientId, at) where result = 'refused'`,

  // Bearer tokens of the admin API: the secret is stored as its SHA-256.
  `create table adminTokens (
    id text primary key,
    tenantId text references tenants (id),
    name text not null,
    secretHash text not null,
    permissions text not null,
    createdAt integer not null,
    expiresAt integer,
    revokedAt integer
  ) strict`,
  'create unique index adminTokensBySecret on adminTokens (secretHash)',
  'create index adminTokensByTenant on adminTokens (tenantId)',

  // What is disabled answers as if it were not there, and keeps its data.
  'alter table tenants add column disabledAt integer',
  'alter table clients add column disabledAt integer',

  // What ends with a client.
  `create index signInsByClient on signIns (tenantId, clientId) where state = 'active'`,

  // A client's secrets, each with the time it was made: JSON of both.
  'alter table clients rename column secretHashes to secrets',
  `update clients set secrets = coalesce(
    (select json_group_array(json_object('hash', value, 'createdAt', createdAt)) from json_each(secrets)),
    '[]'
  )`,

  // The device flow is turned on at the stage tenant before it is at this one.
  'alter table tenants add column stageTenantId text references tenants (id)',

  // The words of members' names, without case and accents, so that a search reads no more than it finds.
  `create table memberWords (
    tenantId text not null,
    word text not null,
    memberId text not null references members (id),
    primary key (tenantId, word, memberId)
  ) strict, without rowid`,
  'create index memberWordsByMember on memberWords (memberId)',
  'create index membersByTenant on members (tenantId, id)',
  'create index checkoutsByTenant on checkouts (tenantId, id)',

  // Each tenant's own choices for its pages: a JSON list of language tags (empty is all), and the least password.
  `alter table tenants add column languages text not null default '[]'`,
  'alter table tenants add column passwordLength integer not null default 12 check (passwordLength between 8 and 64)',

  // The one-time link that makes the first administrator, as its SHA-256.
  'alter table service add column setupHash text',
  'alter table service add column setupUsedAt integer',

  // A restored backup has forgotten what was revoked since, so tokens from before the restore are refused.
  'alter table service add column tokensFrom integer not null default 0',
];

interface NamedMember {
  readonly id: string;
  readonly tenantId: string;
  readonly fullName: string;
  readonly nickName: string;
}

/** Members are found by the words of their names from now on; this is how they are read at this version. */
async function addMemberWords(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<NamedMember>`
    select id, tenantId, fullName, nickName from members where erasedAt is null
  `.execute(db);
  for (const { id, tenantId, fullName, nickName } of rows) {
    const plain = `${fullName} ${nickName}`.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
    for (const word of new Set(plain.match(/[\p{L}\p{N}]+/gu) ?? [])) {
      await sql`insert into memberWords values (${tenantId}, ${word}, ${id})`.execute(db);
    }
  }
}

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
  await addMemberWords(db);
}
