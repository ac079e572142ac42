// The operations that tenant files alone have: they keep what another service gave, such as ids, hashes and times.

import { idPattern } from '../../../core/id.ts';
import { blankMember, type Member } from '../../../core/members/member.ts';
import { hasAllTenants } from '../../../core/operators/permission.ts';
import { listEveryConsent } from '../../../storage/access/consent.ts';
import { findSubscription } from '../../../storage/access/subscription.ts';
import { findRegisteredClient } from '../../../storage/clients/client.ts';
import { findMemberByEmail, insertMember, nextMemberNumbers } from '../../../storage/members/member.ts';
import { type MemberNumbers, takenNumbers } from '../../../storage/members/member-search.ts';
import { findService } from '../../../storage/service.ts';
import type { Tx } from '../../../storage/store.ts';
import { defineConsent } from '../../access/consent.ts';
import { changeSubscription } from '../../access/subscription.ts';
import { changeClient, registerClient } from '../../client/client.ts';
import * as s from '../../json-schema.ts';
import { deleteMember } from '../../member/member.ts';
import { conflict, unknown } from '../../refusal.ts';
import { consentFields, consentIdField } from '../access/consents.ts';
import { packageIdField } from '../access/packages.ts';
import { giveSubscription, timeOr, valuesField } from '../access/subscriptions.ts';
import {
  changesOf,
  clientAnswer,
  clientFields,
  clientIdField,
  nameField as clientNameField,
  demandPowerOver,
  typeField,
} from '../clients/client.ts';
import { onService, onTenant } from '../define.ts';
import {
  demandManage,
  emailField,
  freeExternalId,
  fullNameField,
  memberAnswer,
  memberField,
  memberFields,
  provenFields,
  userTypeField,
  withDetails,
} from '../members/member.ts';
import type { Operation } from '../operation.ts';
import { issuerField, prepareNew, storeNew } from './new-tenant.ts';
import { nameField, tenantFields } from './tenant.ts';
import { demandMembers } from './tenant-changes.ts';

/** No document shows what they answer. */
const output = { type: 'object' };

const tenantLoaded = onService({
  name: 'tenants.load',
  summary: 'Make the tenant that a file describes',
  permission: 'tenants:write',
  route: 'POST /tenants',
  fields: { name: nameField, issuer: issuerField },
  optional: {
    ...tenantFields,
    development: s.flag('Whether it is of a development service'),
    disabled: s.flag('Whether it answers as if it were not there'),
  },
  output,
  made: 'host',
  prepare: prepareNew,
  run: async (context, { development, oldSystemUrl }, prepared) => {
    demandMembers(context, oldSystemUrl, null);
    const environment = (await findService(context.tx))?.environment;
    if (development === true && environment !== 'development') {
      throw conflict('development', 'no_development_tenants');
    }
    return storeNew(context, prepared);
  },
});

/** The secrets of a client: another service knew no more than their hashes. */
const secretHashField = {
  ...s.list(
    'Its secrets, as SHA-256 in base64url',
    s.text('One of them', 'x3Xnt1ft5jDNCqERO9ECZhqziCnKUqZCKreChi8mhkY'),
  ),
  uniqueItems: true,
};

const clientLoaded = onTenant({
  name: 'clients.load',
  summary: 'Register a client with the secrets that it has',
  permission: 'clients:write',
  route: 'POST /clients',
  fields: { clientId: clientIdField, name: clientNameField, type: typeField },
  optional: { ...clientFields, secretHash: secretHashField },
  output,
  made: 'clientId',
  run: async (context, { clientId, name, type, secretHash = [], ...given }) => {
    const { tx, tenant, now } = context;
    await demandPowerOver(context, clientId, given.serviceScopes);
    const registration = { ...changesOf(given), clientId, name, type, secretHashes: secretHash };
    return clientAnswer(await registerClient(tx, tenant.id, registration, now));
  },
});

const secretsSet = onTenant({
  name: 'clients.setSecrets',
  summary: 'Give a client the secrets of a file; one that it has keeps its age',
  portal: { reads: 'clients.read' },
  permission: 'clients:write',
  route: 'PUT /clients/{clientId}/secrets',
  fields: { clientId: clientIdField, secretHash: secretHashField },
  output,
  run: async (context, { clientId, secretHash }) => {
    const { tx, tenant, now } = context;
    await demandPowerOver(context, clientId);
    const known = await findRegisteredClient(tx, tenant.id, clientId);
    const secrets = secretHash.map(
      (hash) => known?.secrets.find((secret) => secret.hash === hash) ?? { hash, createdAt: now },
    );
    const inOrder = { secrets: secrets.toSorted((a, b) => a.createdAt - b.createdAt) };
    const client = await changeClient(tx, tenant.id, clientId, inOrder);
    if (client === null) throw unknown('client');
    return clientAnswer(client);
  },
});

const consentLoaded = onTenant({
  name: 'consents.load',
  summary: 'Define a consent, or change what is said of it; one that is retired stays so unless it is said',
  portal: { reads: 'consents.list' },
  permission: 'access:write',
  route: 'PUT /consents/{consentId}',
  fields: { consentId: consentIdField, name: consentFields.name },
  optional: {
    description: consentFields.description,
    atSignUp: consentFields.atSignUp,
    atCheckout: consentFields.atCheckout,
    retired: s.flag('Whether it is asked for no more'),
  },
  output,
  run: async ({ tx, tenant, now }, { consentId: id, name, description, atSignUp, atCheckout, retired }) => {
    const known = (await listEveryConsent(tx, tenant.id)).find((one) => one.id === id);
    const since = known?.retiredAt ?? null;
    await defineConsent(tx, {
      id,
      tenantId: tenant.id,
      name,
      description: description ?? known?.description ?? '',
      atSignUp: atSignUp ?? known?.atSignUp ?? false,
      atCheckout: atCheckout ?? known?.atCheckout ?? false,
      retiredAt: (retired ?? since !== null) ? (since ?? now) : null,
    });
    return { id };
  },
});

