// Queries of sign-ins that ended since a used refresh token came back.
import { sql } from 'kysely';
import type { ReuseClass } from '../../core/grants/reuse.ts';
import type { SignIn } from '../../core/grants/sign-in.ts';
import type { Tx } from '../store.ts';

type OfClient = Pick<SignIn, 'tenantId' | 'clientId'>;

/** The condition of their index, which has no other sign-in. */
const cameBack = sql<boolean>`${sql.ref('reuse')} is not null`;

/** How often each class came up since a moment (ms), and when last. */
export interface CountedReuse {
  readonly reuse: ReuseClass;
  readonly count: number;
  /** ms */
  readonly lastAt: number;
}

export async function countReuses(tx: Tx, { tenantId, clientId }: OfClient, since: number) {
  const rows = await tx
    .selectFrom('signIns')
    .select('reuse')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max<number>('endedAt').as('lastAt')])
    .where(cameBack)
    .where('tenantId', '=', tenantId)
    .where('clientId', '=', clientId)
    .where('endedAt', '>=', since)
    .groupBy('reuse')
    .execute();
  return rows.flatMap(({ reuse, count, lastAt }): readonly CountedReuse[] =>
    reuse === null ? [] : [{ reuse, count: Number(count), lastAt: Number(lastAt) }],
  );
}

/** A sign-in that ended so. */
export type ReusedSignIn = Pick<SignIn, 'id' | 'memberId'> & {
  readonly endedAt: number;
  readonly reuse: ReuseClass;
};

/**
 * Those of a client, the newest end first.
 *
 * @param page `reuse` narrows it to a class; those behind `before` follow
 */
export async function listReuses(
  tx: Tx,
  { tenantId, clientId }: OfClient,
  {
    reuse,
    before,
    limit,
  }: {
    readonly reuse?: ReuseClass | undefined;
    readonly before?: string | undefined;
    readonly limit: number;
  },
): Promise<readonly ReusedSignIn[]> {
  const all = tx
    .selectFrom('signIns')
    .select(['id', 'memberId', 'endedAt', 'reuse'])
    .where(cameBack)
    .where('tenantId', '=', tenantId)
    .where('clientId', '=', clientId);
  const ofClass = reuse === undefined ? all : all.where('reuse', '=', reuse);
  const last = before === undefined ? undefined : await all.where('id', '=', before).executeTakeFirst();
  const at = last?.endedAt ?? null;
  const page =
    at === null
      ? ofClass
      : ofClass.where(({ and, eb, or }) =>
          and([eb('endedAt', '<=', at), or([eb('endedAt', '<', at), eb('id', '<', String(before))])]),
        );
  const rows = await page.orderBy('endedAt', 'desc').orderBy('id', 'desc').limit(limit).execute();
  return rows as readonly ReusedSignIn[];
}
