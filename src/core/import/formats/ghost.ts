/** Members of Ghost, in the table that it exports. They sign in there by links in mails, and have no passwords. */
import { problem } from '../../problem.ts';
import type { EntryReader, FieldNames } from '../entry.ts';
import { valueReader } from '../values.ts';
import { withOwnNames } from './table.ts';

/** Beside the columns that the operator says something of. */
export const namesOfGhost: FieldNames = {
  email: ['email'],
  fullName: ['name'],
  externalId: ['id'],
  createdAt: ['created_at'],
};

export const readGhost: EntryReader = (record, { columns }) => {
  const read = valueReader();
  const text = (name: string) => read.text(record[name], [name]);
  const email = text('email');
  if (email === undefined) read.tell(problem('email', 'missing'));
  // What the operator says of columns: which consent `subscribed_to_emails` is, say.
  const said = withOwnNames(
    Object.fromEntries(Object.entries(record).filter(([name]) => columns[name])),
    columns,
  );
  const consents = read.list(said.consents, ['consents']) as readonly { id: string; status: string }[];
  const isUnclear = consents.some(({ status }) => status !== 'accepted' && status !== 'withdrawn');
  if (isUnclear) read.tell(problem('consents', 'unknown_value'));
  const packages = read.list(said.subscriptions, ['subscriptions']) as readonly { package: unknown }[];
  const member = {
    email: email ?? '',
    fullName: text('name'),
    externalId: text('id'),
    // Ghost takes on who opened the link of a mail.
    emailVerified: true,
    createdAt: read.time(record.created_at, ['created_at']),
    password: null,
    subscriptions: packages.map((one) => ({ package: String(one.package), properties: {} })),
    consents: consents.map(({ id, status }) => ({
      id,
      status: status === 'accepted' ? ('accepted' as const) : ('withdrawn' as const),
    })),
    accounts: [],
  };
  return read.done(() => member);
};
