import type { ImportFormat } from '../../../src/core/import/format.ts';
import type { Import } from '../../../src/core/import/import.ts';
import { problem } from '../../../src/core/problem.ts';
import { insertImport, insertRefusals } from '../../../src/storage/imports/import.ts';
import { updateSecondFactor } from '../../../src/storage/members/second-factor.ts';
import { giveSecondFactor } from '../members/second-factor.ts';
import { importRecord } from '../records/import.ts';
import { clientExamples } from './client-examples.ts';
import { providerExamples } from './provider-examples.ts';
import {
  type Example,
  newAnswer,
  newCheckout,
  newClient,
  newInvoice,
  newLeavingMember,
  newMember,
  newPasskey,
  newSession,
  newSubscription,
  type World,
} from './world.ts';

interface Keys {
  readonly keys: readonly { readonly kid: string; readonly state: string }[];
}

const ofNothing: Example = async () => ({});
const ofMember: Example = async (world) => ({ memberId: await newMember(world) });

/** Narrows a list of events to one that the operator caused, whatever else happened. */
const ofEvent: Example = async (world) => ({ target: await newClient(world), result: 'done', limit: 1 });

const channel = async ({ productId, operate, fresh }: World) => {
  const channelId = fresh('channel');
  await operate('channels.define', { channelId, name: 'Live', productIds: [productId] });
  return { channelId };
};

const consent = async ({ operate, fresh }: World) => {
  const consentId = fresh('consent');
  await operate('consents.define', { consentId, name: 'Newsletter' });
  return { consentId };
};

const ofAnswer: Example = async (world) => ({
  ...(await newAnswer(world)),
  status: 'accepted',
  holds: true,
  limit: 1,
});

/** A file that says what is there already: what else it can say has tests of its own. */
const ofFile: Example = async ({ host }) => ({
  file: `tenants:\n  - issuer: https://${host}\n    name: World\n`,
  references: {},
  prune: true,
  force: false,
});

const endpoint = { name: 'CRM', url: 'https://crm.example.com/hook' };

const webhook = async ({ operate }: World) => {
  const { webhookId } = await operate<{ readonly webhookId: string }>('webhooks.create', endpoint);
  return { webhookId };
};

const importOf = async ({ service, tenantId }: World) => {
  const importId = service.deps.random.id(service.clock.now());
  await service.store.transaction(async (tx) => {
    await insertImport(tx, importRecord(importId, tenantId));
    await insertRefusals(tx, importId, [{ line: 3, problems: [problem('email', 'missing')] }]);
  });
  return { importId };
};

/** A file of members that was uploaded, and is where a piece of work leaves it. */
const uploadOf = async ({ service, tenantId }: World, work: Import['work'], format: ImportFormat = 'own') => {
  const importId = service.deps.random.id(service.clock.now());
  const { head, options } = importRecord(importId, tenantId);
  const read = { head: head && { ...head, format }, options: { ...options, format } };
  const facts = { work, ...read, fileHash: '', endedAt: null, received: 0, readTo: 0 } as const;
  await service.store.transaction((tx) => insertImport(tx, importRecord(importId, tenantId, facts)));
  return { importId };
};

const firstPart = {
  start: 0,
  content: Buffer.from('{"email":"moved@example.test"}\n').toString('base64'),
  last: true,
};

const testedWebhook = async (world: World) => {
  const made = await webhook(world);
  await world.operate('webhooks.test', made);
  return made;
};

const group = async (world: World) => {
  const subscriptionId = await newSubscription(world);
  await world.operate('groups.create', { subscriptionId, seats: 3 });
  return { subscriptionId };
};

const invited = async (world: World) => {
  const { subscriptionId } = await group(world);
  const input = { subscriptionId, email: 'teacher@school.example' };
  const { seatId } = await world.operate<{ readonly seatId: string }>('seats.invite', input);
  return { subscriptionId, seatId };
};

const token = { name: 'deployment', permissions: ['clients:read', 'clients:write'] };