const most = 1_000_000_000;

/** The details of a member that are given once and stay. */
export const memberOnceFields = {
  id: {
    ...s.text('The id of a new member, as it was elsewhere', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a02'),
    pattern: idPattern,
  },
  userId: s.numberFrom(1, most, 'The number of a new account', 1_001),
  memberNumber: s.numberFrom(1, most, 'The number of a new membership', 501_001),
  createdAt: s.time('When a new account was made'),
};

export const passwordHashField = s.text(
  'The password of a new member, as a hash: an argon2id PHC string, or as an export writes that of an old system',
  '$argon2id$v=19$…',
);

const memberLoaded = onTenant({
  name: 'members.load',
  summary: 'Make a member with the id, numbers and password hash of another service',
  permission: 'members:write',
  route: 'POST /members',
  fields: { fullName: fullNameField, email: emailField, passwordHash: passwordHashField },
  optional: {
    ...memberOnceFields,
    userType: { ...userTypeField, default: 'member' },
    disabled: { ...s.flag('Whether the member may not sign in'), default: false },
    ...memberFields,
    ...provenFields,
  },
  output,
  made: 'id',
  run: async ({ tx, tenant, actor, random, now }, input) => {
    demandManage(actor, input.userType);
    const numbers = numbersOf(input);
    // Ids are unique over all tenants: whether another one has a member of this id is not for everyone (A17).
    if (numbers.id !== undefined && !hasAllTenants(actor)) {
      throw conflict('id', 'member_id_for_others');
    }
    for (const name of await takenNumbers(tx, tenant.id, numbers)) {
      throw conflict(name, 'number_of_another', { name });
    }
    // An address is free again once its member is gone, though the sweep has not come by yet.
    const gone = await findMemberByEmail(tx, tenant.id, input.email);
    if (gone !== null) await deleteMember(tx, tenant.id, gone.member.id, now);
    const beginning: Member = {
      ...blankMember(tenant.id, now),
      userType: input.userType,
      status: input.disabled ? 'disabled' : 'active',
      createdAt: input.createdAt === undefined ? now : Date.parse(input.createdAt),
    };
    const free = { ...(await nextMemberNumbers(tx, tenant.id)), id: random.id(now) };
    const member = { ...withDetails(beginning, input, now), ...free, ...numbers };
    await freeExternalId(tx, member);
    // No file says when it was chosen elsewhere.
    await insertMember(tx, member, input.passwordHash, 0);
    return memberAnswer(member);
  },
});

/** The id and the numbers of a member, as far as they are said. */
export function numbersOf({ id, userId, memberNumber }: MemberNumbers): MemberNumbers {
  return {
    ...(id === undefined ? {} : { id }),
    ...(userId === undefined ? {} : { userId }),
    ...(memberNumber === undefined ? {} : { memberNumber }),
  };
}

/** The times of a subscription, each as it was elsewhere. */
export const subscriptionTimeFields = {
  createdAt: s.time('When it was made'),
  activatedAt: s.orNull(s.time('When it begins: now where it is left out'), 'that it waits for a payment'),
  expiresAt: s.timeOrNull('When it ends unless it is renewed: after one period where it is left out'),
  cancelledAt: s.timeOrNull('When its renewal was cancelled', null),
  endedAt: s.timeOrNull('When it was ended before its time', null),
};

const subscriptionLoaded = onTenant({
  name: 'subscriptions.load',
  summary: 'Give a member a subscription with the times that it had elsewhere',
  permission: 'subscriptions:write',
  route: 'POST /members/{memberId}/subscriptions',
  fields: { memberId: memberField, packageId: packageIdField },
  optional: { ...subscriptionTimeFields, customPropertyValues: { ...valuesField, default: {} } },
  output,
  made: 'subscriptionId',
  run: async (context, input) => {
    const subscriptionId = await giveSubscription(context, input);
    await replay(context.tx, context.tenant.id, subscriptionId, input);
    return { subscriptionId };
  },
});

/** Lets what became of a subscription happen again, at the times at which it did. @throws OperationRefused */
async function replay(
  tx: Tx,
  tenantId: string,
  id: number,
  { cancelledAt = null, endedAt = null }: Partial<s.ValuesOf<typeof subscriptionTimeFields>>,
): Promise<void> {
  if (cancelledAt !== null) await changeSubscription(tx, tenantId, id, 'cancel', Date.parse(cancelledAt));
  if (endedAt !== null) await changeSubscription(tx, tenantId, id, 'end', Date.parse(endedAt));
  const found = await findSubscription(tx, tenantId, id);
  const isSo = found?.cancelledAt === timeOr(cancelledAt, null) && found.endedAt === timeOr(endedAt, null);
  if (!isSo) throw conflict([], 'times_out_of_order');
}

/** Open to tenant files alone: no other face has them. */
export const loadOperations: readonly Operation[] = [
  tenantLoaded,
  clientLoaded,
  secretsSet,
  consentLoaded,
  memberLoaded,
  subscriptionLoaded,
];
