// The operation on mails that wait.
import * as s from '../../json-schema.ts';
import { onTenant } from '../define.ts';
import type { Operation } from '../operation.ts';

const retried = onTenant({
  name: 'mails.retry',
  summary: 'Send the mails of a tenant again now that the mail server refused, and that wait',
  portal: {
    page: 'overview.read',
    label: 'Send emails again',
    done: 'The mails that waited are sent again.',
  },
  permission: 'members:write',
  route: 'POST /mails/retry',
  output: s.exactly('How many there are', {
    retried: s.wholeNumber('Mails that would have waited for longer than a minute', 61),
  }),
  run: async ({ tx, tenant, mails }) => ({ retried: await mails.retry(tx, tenant.id) }),
});

export const mailOperations: readonly Operation[] = [retried];
