// The table of operations.
import { channelOperations } from './access/channels.ts';
import { checkoutOperations } from './access/checkouts.ts';
import { consentAnswerOperations, consentOperations } from './access/consents.ts';
import { groupOperations } from './access/groups.ts';
import { invoiceOperations } from './access/invoices.ts';
import { packageOperations, productOperations } from './access/packages.ts';
import { propertyOperations } from './access/properties.ts';
import { seatOperations } from './access/seats.ts';
import { subscriptionOperations } from './access/subscriptions.ts';
import { auditOperations } from './audit.ts';
import { apiOperations } from './clients/apis.ts';
import { clientOperations } from './clients/clients.ts';
import { logoutNoticeOperations } from './clients/logout-notices.ts';
import { registrationTokenOperations } from './clients/registration-tokens.ts';
import { reuseOperations } from './clients/reuses.ts';
import { unverifiedClientOperations } from './clients/unverified.ts';
import { webhookDeliveryOperations } from './events/deliveries.ts';
import { eventOperations } from './events/feed.ts';
import { webhookOperations } from './events/webhooks.ts';
import { importOperations } from './imports/imports.ts';
import { importListOperations } from './imports/list.ts';
import { uploadOperations } from './imports/uploads.ts';
import { contentAccessOperations } from './members/content-access.ts';
import { linkedAccountOperations } from './members/linked-accounts.ts';
import { memberMailOperations } from './members/mails.ts';
import { memberChangeOperations } from './members/member-changes.ts';
import { memberLimitOperations } from './members/member-limits.ts';
import { memberFileOperations, memberOperations } from './members/members.ts';
import { passkeyOperations } from './members/passkeys.ts';
import { memberReadOperations } from './members/read.ts';
import { secondFactorOperations } from './members/second-factor.ts';
import { sessionEndOperations, sessionListOperations } from './members/sessions.ts';
import { timelineOperations } from './members/timeline.ts';
import type { Operation } from './operation.ts';
import { countOperations } from './overview/counts.ts';
import { figureOperations } from './overview/figures.ts';
import { mailOperations } from './overview/mails.ts';
import { overviewOperations } from './overview/overview.ts';
import { providerOperations } from './providers/providers.ts';
import { refusalOperations } from './refusals.ts';
import { searchOperations } from './search.ts';
import { keyOperations } from './tenants/keys.ts';
import { loadOperations } from './tenants/load.ts';
import { oldSystemOperations } from './tenants/old-system.ts';
import { tenantFileOperations } from './tenants/tenant-file.ts';
import { tenantOperations } from './tenants/tenants.ts';
import { tokenOperations } from './tokens.ts';

/** Everything that administrators, tokens and the command can do, by noun. */
export const operations: readonly Operation[] = [
  ...tenantOperations,
  ...oldSystemOperations,
  ...countOperations,
  ...clientOperations,
  ...apiOperations,
  ...providerOperations,
  ...unverifiedClientOperations,
  ...registrationTokenOperations,
  ...logoutNoticeOperations,
  ...reuseOperations,
  ...searchOperations,
  ...memberOperations,
  ...memberReadOperations,
  ...timelineOperations,
  ...contentAccessOperations,
  ...memberChangeOperations,
  ...memberFileOperations,
  ...memberLimitOperations,
  ...importListOperations,
  ...uploadOperations,
  ...sessionListOperations,
  ...passkeyOperations,
  ...linkedAccountOperations,
  ...memberMailOperations,
  ...secondFactorOperations,
  ...sessionEndOperations,
  ...subscriptionOperations,
  ...groupOperations,
  ...seatOperations,
  ...invoiceOperations,
  ...checkoutOperations,
  ...productOperations,
  ...packageOperations,
  ...channelOperations,
  ...consentOperations,
  ...consentAnswerOperations,
  ...propertyOperations,
  ...tokenOperations,
  ...keyOperations,
  ...auditOperations,
  ...eventOperations,
  ...refusalOperations,
  ...webhookOperations,
  ...webhookDeliveryOperations,
  ...figureOperations,
  ...overviewOperations,
  ...mailOperations,
  ...tenantFileOperations,
];

/** The same, with what the command does in steps of its own. */
export const operationsOfCommand: readonly Operation[] = [...operations, ...importOperations];

/** @throws if the table has no such operation; those of tenant files alone are found too */
export function operationOf(name: string): Operation {
  const found = [...operations, ...loadOperations].find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`there is no operation ${name}`);
  return found;
}
