import { type Kysely, sql } from 'kysely';

const statements = [
  // To whom a mail is that waits, hashed: what waits for a member who is erased goes too. Dropped with the message.
  'alter table mails add column recipientHash text',
  'create index mailsByRecipient on mails (tenantId, recipientHash) where recipientHash is not null',
  // Events that name nobody, by the address that they came from. What happens often names somebody and is in none.
  `create index auditEventsByAddress on auditEvents (tenantId, address)
    where address is not null and (actorKind = 'nobody' or result = 'refused')`,
  // Who was erased last, and up to whom the file was cleaned.
  'create index membersByErasure on members (erasedAt) where erasedAt is not null',
  'alter table service add column cleanedUntil integer not null default 0',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
