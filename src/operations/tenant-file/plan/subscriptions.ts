import { endOfPeriod } from '../../../core/access/package.ts';
import type { MemberSubscription } from '../../../core/access/subscription.ts';
import { findPackage } from '../../../storage/access/package.ts';
import { findSubscription } from '../../../storage/access/subscription.ts';
import type { Tx } from '../../../storage/store.ts';
import { addSubscription, changeSubscription, setCustomPropertyValues } from '../../access/subscription.ts';
import { conflict } from '../../refusal.ts';
import { describeSubscription } from '../describe.ts';
import { fieldChanges } from '../difference.ts';
import type { Path } from '../source.ts';
import type { FileMember, FileSubscription } from '../tenant-file.ts';
import { type Doing, idOf, type Step, stepsFor, type Target } from './step.ts';

/** Who has subscribed; the id is known once the member is made. */
export interface Holder {
  id: string | null;
  readonly email: string;
  readonly subscriptions: readonly MemberSubscription[];
}

/** Plans what a member has subscribed to: what is there keeps its times, and none of it is taken away. */
export function planSubscriptions(
  target: Target,
  at: Path,
  holder: Holder,
  { subscriptions = [] }: FileMember,
): readonly Step[] {
  const { added, changed } = stepsFor(target, 'subscription', 'subscriptions:write');
  const left = [...holder.subscriptions];
  return subscriptions.flatMap((given, index) => {
    const path: Path = [...at, 'subscriptions', index];
    const name = `${given.package} of ${holder.email}`;
    const known = left.find((one) => isSame(one, given));
    if (known === undefined) return [added(name, path, (doing) => begin(doing, target, holder, given))];
    left.splice(left.indexOf(known), 1);
    const { properties } = given;
    const fields = fieldChanges(
      { ...describeSubscription(known) },
      properties === undefined ? {} : { properties },
    );
    if (fields.length === 0) return [];
    const set = async ({ tx }: Doing) => {
      const values = { ...known.customPropertyValues, ...properties };
      await setCustomPropertyValues(tx, target.tenant.id, known.subscriptionId, values);
      return String(known.subscriptionId);
    };
    return [changed(name, path, fields, set)];
  });
}

/** When it was made says which it is, since renewals leave that alone; else when it began; else its package. */
function isSame(known: MemberSubscription, given: FileSubscription): boolean {
  if (known.packageName !== given.package) return false;
  if (given.createdAt !== undefined) return known.createdAt === Date.parse(given.createdAt);
  if (given.activatedAt === undefined) return true;
  return known.activatedAt === (given.activatedAt === null ? null : Date.parse(given.activatedAt));
}

async function begin(
  { tx, now }: Doing,
  target: Target,
  { id: memberId }: Holder,
  given: FileSubscription,
): Promise<string> {
  if (memberId === null) throw new Error('a subscription was planned before its member');
  const { id: tenantId } = target.tenant;
  const packageId = idOf(target.packageIds, given.package);
  const offer = await findPackage(tx, tenantId, packageId);
  if (offer === null) throw new Error('a package of a tenant file is not there');
  const activatedAt = timeOr(given.activatedAt, now);
  const id = await addSubscription(tx, tenantId, {
    memberId,
    packageId,
    createdAt: timeOr(given.createdAt, now) ?? now,
    activatedAt,
    expiresAt: timeOr(given.expiresAt, activatedAt === null ? null : endOfPeriod(activatedAt, offer.period)),
    customPropertyValues: given.properties ?? {},
  });
  await replay(tx, tenantId, id, given);
  return String(id);
}

/** Lets what became of a subscription happen again, at the times at which it did. @throws OperationRefused */
async function replay(
  tx: Tx,
  tenantId: string,
  id: number,
  { cancelledAt = null, endedAt = null }: FileSubscription,
): Promise<void> {
  if (cancelledAt !== null) await changeSubscription(tx, tenantId, id, 'cancel', Date.parse(cancelledAt));
  if (endedAt !== null) await changeSubscription(tx, tenantId, id, 'end', Date.parse(endedAt));
  const now = await findSubscription(tx, tenantId, id);
  const isSo = now?.cancelledAt === timeOr(cancelledAt, null) && now.endedAt === timeOr(endedAt, null);
  if (!isSo) throw conflict([], 'times_out_of_order');
}

/** A time of the file; one that is left out has its own beginning, and null is none. */
function timeOr(text: string | null | undefined, otherwise: number | null): number | null {
  if (text === undefined) return otherwise;
  return text === null ? null : Date.parse(text);
}
