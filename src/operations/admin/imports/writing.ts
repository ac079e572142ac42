// Writes what was judged of lines: members who are new, all of a batch at once, and changes of those who are there.
import { answerConsent, type ConsentChange } from '../../../core/access/consent.ts';
import type { FoundAccount } from '../../../core/import/accounts.ts';
import { movedSubscription } from '../../../core/import/moved-subscription.ts';
import type { Member } from '../../../core/members/member.ts';
import { listLastConsentChanges } from '../../../storage/access/consent.ts';
import { listSubscriptions } from '../../../storage/access/subscription.ts';
import { apply } from '../../../storage/apply.ts';
import { insertMembers, type NewMember, updateMember } from '../../../storage/members/member.ts';
import { insertLinkedAccount } from '../../../storage/providers/linked-account.ts';
import { mailPasswordLink } from '../../recovery/recovery.ts';
import type { OnTenant } from '../define.ts';
import type { OperationContext } from '../operation.ts';
import type { Answer, Given } from './besides.ts';

export type Context = Pick<OnTenant<OperationContext>, 'tx' | 'tenant' | 'now' | 'random' | 'passwords'> & {
  readonly mails: Pick<OperationContext['mails'], 'queue'>;
  readonly mailCounters?: NonNullable<OperationContext['mailCounters']>;
};

/** What comes with a member. */
export interface Beside {
  readonly gives: readonly Given[];
  readonly answers: readonly Answer[];
}

/** A member who is new, and all that comes along. */
export interface Addition extends NewMember, Beside {
  readonly accounts: readonly FoundAccount[];
  readonly isInvited: boolean;
}

/** Counts up as subscriptions are written. */
export interface SubscriptionIds {
  subscriptionId: number;
}

/** Writes members who are new, and what comes with each: one does not wait for the answers to another. */
export async function addMembers(
  context: Context,
  ids: SubscriptionIds,
  added: readonly Addition[],
): Promise<void> {
  await insertMembers(context.tx, added);
  const done = await Promise.allSettled(added.map((one) => addBeside(context, ids, one)));
  // Nothing of them is on its way any more when the transaction is taken back.
  const failed = done.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function addBeside(context: Context, ids: SubscriptionIds, added: Addition): Promise<void> {
  const { member, accounts, isInvited } = added;
  const { tx, tenant, random, mails, now } = context;
  await giveAll(context, ids, member, added, []);
  for (const account of accounts) await link(context, member, account);
  if (isInvited)
    await mailPasswordLink(tx, tenant, member, 'invitation', { clock: () => now, random, mails });
}

export async function changeMember(
  context: Context,
  ids: SubscriptionIds,
  known: Member,
  member: Member,
  { gives, answers }: Beside,
): Promise<'changed' | 'skipped'> {
  const { tx } = context;
  const held = gives.length === 0 ? [] : await listSubscriptions(tx, known.id);
  // What began at the same time with the same package is the same: a file may be sent twice.
  const missing = gives.filter(
    ({ facts: { packageId, activatedAt } }) =>
      !held.some((one) => one.packageId === packageId && one.activatedAt === activatedAt),
  );
  const isSame = (Object.keys(member) as (keyof Member)[]).every(
    (field) => field === 'updatedAt' || JSON.stringify(member[field]) === JSON.stringify(known[field]),
  );
  if (!isSame) await updateMember(tx, member);
  const consents = answers.map(({ consent }) => consent.id);
  const last = answers.length === 0 ? [] : await listLastConsentChanges(tx, known, consents);
  const given = await giveAll(context, ids, known, { gives: missing, answers }, last);
  return isSame && given === 0 ? 'skipped' : 'changed';
}

/**
 * Gives subscriptions, and records answers. It is told of as one act at the end, and not line by line.
 *
 * @param last what was answered here before
 * @returns how many
 */
async function giveAll(
  { tx, now }: Context,
  ids: SubscriptionIds,
  member: Pick<Member, 'id' | 'tenantId'>,
  { gives, answers }: Beside,
  last: Awaited<ReturnType<typeof listLastConsentChanges>>,
): Promise<number> {
  const silent = { isPartOfAct: true } as const;
  for (const one of gives) {
    const facts = { ...one.facts, subscriptionId: ids.subscriptionId, memberId: member.id };
    ids.subscriptionId += 1;
    const subscription = movedSubscription(facts, one.createdAt, one, now);
    if (subscription !== null) await apply(tx, [{ write: 'insertSubscription', subscription }], silent);
  }
  let answered = 0;
  for (const { consent, status, changedAt: given } of answers) {
    const changedAt = given ?? now;
    const before = last.find(({ consentId }) => consentId === consent.id);
    // What was answered here since holds; and what was answered here at all, where the file does not know when it was elsewhere.
    if (before !== undefined && (before.changedAt >= changedAt || isOfHere(before, given))) continue;
    const answerer = { memberId: member.id, source: 'import', clientId: null, changedAt } as const;
    const writes = answerConsent(consent, last, status, answerer);
    await apply(tx, writes, silent);
    answered += writes.length;
  }
  return gives.length + answered;
}

const isOfHere = ({ source }: ConsentChange, given: number | undefined) =>
  given === undefined && source !== 'import';

function link({ tx, random, now }: Context, { id, tenantId, email }: Member, account: FoundAccount) {
  const { key: provider, issuer, subject } = account;
  const times = { linkedAt: now, lastUsedAt: now };
  return insertLinkedAccount(tx, {
    ...{ id: random.id(now), tenantId, memberId: id },
    ...{ provider, issuer, subject, email },
    ...times,
  });
}
