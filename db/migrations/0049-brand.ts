import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** What a tenant's pages and mails wear beside its name, colour and logo, and the pages of its own that they link to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const text = isPostgres ? sql`text collate "C"` : 'text';
  const pictures = ['favicon', 'coverPicture'];
  for (const column of [...pictures, 'coverText', 'supportAddress', 'termsUrl', 'privacyUrl']) {
    await db.schema.alterTable('tenants').addColumn(column, text).execute();
  }
  for (const [column, value] of [
    ['corners', 'soft'],
    ['font', 'system'],
  ] as const) {
    await db.schema
      .alterTable('tenants')
      .addColumn(column, text, (one) => one.notNull().defaultTo(value))
      .execute();
  }
}
