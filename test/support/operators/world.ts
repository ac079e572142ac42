import { answerConsents } from '../../../src/operations/access/consent.ts';
import { operations } from '../../../src/operations/admin/index.ts';
import { runOperation } from '../../../src/operations/admin/run.ts';
import {
  storeUnverifiedClient,
  unverifiedClient,
} from '../../../src/operations/registration/store-client.ts';
import { insertCheckout } from '../../../src/storage/access/checkout.ts';
import { insertInvoice } from '../../../src/storage/access/invoice.ts';
import { insertSession } from '../../../src/storage/grants/session.ts';
import { insertSignIn } from '../../../src/storage/grants/sign-in.ts';
import { findMember, updateMember } from '../../../src/storage/members/member.ts';
import { insertPasskey } from '../../../src/storage/members/passkey.ts';
import { checkoutRecord } from '../records/access-records.ts';
import { memberRecord, passkeyRecord, sessionRecord, signInRecord } from '../records/records.ts';
import type { TestService } from '../service.ts';

/** A tenant of its own to operate on, the same for every test that begins one. */
export interface World {
  readonly service: TestService;
  readonly host: string;
  readonly tenantId: string;
  readonly productId: number;
  readonly packageId: number;
  readonly memberId: string;
  /** Runs an operation as the operator, to make what an example needs; the tenant is filled in. */
  operate<Answer = { readonly id: string }>(name: string, input?: object): Promise<Answer>;
  /** A name that was not used in this world before, and comes at the same place in another. */
  fresh(word: string): string;
}

/** Begins a world on a new tenant of this host. */
export async function beginWorld(service: TestService, host: string): Promise<World> {
  const counts = new Map<string, number>();
  const operate: World['operate'] = async <Answer>(name: string, input: object = {}) => {
    const operation = operations.find((known) => known.name === name);
    if (operation === undefined) throw new Error(`there is no operation ${name}`);
    const own = operation.input.required?.includes('tenant') === true ? { tenant: host } : {};
    const call = {
      operation,
      actor: { kind: 'operator' },
      input: { ...own, ...input },
      address: null,
    } as const;
    const deps = { ...service.deps, now: service.clock.now() };
    return (await runOperation(call, service.deps.store, deps)) as Answer;
  };
  const { id: tenantId } = await operate<{ id: string }>('tenants.create', {
    name: 'World',
    issuer: `https://${host}`,
    // Its administrators come in by the password alone.
    adminSecondFactor: 'optional',
  });
  const { id: productId } = await operate<{ id: number }>('products.create', { name: 'Sport' });
  const { id: packageId } = await operate<{ id: number }>('packages.create', {
    name: 'Gold',
    price: { amount: 9_900, currency: 'NOK' },
    period: { unit: 'month', count: 1 },
    payment: 'invoice',
    productIds: [productId],
  });
  await operate('properties.define', { key: 'seats', type: 'number' });
  const { id: memberId } = await operate('members.create', {
    fullName: 'Ada Berg',
    email: 'ada@example.test',
    password: 'kvist og eld i skogen',
  });
  return {
    service,
    host,
    tenantId,
    productId,
    packageId,
    memberId,
    operate,
    fresh: (word) => {
      const count = (counts.get(word) ?? 0) + 1;
      counts.set(word, count);
      return `${word}-${count}`;
    },
  };
}

/** A client that no other test uses. @returns its client_id */
export async function newClient(world: World, type: 'confidential' | 'public' = 'public'): Promise<string> {
  const clientId = world.fresh('client');
  await world.operate('clients.create', { clientId, name: `The ${clientId}`, type });
  return clientId;
}

/** An API that no client may ask for yet. @returns its identifier */
export async function newApi(world: World): Promise<string> {
  const name = world.fresh('api');
  const identifier = `https://${name}.example.com`;
  await world.operate('apis.create', { identifier, name, scopes: { [`${name}:read`]: `Read ${name}` } });
  return identifier;
}

/** A client that registered itself. */
export async function newUnverifiedClient({ service, tenantId, fresh }: World): Promise<string> {
  const clientId = fresh('unverified');
  const client = unverifiedClient({
    tenantId,
    clientId,
    origin: 'registered',
    claimedName: 'An app, as it says',
    redirectUris: [`https://${clientId}.example.com/callback`],
  });
  const beside = { lastUsedAt: null, registrationTokenHash: null, freshUntil: null };
  const createdAt = service.clock.now();
  await service.store.transaction((tx) => storeUnverifiedClient(tx, { client, createdAt, ...beside }));
  return clientId;
}

