// Describes what a tenant has in the form of a tenant file.
import type { Consent } from '../../core/access/consent.ts';
import type { ContentChannel } from '../../core/access/content-channel.ts';
import { isoTime, isoTimeOrNull } from '../../core/access/iso-time.ts';
import { type Package, type Product, packageFacts } from '../../core/access/package.ts';
import type { MemberSubscription } from '../../core/access/subscription.ts';
import type { Client } from '../../core/client.ts';
import type { Tenant } from '../../core/tenant.ts';
import type { MemberWithPassword } from '../../storage/members/member.ts';
import { clientAnswer } from '../admin/clients/client-answer.ts';
import { memberAnswer } from '../admin/members/member-answer.ts';
import { tenantAnswer } from '../admin/tenant-answer.ts';
import type {
  FileChannel,
  FileClient,
  FileConsent,
  FileMember,
  FilePackage,
  FileSubscription,
  FileTenant,
} from './tenant-file.ts';

/**
 * Everything that is stored, as a tenant file says it: every field, in the order in which it is written. What
 * an export writes and what a file is compared with are these, so the one cannot differ from the other.
 */

/** A tenant without its sections. */
export function describeTenant(tenant: Tenant, all: readonly Tenant[]): FileTenant {
  const { id: _id, host: _host, disabledAt, development, ...rest } = tenantAnswer(tenant, all);
  const { name, issuer, stageTenant, ...settings } = rest;
  return { issuer, name, development, disabled: disabledAt !== null, stageTenant, ...settings };
}

export function describeClient(client: Client): FileClient {
  const { secrets: _secrets, disabledAt, clientId, name, type, ...settings } = clientAnswer(client);
  const hashes = client.secrets.map(({ hash }) => hash);
  return {
    clientId,
    name,
    type,
    disabled: disabledAt !== null,
    ...(hashes.length === 0 ? {} : { secretHash: hashes }),
    ...settings,
  };
}

export function describePackage(described: Package): FilePackage {
  return { ...packageFacts(described), products: described.products.map(({ name }) => name) };
}

/** @param products every product of the tenant, in their order */
export function describeChannel(
  { id, name, description, productIds }: ContentChannel,
  products: readonly Product[],
): FileChannel {
  const opening = products.filter((product) => productIds.includes(product.id));
  return { id, name, description, products: opening.map((product) => product.name) };
}

export function describeConsent({ tenantId: _, retiredAt, ...consent }: Consent): FileConsent {
  const { id, name, description, atSignUp, atCheckout } = consent;
  return { id, name, description, atSignUp, atCheckout, retired: retiredAt !== null };
}

export function describeMember(
  { member, passwordHash }: MemberWithPassword,
  subscriptions: readonly MemberSubscription[],
): FileMember {
  const { status, updatedAt: _updatedAt, deletionDueAt: _due, ...facts } = memberAnswer(member);
  const { email, fullName, id, userId, memberNumber, createdAt, ...rest } = facts;
  return {
    email,
    fullName,
    id,
    userId,
    memberNumber,
    createdAt,
    passwordHash,
    disabled: status === 'disabled',
    ...rest,
    subscriptions: subscriptions.map(describeSubscription),
  };
}

export function describeSubscription(subscription: MemberSubscription): FileSubscription {
  const { packageName, activatedAt, expiresAt, cancelledAt, endedAt } = subscription;
  return {
    package: packageName,
    createdAt: isoTime(subscription.createdAt),
    activatedAt: isoTimeOrNull(activatedAt),
    expiresAt: isoTimeOrNull(expiresAt),
    cancelledAt: isoTimeOrNull(cancelledAt),
    endedAt: isoTimeOrNull(endedAt),
    properties: subscription.customPropertyValues,
  };
}
