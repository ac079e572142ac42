// What a line says beside the member's own, judged by what the tenant has: subscriptions, answers to consents, accounts elsewhere.
import type { Consent } from '../../../core/access/consent.ts';
import { type CustomProperty, propertyProblems } from '../../../core/access/custom-property.ts';
import { endOfPeriod, type Package } from '../../../core/access/package.ts';
import { type FoundAccount, foundAccount } from '../../../core/import/accounts.ts';
import type { ImportedMember, ImportedSubscription } from '../../../core/import/entry.ts';
import { movedSubscription } from '../../../core/import/moved-subscription.ts';
import { day } from '../../../core/limits.ts';
import { type Path, type Problem, problem, within } from '../../../core/problem.ts';
import type { IdentityProvider } from '../../../core/providers/identity-provider.ts';
import { accountsOfMember } from '../../../core/providers/limits.ts';
import { OperationRefused } from '../../refusal.ts';
import type { OnTenant } from '../define.ts';
import type { OperationContext } from '../operation.ts';
import { accountKey, type Known } from './known.ts';

/** The things of a tenant that lines name. */
export interface Offered {
  readonly packages: readonly Package[];
  readonly properties: readonly CustomProperty[];
  readonly consents: readonly Consent[];
  readonly providers: readonly IdentityProvider[];
}

export function refuse(...problems: readonly Problem[]): never {
  throw new OperationRefused('invalid', problems);
}

/**
 * A time that has come already. One that is written without its zone may be some hours ahead: now stands for it.
 *
 * @throws OperationRefused
 */
export function pastTime(time: number | undefined, path: Path, now: number): number | undefined {
  if (time === undefined) return undefined;
  if (time > now + day) refuse(problem(path, 'in_the_future'));
  return Math.min(time, now);
}

/** A subscription as it is given; its owner comes with the member. */
export interface Given extends Pick<ImportedSubscription, 'cancelledAt' | 'endedAt'> {
  readonly createdAt: number;
  readonly facts: Omit<Parameters<typeof movedSubscription>[0], 'memberId' | 'subscriptionId'>;
}

/** What a line says of subscriptions, judged by what the tenant has. @throws OperationRefused */
export function subscriptionsOf(
  { subscriptions }: ImportedMember,
  { packages, properties }: Offered,
  { tenant: { id: tenantId }, now }: OnTenant<Pick<OperationContext, 'now'>>,
): readonly Given[] {
  return subscriptions.map((one, index): Given => {
    const path: Path = ['subscriptions', index];
    const offer = packages.find(({ id, name }) => name === one.package || String(id) === one.package);
    if (offer === undefined) {
      return refuse(problem([...path, 'package'], 'not_in_tenant', { noun: 'package', name: one.package }));
    }
    const activatedAt = one.activatedAt ?? one.createdAt ?? now;
    const createdAt = Math.min(one.createdAt ?? activatedAt, now);
    const expiresAt = one.expiresAt ?? endOfPeriod(activatedAt, offer.period);
    const values = Object.fromEntries(
      Object.entries(one.properties).map(([key, value]) => [key, typed(key, value, properties)]),
    );
    const facts = { tenantId, packageId: offer.id, activatedAt, expiresAt, customPropertyValues: values };
    const { cancelledAt, endedAt } = one;
    const tried = { ...facts, memberId: '', subscriptionId: 0 };
    const problems = [
      ...within([...path, 'properties'], propertyProblems(values, properties)),
      ...(activatedAt >= expiresAt ? [problem([...path, 'expiresAt'], 'ends_before_it_begins')] : []),
      ...(movedSubscription(tried, createdAt, one, now) === null
        ? [problem(path, 'times_out_of_order')]
        : []),
    ];
    if (problems.length > 0) refuse(...problems);
    return { facts, createdAt, cancelledAt, endedAt };
  });
}

/** A table has texts alone: where a property is a number, the text of one is taken for it. */
function typed(key: string, value: string | number, properties: readonly CustomProperty[]): string | number {
  const type = properties.find((one) => one.key === key)?.type;
  return type === 'number' && typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
}

export interface Answer {
  readonly consent: Consent;
  readonly status: 'accepted' | 'withdrawn';
  readonly changedAt: number | undefined;
}

export function answersOf(
  { consents }: ImportedMember,
  { consents: asked }: Offered,
  { now }: Pick<OperationContext, 'now'>,
): readonly Answer[] {
  return consents.map(({ id, status, changedAt }, index): Answer => {
    const consent = asked.find((one) => one.id === id);
    if (consent === undefined) {
      return refuse(problem(['consents', index, 'id'], 'not_in_tenant', { noun: 'consent', name: id }));
    }
    return { consent, status, changedAt: pastTime(changedAt, ['consents', index, 'changedAt'], now) };
  });
}

/** The accounts of a line that are at providers of the tenant, each once. @throws OperationRefused */
export function accountsOf(
  { accounts }: ImportedMember,
  { providers }: Offered,
  known: Pick<Known, 'accounts'>,
): readonly FoundAccount[] {
  const found = new Map<string, FoundAccount>();
  for (const [index, one] of accounts.entries()) {
    const account = foundAccount(one, providers);
    if (account === null) continue;
    const key = accountKey(account);
    if (known.accounts.has(key)) {
      refuse(problem(['accounts', index], 'account_of_another', { provider: account.key }));
    }
    found.set(key, account);
  }
  if (found.size > accountsOfMember) refuse(problem('accounts', 'too_many', { most: accountsOfMember }));
  return [...found.values()];
}

export const leftOf = ({ accounts }: ImportedMember, { providers }: Offered): readonly string[] =>
  accounts
    .filter((one) => foundAccount(one, providers) === null)
    .map(({ provider }) => provider.slice(0, 32));
