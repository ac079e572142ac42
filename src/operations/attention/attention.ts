// What needs the attention of those who operate a tenant.
import type { Price } from '../../core/access/package.ts';
import type { Client } from '../../core/client.ts';
import { webhook } from '../../core/events/limits.ts';
import { listPage } from '../../core/limits.ts';
import { seriesOf, spanOf } from '../../core/operators/figures/figure.ts';
import { attention as limits } from '../../core/operators/figures/limits.ts';
import { type Actor, hasAllTenants, mayGrant } from '../../core/operators/permission.ts';
import { dueKeys } from '../../core/operators/signing-key.ts';
import type { Tenant } from '../../core/tenant.ts';
import { listOverdueMembers, sumOverdueInvoices } from '../../storage/access/invoice.ts';
import { listClients } from '../../storage/clients/client.ts';
import { failingSince } from '../../storage/events/webhook-delivery.ts';
import { listEndpoints } from '../../storage/events/webhook-endpoint.ts';
import { countSlowedCodes } from '../../storage/grants/device-code.ts';
import { findOldSystem } from '../../storage/imports/old-system.ts';
import { countRefusedMails } from '../../storage/members/mail.ts';
import { nameMembers } from '../../storage/names.ts';
import { readFigures } from '../../storage/operators/figure.ts';
import type { Tx } from '../../storage/store.ts';
import { listSigningKeys } from '../../storage/tenant.ts';

/** What can need it, the worst first. */
export const attentionCodes = [
  'tenant_disabled',
  'no_client',
  'key_overdue',
  'invoices_overdue',
  'mails_refused',
  'webhook_off',
  'webhook_failing',
  'old_system_fails',
  'old_system_unsigned',
  'client_unreachable',
  'client_two_secrets',
  'client_polls_fast',
  'requests_refused',
  'backup_missing',
  'backup_old',
  'backup_made',
] as const;
export type AttentionCode = (typeof attentionCodes)[number];

export const attentionLevels = ['bad', 'care', 'good'] as const;

/** Something that needs it: a value, which each face words. */
export interface Attention {
  readonly code: AttentionCode;
  /** `good` says that all is well with it. */
  readonly level: (typeof attentionLevels)[number];
  /** How many of it there are; the most that is looked at where there are more. */
  readonly count: number | null;
  /** How much money it is about, in each currency. */
  readonly amounts: readonly Price[];
  /** Whom it is about, the first two of them. */
  readonly names: readonly string[];
  /** The client_id of the client that it is about. */
  readonly clientId: string | null;
  /** The webhook that it is about. */
  readonly webhookId: string | null;
  /** Since when (ms), or when it was. */
  readonly at: number | null;
  /** What a mail server said, or why a webhook was turned off. */
  readonly detail: string | null;
}

/** Where it is looked for, and for whom: each is told what they may read otherwise. */
export interface AttentionContext {
  readonly tx: Tx;
  readonly tenant: Pick<Tenant, 'id' | 'disabledAt' | 'oldSystemUrl'>;
  readonly actor: Actor;
  readonly now: number;
  /** When the service was backed up last (ms); 0 where it never was, null where others look after that. */
  readonly backedUpAt: number | null;
}

/** All that needs attention now, the worst first. Each look reads a bounded number of rows, however many there are. */
export async function attentionOf(context: AttentionContext): Promise<readonly Attention[]> {
  const { actor, tenant } = context;
  const may = (...permissions: Parameters<typeof mayGrant>[1]) => mayGrant(actor, permissions);
  const found = [
    tenant.disabledAt === null ? [] : about('tenant_disabled', 'bad', { at: tenant.disabledAt }),
    may('clients:read') ? await ofClients(context) : [],
    may('keys:read') ? await ofKeys(context) : [],
    may('subscriptions:read') ? await ofInvoices(context, may('members:read')) : [],
    await ofMails(context, may('members:read')),
    may('events:read') ? await ofWebhooks(context) : [],
    may('tenants:read') ? await ofOldSystem(context) : [],
    may('clients:read') ? await ofPolling(context) : [],
    may('audit:read') ? await ofRefusals(context) : [],
    hasAllTenants(actor) ? ofBackups(context) : [],
  ].flat();
  const rank = ({ level, code }: Attention) =>
    attentionLevels.indexOf(level) * attentionCodes.length + attentionCodes.indexOf(code);
  return found.toSorted((a, b) => rank(a) - rank(b));
}

const about = (
  code: AttentionCode,
  level: Attention['level'],
  facts: Partial<Attention> = {},
): Attention => ({
  code,
  level,
  count: null,
  amounts: [],
  names: [],
  clientId: null,
  webhookId: null,
  at: null,
  detail: null,
  ...facts,
});

