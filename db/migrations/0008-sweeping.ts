import { type Kysely, sql } from 'kysely';

const statements = [
  // Most events by far are refreshes. They are kept for a shorter time, and each index costs every refresh: so
  // they have three of their own, narrower ones, and are in none of the others.
  'drop index auditEventsByTime',
  'drop index auditEventsByTenant',
  'drop index auditEventsByActor',
  'drop index auditEventsByTarget',
  `create index auditEventsByTime on auditEvents (at) where event <> 'token_refreshed'`,
  `create index auditEventsByTenant on auditEvents (tenantId, at) where event <> 'token_refreshed'`,
  `create index auditEventsByActor on auditEvents (tenantId, actorId, at)
    where actorId is not null and event <> 'token_refreshed'`,
  `create index auditEventsByTarget on auditEvents (tenantId, target, at)
    where target is not null and event <> 'token_refreshed'`,
  `create index auditRefreshesByTime on auditEvents (at) where event = 'token_refreshed'`,
  `create index auditRefreshesByTenant on auditEvents (tenantId, at) where event = 'token_refreshed'`,
  // Of one sign-in there are few enough to be sorted.
  `create index auditRefreshesByTarget on auditEvents (target) where event = 'token_refreshed'`,

  // What refers to a row that is forgotten: SQLite looks for it before the row goes.
  'create index signInsBySession on signIns (sessionId)',
  'create index authorizationCodesBySession on authorizationCodes (sessionId)',
  'create index authorizationCodesBySignIn on authorizationCodes (signInId) where signInId is not null',
  'create index deviceCodesBySession on deviceCodes (sessionId) where sessionId is not null',

  // What is forgotten by its time alone.
  'create index signInFailuresByTime on signInFailures (lastFailedAt)',
  'create index knownBrowsersByTime on knownBrowsers (lastSeenAt)',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
