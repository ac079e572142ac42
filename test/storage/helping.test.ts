import { expect } from 'vitest';
import { listMemberMails } from '../../src/storage/members/mail.ts';
import { listAuditEvents } from '../../src/storage/operators/audit-list.ts';
import { listMemberEvents } from '../../src/storage/operators/member-events.ts';
import { planOf } from '../support/queries/query-plan.ts';
import { storeWithMember } from '../support/records/store.ts';
import { itOfSqlite } from '../support/run/it-of-sqlite.ts';

itOfSqlite('F10: what helps a member is found by an index each, however long the audit is', async () => {
  const store = await storeWithMember();
  const named = { tenantId: 'tenant-a', memberId: 'member-1' };
  const plan = await store.transaction((tx) =>
    planOf(tx, async (asked) => {
      await listAuditEvents(asked, { tenantId: 'tenant-a', reference: 'k7p293qd' }, 10);
      await listMemberEvents(asked, named, 10);
      await listMemberMails(asked, 'member-1', null, 10);
    }),
  );
  const used = plan.flatMap((step) => /USING INDEX (\w+)/.exec(step)?.[1] ?? []);
  expect(used).toEqual(
    expect.arrayContaining([
      'auditEventsByReference',
      'auditEventsByActor',
      'auditEventsByTarget',
      'auditEventsByMember',
      'mailsByMember',
    ]),
  );
  expect(plan.filter((step) => /SCAN|auditEventsByTenant|auditEventsByTime/.test(step))).toEqual([]);
});
