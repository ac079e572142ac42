/** The form for a package: it begins as the last one that was made, which most are like. */

import { listPage } from '../../../../../core/limits.ts';
import { operationNamed } from '../../addresses.ts';
import { listIn } from '../../values.ts';
import { callIfMay } from '../../visit.ts';
import type { Facts } from '../../visitor.ts';
import type { OwnForm } from '../own.ts';

/** What the packages of a tenant usually have in common. */
const alike = ['payment', 'taxName'] as const;

export const newPackageForm: OwnForm = {
  begin: async (visit, values) => {
    const output = operationNamed(visit, 'packages.list')?.output ?? {};
    const page = { tenant: visit.known.tenant, limit: listPage.most };
    const answer = (await callIfMay(visit, 'packages.list', page)) ?? {};
    const last = answer.next === null ? listIn(answer, output).items.at(-1) : undefined;
    return last === undefined ? values : new Map([...values, ...begunAs(last)]);
  },
};

function begunAs(last: Facts): readonly (readonly [string, readonly string[]])[] {
  const { price, period, taxPercent } = last as Record<string, Facts | number | null>;
  const { currency } = price as Facts;
  const { count, unit } = period as Facts;
  return [
    ['price.currency', [String(currency)]],
    ['period.count', [String(count)]],
    ['period.unit', [String(unit)]],
    ['taxPercent', taxPercent === null ? [] : [String(taxPercent)]],
    ...alike.map((name) => [name, [String(last[name] ?? '')]] as const),
  ];
}
