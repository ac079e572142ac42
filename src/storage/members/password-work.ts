// What checking a password takes at a tenant: the most of any of its members.
import { type HashWork, ownUnit } from '../../core/hashes/hash-work.ts';
import type { Member } from '../../core/members/member.ts';
import { prepared, query } from '../prepared.ts';
import { highest } from '../rows.ts';
import type { Tx } from '../store.ts';

/** The most work of each unit that the password of any member of a tenant takes to check. */
export async function mostPasswordWork(tx: Tx, tenantId: string): Promise<HashWork> {
  const own = (await highest(tx, 'members', 'passwordWork', { tenantId })) ?? 0;
  const units = await oldUnits.all(tx, { tenantId });
  return { ...Object.fromEntries(units.map(({ unit, amount }) => [unit, Number(amount)])), [ownUnit]: own };
}

/** Unit by unit, in as many steps of the index as there are units: a tenant may have a hundred thousand of one. */
const oldUnits = prepared(({ tenantId }: Pick<Member, 'tenantId'>) =>
  query
    .withRecursive('units(unit)', (db) =>
      db
        .selectFrom('members')
        .select(({ fn }) => fn.min('oldHashUnit').as('unit'))
        .where('tenantId', '=', tenantId)
        .where('oldHashUnit', 'is not', null)
        .unionAll(
          db
            .selectFrom('units')
            .where('unit', 'is not', null)
            .select((eb) =>
              eb
                .selectFrom('members')
                .select(({ fn }) => fn.min('members.oldHashUnit').as('next'))
                .where('members.tenantId', '=', tenantId)
                .whereRef('members.oldHashUnit', '>', 'units.unit')
                .as('unit'),
            ),
        ),
    )
    .selectFrom('units')
    .where('unit', 'is not', null)
    .select((eb) => [
      eb.ref('units.unit').$castTo<string>().as('unit'),
      eb
        .selectFrom('members')
        .select(({ fn }) => fn.max('members.oldHashWork').as('most'))
        .where('members.tenantId', '=', tenantId)
        .whereRef('members.oldHashUnit', '=', 'units.unit')
        .as('amount'),
    ]),
);
