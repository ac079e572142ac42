/** Members of Ghost, in the table that it exports. They sign in there by links in mails, and have no passwords. */
import type { EntryReader, FieldNames } from '../entry.ts';
import { readOwn } from './own.ts';
import { withOwnNames } from './table.ts';

/** Beside the columns that the operator says something of. */
export const namesOfGhost: FieldNames = {
  email: ['email'],
  fullName: ['name'],
  externalId: ['id'],
  createdAt: ['created_at'],
};

export const readGhost: EntryReader = (record, { columns }) => {
  const { email, name: fullName, id: externalId, created_at: createdAt } = record;
  // What the operator says of columns: which consent `subscribed_to_emails` is, say.
  const said = withOwnNames(
    Object.fromEntries(Object.entries(record).filter(([name]) => columns[name])),
    columns,
  );
  // Ghost takes on who opened the link of a mail.
  return readOwn({ email, fullName, externalId, createdAt, emailVerified: true, ...said });
};
