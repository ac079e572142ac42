// Clients that a document describes, fetched where that is not known or no longer fresh.
import type { Client } from '../../core/client.ts';
import { isRefusal } from '../../core/decision.ts';
import { parseJson } from '../../core/json.ts';
import { readClientAddress, readDocument } from '../../core/registration/document.ts';
import { documentLength, documentLife, failedDocument } from '../../core/registration/limits.ts';
import type { ClientMetadata } from '../../core/registration/metadata.ts';
import { bannedWith, hostOf } from '../../core/registration/unverified-client.ts';
import { updateClient } from '../../storage/clients/client.ts';
import { type AgedMap, createAgedMap } from '../../storage/memory/aged-map.ts';
import { isBanned } from '../../storage/registration/client-ban.ts';
import {
  findUnverifiedClient,
  updateBeside,
  updateClientType,
} from '../../storage/registration/unverified-client.ts';
import type { Store, Tx } from '../../storage/store.ts';
import type { Clock } from '../../system/clock.ts';
import type { OutboundResult } from '../../system/outbound/call.ts';
import type { Outbound } from '../../system/outbound/outbound.ts';
import { lifeOf } from '../client/published-keys.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import { storeUnverifiedClient, unverifiedClient } from './store-client.ts';

/** Whether an authorization may go on: with the client as it is stored, or not, and why, for an operator. */
export type DocumentStanding =
  | { readonly kind: 'usable' }
  | { readonly kind: 'refused'; readonly reason: string };

const usable: DocumentStanding = { kind: 'usable' };
const refused = (reason: string): DocumentStanding => ({ kind: 'refused', reason });

/** What each process remembers by itself: addresses that failed (until when, ms), and those that are being fetched. */
export interface Documents {
  readonly failed: AgedMap<{ readonly reason: string; readonly until: number }>;
  readonly underWay: Map<string, Promise<DocumentStanding>>;
}

export const createDocuments = (): Documents => ({
  failed: createAgedMap(failedDocument.most),
  underWay: new Map(),
});

interface Fetching {
  readonly documents: Documents;
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly store: Pick<Store, 'transaction'>;
  /** Whether one more that is not known yet may be fetched from this host now. */
  readonly mayFetch: (host: string) => Promise<boolean>;
}

/**
 * Makes sure that the client of a client_id is as its document says, where the client_id is the address of one that the
 * tenant takes (interop 62). Never in a transaction. Other client_ids are none of its business.
 */
export async function refreshDocument(
  tenant: OpenTenant,
  clientId: string | undefined,
  fetching: Fetching,
): Promise<DocumentStanding> {
  const address = clientId === undefined ? null : readClientAddress(clientId, tenant);
  if (address === null) return usable;
  const { documents, clock, store, mayFetch } = fetching;
  const { href } = address;
  const found = await store.transaction(async (tx) => ({
    known: await findUnverifiedClient(tx, tenant.id, href),
    isBanned: await isBanned(tx, tenant.id, [href, hostOf(href), address.hostname]),
  }));
  if (found.isBanned) return refused('the document, or its host, is banned');
  const now = clock();
  const freshUntil = found.known?.client.disabledAt === null ? (found.known.freshUntil ?? 0) : 0;
  if (now < freshUntil && freshUntil <= now + documentLife.longest) return usable;
  const key = `${tenant.id} ${href}`;
  const failure = documents.failed.get(key);
  if (failure !== undefined && now < failure.until) return refused(failure.reason);
  const underWay = documents.underWay.get(key);
  if (underWay !== undefined) return underWay;
  // One that is known is asked for no sooner than it may be stale, so a flood of others does not keep its members out.
  if (found.known === null && !(await mayFetch(address.hostname))) {
    return refused('too many documents are fetched');
  }
  const fetched = (documents.underWay.get(key) ?? fetchAndStore(tenant, address, fetching)).finally(() =>
    documents.underWay.delete(key),
  );
  documents.underWay.set(key, fetched);
  const standing = await fetched;
  documents.failed.delete(key);
  if (standing.kind === 'refused') {
    documents.failed.set(key, { reason: standing.reason, until: clock() + failedDocument.pause });
  }
  return standing;
}

async function fetchAndStore(
  tenant: OpenTenant,
  address: URL,
  { outbound, clock, store }: Fetching,
): Promise<DocumentStanding> {
  const { development } = tenant;
  const call = { url: address.href, method: 'GET', accept: 'application/json', development } as const;
  const result = await outbound.send(call);
  const value = bodyOf(result);
  if (typeof value === 'string') return refused(`the document cannot be had: ${value}`);
  const metadata = readDocument(value.parsed, address, tenant);
  if (isRefusal(metadata)) return refused(metadata.description);
  return store.transaction((tx) => keep(tx, tenant, address, { metadata, life: value.life, now: clock() }));
}

/** What came, or in words why nothing did that could be a document. */
function bodyOf(result: OutboundResult): { readonly parsed: unknown; readonly life: number } | string {
  if (result.kind === 'failed') return result.reason;
  const { status, headers, body } = result;
  if (status !== 200) return `status ${status}`;
  if (!/^application\/(?:[\w.-]+\+)?json(?:;|$)/i.test(headers['content-type']?.trim() ?? ''))
    return 'it is no JSON';
  if (body.length > documentLength) return 'size';
  const parsed = parseJson(Buffer.from(body));
  return parsed === undefined
    ? 'it is malformed'
    : { parsed, life: lifeOf(headers['cache-control'], documentLife) };
}

/** A document that was read, and how long it may be kept (ms). */
interface Read {
  readonly metadata: ClientMetadata;
  readonly life: number;
  readonly now: number;
}

/** The checks before the fetch are made again: the tenant may have changed its mind, or banned the host. */
async function keep(
  tx: Tx,
  tenant: OpenTenant,
  { href: clientId }: URL,
  { metadata, life, now }: Read,
): Promise<DocumentStanding> {
  const { claimedName, redirectUris } = metadata;
  const described = { tenantId: tenant.id, clientId, claimedName, redirectUris, origin: 'document' } as const;
  const client: Client = { ...unverifiedClient(described), ...metadata };
  if (await isBanned(tx, tenant.id, bannedWith(client)))
    return refused('the document, or its host, is banned');
  const known = await findUnverifiedClient(tx, tenant.id, clientId);
  const freshUntil = now + life;
  if (known === null) {
    const beside = { createdAt: now, lastUsedAt: null, registrationTokenHash: null, freshUntil };
    const isStored = await storeUnverifiedClient(tx, { client, ...beside });
    return isStored ? usable : refused('there are too many clients that no member has used');
  }
  // Most documents never change, and what is remembered of all clients is forgotten with a change.
  if (!isSame(known.client, client)) {
    await updateClient(tx, client);
    if (known.client.type !== client.type) await updateClientType(tx, client);
  }
  await updateBeside(tx, client, { freshUntil });
  return usable;
}

const isSame = (one: Client, other: Client) =>
  JSON.stringify(Object.entries(one).toSorted()) === JSON.stringify(Object.entries(other).toSorted());