async function ofClients({ tx, tenant }: AttentionContext): Promise<readonly Attention[]> {
  const clients = await listClients(tx, tenant.id, { limit: listPage.most });
  if (clients.length === 0) return [about('no_client', 'bad')];
  const of = (code: AttentionCode, { clientId, name }: Client, at: number | null) =>
    about(code, 'care', { clientId, names: [name], at });
  return clients
    .filter(({ disabledAt }) => disabledAt === null)
    .flatMap((client) => [
      ...(client.secrets.length > 1
        ? [of('client_two_secrets', client, Math.min(...client.secrets.map(({ createdAt }) => createdAt)))]
        : []),
      ...(isUnreachable(client) ? [of('client_unreachable', client, null)] : []),
    ]);
}

/** Whether nothing leads to a client: neither a page to return to, nor a code, nor a token for itself. */
const isUnreachable = ({ redirectUris, deviceFlow, clientCredentials }: Client) =>
  redirectUris.length === 0 && !deviceFlow && !clientCredentials;

async function ofKeys({ tx, tenant, now }: AttentionContext): Promise<readonly Attention[]> {
  const { next } = dueKeys(await listSigningKeys(tx, tenant.id), now - limits.key);
  return next.length === 0 ? [] : [about('key_overdue', 'bad', { count: next.length })];
}

async function ofInvoices(
  { tx, tenant, now }: AttentionContext,
  mayName: boolean,
): Promise<readonly Attention[]> {
  const sums = await sumOverdueInvoices(tx, tenant.id, now, limits.rows);
  if (sums.length === 0) return [];
  const first = (await listOverdueMembers(tx, tenant.id, now, limits.named)).slice(0, 2);
  const named = new Map(
    (mayName ? await nameMembers(tx, tenant.id, first) : []).map(({ id, fullName, email }) => [
      id,
      fullName === '' ? email : fullName,
    ]),
  );
  return [
    about('invoices_overdue', 'bad', {
      count: sums.reduce((all, { count }) => all + count, 0),
      amounts: sums.map(({ amount, currency }) => ({ amount, currency })),
      names: first.flatMap((id) => named.get(id) ?? []),
      at: Math.min(...sums.map(({ dueAt }) => dueAt)),
    }),
  ];
}

async function ofMails(
  { tx, tenant, now }: AttentionContext,
  mayRead: boolean,
): Promise<readonly Attention[]> {
  const { count, lastError } = await countRefusedMails(tx, tenant.id, now - limits.mails, limits.rows);
  // What a mail server says may name the address that it refused.
  return count === 0 ? [] : [about('mails_refused', 'care', { count, detail: mayRead ? lastError : null })];
}

async function ofWebhooks({ tx, tenant }: AttentionContext): Promise<readonly Attention[]> {
  const endpoints = await listEndpoints(tx, tenant.id, { limit: webhook.endpoints });
  const looks = endpoints.map(async ({ id: webhookId, name, disabledAt, disabledReason: detail }) => {
    const of = { webhookId, names: [name] };
    if (disabledAt !== null) {
      return [about('webhook_off', detail === null ? 'care' : 'bad', { ...of, at: disabledAt, detail })];
    }
    const at = await failingSince(tx, webhookId);
    return at === null ? [] : [about('webhook_failing', 'care', { ...of, at })];
  });
  return (await Promise.all(looks)).flat();
}

async function ofOldSystem({ tx, tenant }: AttentionContext): Promise<readonly Attention[]> {
  if (tenant.oldSystemUrl === null) return [];
  const system = await findOldSystem(tx, tenant.id);
  if (system?.secret == null) return [about('old_system_unsigned', 'care')];
  const { failures, failedAt: at, failure: detail } = system;
  // One that breaks at single questions can be reached, and counts as no failure in a row.
  const count = Math.max(failures, 1);
  return at === null ? [] : [about('old_system_fails', 'care', { count, at, detail })];
}

async function ofPolling({ tx, tenant, now }: AttentionContext): Promise<readonly Attention[]> {
  const { time, least } = limits.polling;
  const slowed = await countSlowedCodes(tx, tenant.id, now - time, limits.rows);
  const fast = slowed.filter(({ count }) => count >= least);
  if (fast.length === 0) return [];
  const clients = new Map((await listClients(tx, tenant.id)).map((client) => [client.clientId, client.name]));
  return fast.map(({ clientId, count }) =>
    about('client_polls_fast', 'care', { clientId, count, names: [clients.get(clientId) ?? clientId] }),
  );
}

async function ofRefusals({ tx, tenant, now }: AttentionContext): Promise<readonly Attention[]> {
  const span = spanOf('24h', now);
  const series = seriesOf(await readFigures(tx, tenant.id, span), span);
  const refused = series.find(({ name }) => name === 'requestsRefused');
  const { least, times } = limits.refused;
  if (refused === undefined || refused.total < least || refused.total <= times * refused.before) return [];
  return [about('requests_refused', 'care', { count: refused.total })];
}

function ofBackups({ backedUpAt, now }: AttentionContext): readonly Attention[] {
  if (backedUpAt === null) return [];
  if (backedUpAt === 0) return [about('backup_missing', 'care')];
  const isOld = backedUpAt < now - limits.backup;
  return [
    isOld
      ? about('backup_old', 'care', { at: backedUpAt })
      : about('backup_made', 'good', { at: backedUpAt }),
  ];
}
