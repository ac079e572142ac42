import { type Kysely, sql } from 'kysely';

/** Which permission reads a change was read from the reason of its event; from now on it stands in the change. */
const readers = {
  'members:read': ['members.%', '%: member%'],
  'subscriptions:read': ['subscriptions.%', 'invoices.%', '%: subscription%'],
};

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [permission, reasons] of Object.entries(readers)) {
    for (const reason of reasons) {
      await sql`
        update auditEvents
        set changes = (
          select json_group_array(json_set(value, '$.readWith', ${permission})) from json_each(auditEvents.changes)
        )
        where changes is not null and reason like ${reason}
      `.execute(db);
    }
  }
}
