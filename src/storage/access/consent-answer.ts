/** The answers of all members of a tenant to its consents, for those who have to show who agreed to what. */
import { sql } from 'kysely';
import type { ConsentChange, ConsentStatus } from '../../core/access/consent.ts';
import { fromFlag } from '../rows.ts';
import type { Tx } from '../store.ts';

/** An answer as it was given, with whose it is and whether it still holds. */
export interface ConsentAnswer extends ConsentChange {
  readonly id: number;
  /** null of a member who was deleted: the answer stays, and names no person. */
  readonly email: string | null;
  /** Whether it is the member's last answer to the consent. */
  readonly holds: boolean;
}

/** Which answers to list; what is left out does not narrow. */
export interface ConsentAnswerFilter {
  readonly consentId?: string;
  readonly memberId?: string;
  readonly status?: ConsentStatus;
  /** Those that hold, or those that another one has followed. */
  readonly holds?: boolean;
  /** ms; `from` is included, `until` is not. */
  readonly from?: number;
  readonly until?: number;
  /** The id of the last answer of the page before: older ones follow. */
  readonly before?: number;
}

/** Where a page begins: behind this answer. */
interface Behind {
  readonly id: number;
  readonly changedAt: number;
}

/** Answers, newest first: by time, then by id. Each part is read in the order of its index. */
export async function listConsentAnswers(
  tx: Tx,
  tenantId: string,
  filter: ConsentAnswerFilter,
  limit: number,
): Promise<readonly ConsentAnswer[]> {
  const { status, before } = filter;
  const behind = before === undefined ? null : { id: before, changedAt: await timeOf(tx, before) };
  const found: ConsentAnswer[] = [];
  for (const part of status === undefined ? (['accepted', 'withdrawn'] as const) : [status]) {
    found.push(...(await listPart(tx, tenantId, { ...filter, status: part }, behind, limit)));
  }
  return found.toSorted((a, b) => b.changedAt - a.changedAt || b.id - a.id).slice(0, limit);
}

async function listPart(
  tx: Tx,
  tenantId: string,
  filter: ConsentAnswerFilter & { readonly status: ConsentStatus },
  behind: Behind | null,
  limit: number,
): Promise<readonly ConsentAnswer[]> {
  const { consentId, memberId, status, holds, from, until } = filter;
  const isLast = sql<0 | 1>`not exists (select 1 from consentChanges as later
    where later.memberId = answer.memberId and later.consentId = answer.consentId and later.id > answer.id)`;
  let query = tx
    .selectFrom('consentChanges as answer')
    .innerJoin('members as member', 'member.id', 'answer.memberId')
    .selectAll('answer')
    .select(['member.email', 'member.erasedAt', isLast.as('holds')])
    .where('answer.status', '=', status)
    .orderBy('answer.changedAt', 'desc')
    .orderBy('answer.id', 'desc')
    .limit(limit);
  // A member is of one tenant: named beside it, the tenant would lead SQLite to the answers of all.
  if (memberId !== undefined) query = query.where('answer.memberId', '=', memberId);
  else query = query.where('answer.tenantId', '=', tenantId);
  if (consentId !== undefined) query = query.where('answer.consentId', '=', consentId);
  if (holds !== undefined) query = query.where(isLast, '=', holds ? 1 : 0);
  if (from !== undefined) query = query.where('answer.changedAt', '>=', from);
  if (until !== undefined) query = query.where('answer.changedAt', '<', until);
  if (behind !== null) {
    const { id, changedAt } = behind;
    query = query.where((eb) =>
      eb.and([
        eb('answer.changedAt', '<=', changedAt),
        eb.or([eb('answer.changedAt', '<', changedAt), eb('answer.id', '<', id)]),
      ]),
    );
  }
  const rows = await query.execute();
  return rows
    .filter((row) => row.tenantId === tenantId)
    .map(({ email, erasedAt, holds: isHeld, ...answer }) => ({
      ...answer,
      email: erasedAt === null ? email : null,
      holds: fromFlag(isHeld),
    }));
}

/** @returns ms; earlier than all answers where this one is none */
async function timeOf(tx: Tx, id: number): Promise<number> {
  const row = await tx
    .selectFrom('consentChanges')
    .select('changedAt')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.changedAt ?? 0;
}
