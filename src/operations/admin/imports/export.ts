// The file by which members move out: what an import takes in, with all that they have.

import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { exportPart } from '../../../core/operators/limits.ts';
import { listLastConsentChanges } from '../../../storage/access/consent.ts';
import { listSubscriptions } from '../../../storage/access/subscription.ts';
import type { MemberWithPassword } from '../../../storage/members/member.ts';
import { listWholeMembers } from '../../../storage/members/member-search.ts';
import { mayTakeLong } from '../../../storage/prepared.ts';
import { listLinkedAccounts } from '../../../storage/providers/linked-account.ts';
import type { Tx } from '../../../storage/store.ts';
import { csvColumns, csvEntry, csvHead } from '../../csv.ts';
import * as s from '../../json-schema.ts';
import { onTenant } from '../define.ts';
import { memberAnswer, memberSchema } from '../members/member.ts';
import type { FileAnswer } from '../operation.ts';

/** How it is written. */
export const exportFormats = ['jsonl', 'csv'] as const;

const {
  id: _id,
  userId: _userId,
  updatedAt: _updatedAt,
  deletionDueAt: _due,
  ...own
} = memberSchema.properties ?? {};
const columns = csvColumns({
  properties: { ...own, passwordHash: {}, subscriptions: {}, consents: {}, accounts: {} },
});

async function entryOf(tx: Tx, { member, passwordHash }: MemberWithPassword, withPasswords: boolean) {
  const { id: _, userId: _number, updatedAt: _at, deletionDueAt: _when, ...facts } = memberAnswer(member);
  const subscriptions = await listSubscriptions(tx, member.id);
  const consents = await listLastConsentChanges(tx, member);
  const accounts = await listLinkedAccounts(tx, member.id);
  return {
    ...facts,
    ...(withPasswords ? { passwordHash } : {}),
    subscriptions: subscriptions.map((one) => ({
      package: one.packageName,
      createdAt: isoTime(one.createdAt),
      activatedAt: isoTimeOrNull(one.activatedAt),
      expiresAt: isoTimeOrNull(one.expiresAt),
      cancelledAt: isoTimeOrNull(one.cancelledAt),
      endedAt: isoTimeOrNull(one.endedAt),
      properties: one.customPropertyValues,
    })),
    consents: consents.map(({ consentId, status, changedAt }) => ({
      id: consentId,
      status,
      changedAt: isoTime(changedAt),
    })),
    accounts: accounts.map(({ provider, issuer, subject }) => ({ provider, issuer, subject })),
  };
}

/** Members with all that they have: a part of the file is read in a transaction of its own. */
export const membersExported = onTenant({
  name: 'imports.export',
  summary: 'Write the members of a tenant with all that an import takes in to a file',
  permission: 'members:read',
  route: 'GET /imports/export',
  fields: {
    format: s.oneOf('MemberFileFormat', 'How it is written', exportFormats),
    passwords: s.flag('Whether the hashes of passwords are among it'),
  },
  output: s.exactly('A file', { text: s.text('A line for each', '{"email":"ada@example.com"}\n') }),
  mediaType: 'application/x-ndjson; charset=utf-8',
  audited: true,
  run: async ({ tx, tenant }, { format, passwords }) => {
    const part = async (later: Tx, after: number, begin = ''): Promise<FileAnswer> => {
      await mayTakeLong(later);
      const members = await listWholeMembers(later, tenant.id, exportPart / 10, after);
      const lines = [begin];
      for (const one of members) {
        const entry = await entryOf(later, one, passwords);
        lines.push(format === 'csv' ? csvEntry(columns, entry) : `${JSON.stringify(entry)}\n`);
      }
      const last = members.at(-1);
      if (last === undefined) return { text: lines.join('') };
      return { text: lines.join(''), more: (context) => part(context.tx, last.member.userId) };
    };
    return part(tx, 0, format === 'csv' ? csvHead(columns) : '');
  },
});