/** A member whom nothing has happened to. @returns the id */
export async function newMember(world: World): Promise<string> {
  const name = world.fresh('member');
  const email = `${name}@example.test`;
  const input = { fullName: name, email, password: 'kvist og eld i skogen' };
  return (await world.operate('members.create', input)).id;
}

/** A member who asked to be deleted, and is still there. @returns the id */
export async function newLeavingMember(world: World): Promise<string> {
  const id = await newMember(world);
  const { service, tenantId } = world;
  const now = service.clock.now();
  await service.store.transaction(async (tx) => {
    const member = await findMember(tx, tenantId, id);
    if (member !== null) await updateMember(tx, { ...member, deletionDueAt: now + 86_400_000 });
  });
  return id;
}

/** An answer to a consent that no other test uses. @returns its member and its consent */
export async function newAnswer(world: World): Promise<{ consentId: string; memberId: string }> {
  const { service, tenantId } = world;
  const consentId = world.fresh('letter');
  await world.operate('consents.define', { consentId, name: 'Letter', description: 'Each Friday.' });
  const memberId = await newMember(world);
  const answerer = { memberId, source: 'account', clientId: null, changedAt: service.clock.now() } as const;
  await service.store.transaction((tx) =>
    answerConsents(tx, tenantId, new Map([[consentId, 'accepted']]), answerer),
  );
  return { consentId, memberId };
}

/** A subscription of the member. @returns its id */
export async function newSubscription({ operate, memberId, packageId }: World): Promise<number> {
  const input = { memberId, packageId };
  const made = await operate<{ subscriptionId: number }>('subscriptions.create', input);
  return made.subscriptionId;
}

/** What no operation makes, since members do: a session and a sign-in. @returns their ids */
export async function newSession(world: World): Promise<{ sessionId: string; signInId: string }> {
  const { service, tenantId, memberId } = world;
  const clientId = await newClient(world);
  const sessionId = `${world.fresh('session')}-${world.host}`;
  const signInId = `${world.fresh('sign-in')}-${world.host}`;
  await service.store.transaction(async (tx) => {
    const session = sessionRecord({ id: sessionId, tenantId, memberId, secretHash: sessionId });
    await insertSession(tx, session);
    await insertSignIn(tx, signInRecord({ id: signInId, tenantId, memberId, clientId, sessionId }));
  });
  return { sessionId, signInId };
}

/** A passkey of the member. @returns its id */
export async function newPasskey(world: World): Promise<string> {
  const { service, tenantId, memberId } = world;
  const id = `${world.fresh('passkey')}-${world.host}`;
  await service.store.transaction((tx) =>
    insertPasskey(tx, passkeyRecord({ id, tenantId, memberId, credentialId: id })),
  );
  return id;
}

/** An unpaid invoice of the member. @returns its number */
export async function newInvoice(world: World): Promise<number> {
  const { service, tenantId, memberId } = world;
  const subscriptionId = await newSubscription(world);
  const number = Number(world.fresh('invoice').replace('invoice-', ''));
  const now = service.clock.now();
  await service.store.transaction((tx) =>
    insertInvoice(tx, {
      id: `invoice-${number}-${world.host}`,
      tenantId,
      number,
      memberId,
      subscriptionId,
      packageName: 'Gold',
      seats: null,
      price: { amount: 9_900, currency: 'NOK' },
      taxName: 'VAT',
      taxPercent: 25,
      payTo: { payee: '', account: '1503.40.12345', bic: null, note: '' },
      addressee: memberRecord().address,
      issuedAt: now,
      dueAt: now + 1_000,
      paidAt: null,
    }),
  );
  return number;
}

/** An open checkout of the member. */
export async function newCheckout(world: World): Promise<string> {
  const { service, tenantId, memberId, packageId, host } = world;
  const id = `${world.fresh('checkout')}-${host}`;
  const checkout = checkoutRecord({ id, tenantId, memberId, packageId });
  await service.store.transaction((tx) => insertCheckout(tx, checkout));
  return id;
}

/** Makes what an operation needs, and says with what it is called; the tenant is filled in. */
export type Example = (world: World) => Promise<Readonly<Record<string, unknown>>>;