/** One call of each operation, with the fields that tell; those of clients stand beside this. */
export const examples: Readonly<Record<string, Example>> = {
  'refusals.why': async ({ service, host }) => {
    const body = { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'nobodys' };
    const { headers } = await service.http(host, '/api/oidc/token', { body });
    return { reference: String(headers['request-id']) };
  },
  'tenants.list': ofNothing,
  'tenants.read': ofNothing,
  'counts.read': ofNothing,
  'tenants.create': async ({ host, fresh }) => ({
    name: 'Another',
    issuer: `https://${fresh('another')}.${host}`,
    languages: ['nb', 'en'],
  }),
  'tenants.change': async () => ({
    brandColor: '#112233',
    logo: null,
    invoicing: { account: 'NO93 8601 1117 947', note: 'Storgata 1', dueDays: 30 },
    favicon: null,
    coverText: 'Every "match", on every screen',
    coverPicture: null,
    corners: 'round',
    font: 'serif',
    supportAddress: 'help@example.com',
    termsUrl: 'https://www.example.com/terms',
    privacyUrl: 'https://www.example.com/privacy',
    passwordLength: 16,
    passkeys: 'off',
    emailCodes: 'beside',
    secondFactor: 'required',
    adminSecondFactor: 'optional',
    trustedBrowserDays: 14,
    deviceFactor: 'fresh',
    oldSystemUrl: 'https://old.example.com/memberdoor',
    limits: { signUpsPerAddressAndHour: null, signUpsPerAddressAndDay: 50 },
    deletionCoolingOffSeconds: 86_400,
    clientRegistration: 'token',
    clientMetadataDocuments: 'listed',
    clientMetadataHosts: ['app.example.com'],
    unverifiedOfflineAccess: true,
    revocationListed: true,
    returnOrigins: ['https://www.example.com', 'https://shop.example.com'],
  }),
  'tenants.makeOldSystemSecret': async ({ operate }) => {
    await operate('tenants.change', { oldSystemUrl: 'https://old.example.com/memberdoor' });
    return {};
  },
  'tenants.setStage': async () => ({ stageTenant: null }),
  'tenants.disable': ofNothing,
  'tenants.enable': ofNothing,

  ...clientExamples,
  ...providerExamples,

  'events.list': async () => ({ after: 0, types: ['member.created'], limit: 1, wait: 0 }),

  'imports.list': async (world) => ({ ...(await importOf(world)), limit: 1 }),
  'imports.read': importOf,
  'imports.create': async () => ({ existing: 'update', mail: true }),
  'imports.upload': async (world) => ({ ...(await uploadOf(world, 'receive')), ...firstPart }),
  'imports.setHashParameters': async (world) => ({
    ...(await uploadOf(world, 'checked', 'firebase')),
    hashParameters:
      'hash_config { base64_signer_key: c2lnbmVy, base64_salt_separator: Bw==, rounds: 8, mem_cost: 14 }',
  }),
  'imports.start': (world) => uploadOf(world, 'checked'),
  'imports.stop': (world) => uploadOf(world, 'take'),
  'imports.cancel': (world) => uploadOf(world, 'stopped'),
  'imports.refusals': importOf,
  'webhooks.list': async (world) => ({ ...(await webhook(world)), limit: 1 }),
  'webhooks.read': (world) => webhook(world),
  'webhooks.create': async () => ({ ...endpoint, types: ['member.created', 'member.deleted'] }),
  'webhooks.change': async (world) => ({
    ...(await webhook(world)),
    name: 'Newsletter',
    url: 'https://news.example.com/hook',
    types: ['consent.changed'],
  }),
  'webhooks.rotateSecret': (world) => webhook(world),
  'webhooks.test': (world) => webhook(world),
  'webhooks.disable': (world) => webhook(world),
  'webhooks.enable': async (world) => {
    const made = await webhook(world);
    await world.operate('webhooks.disable', made);
    return made;
  },
  'webhooks.delete': (world) => webhook(world),
  'webhookDeliveries.list': async (world) => ({ ...(await testedWebhook(world)), limit: 5 }),
  'webhookDeliveries.read': async (world) => {
    const made = await testedWebhook(world);
    const told = await world.operate<{ readonly webhookDeliveries: readonly { readonly id: number }[] }>(
      'webhookDeliveries.list',
      made,
    );
    return { ...made, deliveryId: told.webhookDeliveries[0]?.id };
  },
  'webhookDeliveries.sendAgain': async (world) => {
    const made = await testedWebhook(world);
    const told = await world.operate<{ readonly webhookDeliveries: readonly { readonly id: number }[] }>(
      'webhookDeliveries.list',
      made,
    );
    return { ...made, deliveryId: told.webhookDeliveries[0]?.id };
  },

  'members.list': async (world) => {
    await newMember(world);
    return { search: 'ada', status: 'active', limit: 5 };
  },
  'members.export': async (world) => {
    await newMember(world);
    return { search: 'ada', status: 'active', limit: 5 };
  },
  'members.read': async ({ memberId }) => ({ memberId }),
  'members.disable': ofMember,
  'members.enable': ofMember,
  'members.delete': ofMember,
  'members.create': async ({ fresh }) => ({
    fullName: 'Bo "B" Åberg',
    email: `${fresh('bo')}@example.test`,
    password: 'ord som ingen gjetter',
    userType: 'tenant_admin',
    phone: '+4791234567',
    language: 'nb',
    address: { line1: 'Storgata 1', city: 'Oslo', country: 'NO' },
  }),
  'members.change': async (world) => ({
    ...(await ofMember(world)),
    nickName: 'Bee',
    avatar: null,
    address: { city: 'Bergen' },
  }),
  'members.signOutEverywhere': ofMember,
  'members.resetSecondFactor': async (world) => {
    const memberId = await newMember(world);
    await giveSecondFactor(world.service, memberId);
    // What was used of it is another number at each moment.
    await world.service.store.transaction((tx) =>
      updateSecondFactor(tx, { memberId, lastStep: 0, recoveryHashes: [] }),
    );
    return { memberId };
  },
  'members.cancelDeletion': async (world) => ({ memberId: await newLeavingMember(world) }),
  'members.timeline': async ({ memberId }) => ({ memberId, limit: 5 }),
  'contentAccess.list': async (world) => ({ memberId: world.memberId, ...(await channel(world)) }),
  'search.find': async () => ({ search: 'ada' }),
  'members.exportData': ofMember,
  'members.unlock': ofMember,
  'members.sendInvitation': ofMember,
  'members.sendPasswordReset': ofMember,
  'members.endSignIn': async (world) => {
    const { signInId } = await newSession(world);
    return { memberId: world.memberId, signInId };
  },
  'members.endSession': async (world) => {
    const { sessionId } = await newSession(world);
    return { memberId: world.memberId, sessionId };
  },

  'passkeys.list': async (world) => {
    await newPasskey(world);
    return { memberId: world.memberId };
  },
  'passkeys.rename': async (world) => ({
    memberId: world.memberId,
    passkeyId: await newPasskey(world),
    name: 'My "phone"',
  }),
  'passkeys.remove': async (world) => {
    // The last way in stays.
    await newPasskey(world);
    return { memberId: world.memberId, passkeyId: await newPasskey(world) };
  },
  'signIns.list': async (world) => {
    await newSession(world);
    return { memberId: world.memberId };
  },
  'sessions.list': async (world) => {
    await newSession(world);
    return { memberId: world.memberId };
  },

  'subscriptions.list': async (world) => {
    await newSubscription(world);
    return { memberId: world.memberId };
  },
  'subscriptions.create': async ({ memberId, packageId }) => ({
    memberId,
    packageId,
    expiresAt: '2036-01-31T12:00:00.000Z',
    customPropertyValues: { seats: 2 },
  }),
  'subscriptions.change': async (world) => ({
    subscriptionId: await newSubscription(world),
    change: 'cancel',
  }),
  'subscriptions.setProperties': async (world) => ({
    subscriptionId: await newSubscription(world),
    values: { seats: 3 },
  }),
  'subscriptions.changeProperties': async (world) => ({
    subscriptionId: await newSubscription(world),
    values: { seats: 4 },
  }),
  'groups.list': async (world) => ({ ...(await group(world)), limit: 1 }),
  'groups.read': (world) => group(world),
  'groups.create': async (world) => ({ subscriptionId: await newSubscription(world), seats: 25 }),
  'groups.change': async (world) => ({
    ...(await group(world)),
    seats: 5,
    domains: ['school.example'],
    networks: ['8.8.8.0/24'],
  }),
  'seats.list': async (world) => ({ ...(await invited(world)), limit: 1 }),
  'seats.invite': async (world) => ({ ...(await group(world)), email: 'pupil@school.example' }),
  'seats.sendAgain': invited,
  'seats.remove': invited,
  'invoices.list': async (world) => {
    await newInvoice(world);
    return { memberId: world.memberId, paid: false, limit: 10 };
  },
  'invoices.export': async (world) => {
    await newInvoice(world);
    return { paid: false, limit: 10 };
  },
  'invoices.remind': async (world) => ({ number: await newInvoice(world) }),
  'invoices.markPaid': async (world) => ({ number: await newInvoice(world) }),
  'checkouts.list': async (world) => {
    await newCheckout(world);
    return { memberId: world.memberId };
  },
  'checkouts.export': async (world) => {
    await newCheckout(world);
    return { memberId: world.memberId, format: 'csv' };
  },

  'products.list': ofNothing,
  'products.create': async ({ fresh }) => ({ name: fresh('Film') }),
  'products.change': async ({ operate, fresh }) => {
    const { id } = await operate('products.create', { name: fresh('News') });
    return { productId: id, name: fresh('News and more') };
  },
  'packages.list': ofNothing,
  'packages.create': async ({ productId, fresh }) => ({
    name: fresh('Silver'),
    description: 'Less than gold',
    price: { amount: 0, currency: 'EUR' },
    taxPercent: 8.1,
    taxName: 'MWST',
    period: { unit: 'week', count: 2 },
    renews: true,
    payment: 'free',
    needsAddress: true,
    networks: ['8.8.8.0/24', '2a00:1450::/32'],
    productIds: [productId],
  }),
  'packages.change': async ({ packageId, productId }) => ({
    packageId,
    description: 'All of it',
    taxPercent: null,
    offered: false,
    networks: ['8.8.4.4/32'],
    productIds: [productId],
  }),
  'channels.list': ofNothing,
  'channels.define': async ({ productId, fresh }) => ({
    channelId: fresh('live'),
    name: 'Sport live',
    productIds: [productId],
  }),
  'channels.delete': channel,
  'channels.openFor': async () => ({ ip: '8.8.8.8' }),
  'consents.list': ofNothing,
  'consents.define': async ({ fresh }) => ({
    consentId: fresh('mail'),
    name: 'Newsletter',
    description: 'A mail every Friday',
    atSignUp: true,
    atCheckout: false,
  }),
  'consents.retire': consent,
  'consents.answer': async (world) => ({
    ...(await ofMember(world)),
    ...(await consent(world)),
    status: 'accepted',
  }),
  'consentAnswers.list': ofAnswer,
  'consentAnswers.export': ofAnswer,
  'properties.list': ofNothing,
  'properties.define': async () => ({ key: 'campaign', type: 'string' }),

  'tokens.list': async ({ operate }) => {
    await operate('tokens.create', token);
    return {};
  },
  'tokens.create': async () => ({ ...token, expiresAt: '2036-01-01T00:00:00.000Z' }),
  'tokens.revoke': async ({ operate }) => ({ tokenId: (await operate('tokens.create', token)).id }),
  'serviceTokens.list': ofNothing,
  'serviceTokens.create': async () => token,
  'serviceTokens.revoke': async ({ operate }) => ({
    tokenId: (await operate('serviceTokens.create', token)).id,
  }),

  'keys.list': ofNothing,
  'keys.rotate': async () => ({ algorithm: 'ES256' }),
  'keys.retire': async ({ operate }) => {
    const known = (await operate<Keys>('keys.list')).keys.find(({ state }) => state === 'next');
    const { keys } = known ? { keys: [known] } : await operate<Keys>('keys.rotate', { algorithm: 'ES256' });
    return { kid: keys.find(({ state }) => state === 'next')?.kid, force: true };
  },

  'mails.retry': ofNothing,
  'overview.read': async (world) => {
    await newInvoice(world);
    return {};
  },
  'figures.read': async () => ({ range: '52w' }),
  'audit.list': ofEvent,
  'audit.export': ofEvent,
  'serviceAudit.list': async (world) => ({ tenant: world.host, ...(await ofEvent(world)) }),
  'serviceAudit.export': async (world) => ({ tenant: world.host, ...(await ofEvent(world)) }),

  'tenantFiles.export': async () => ({ format: 'yaml' }),
  'tenantFiles.compare': ofFile,
  'tenantFiles.apply': ofFile,
  'serviceTenantFiles.export': async ({ host }) => ({ tenant: host, format: 'yaml', members: false }),
  'serviceTenantFiles.compare': ofFile,
  'serviceTenantFiles.apply': ofFile,
};
