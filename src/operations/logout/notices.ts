// Tells clients that a member signed out, after the commit of it (OpenID Connect Back-Channel Logout 1.0).
import type { Client } from '../../core/client.ts';
import { logoutNotice as limits } from '../../core/oidc/limits.ts';
import { logoutTokenClaims, resendAt, type Sending, sendingOf } from '../../core/oidc/logout-notice.ts';
import type { Log } from '../../log/log.ts';
import { signingKeyFor, signToken } from '../../secrets/signing.ts';
import { findClient } from '../../storage/clients/client.ts';
import {
  type LogoutNoticeRow,
  listDueNotices,
  moveTakenNotices,
  nextNoticeDueAt,
  noticeDelivered,
  noticeFailed,
  postponeNotices,
  takeDueNotices,
} from '../../storage/clients/logout-notice.ts';
import type { Tx } from '../../storage/store.ts';
import type { Outbound } from '../../system/outbound/outbound.ts';
import { createDelivery, type Delivery, type DeliveryDeps } from '../delivery/delivery.ts';
import type { Queue } from '../delivery/taking.ts';
import type { OpenTenant, Tenants } from '../tenant/open-tenants.ts';

export interface LogoutNoticesDeps extends DeliveryDeps {
  readonly tenants: Tenants;
  readonly outbound: Outbound;
  /** Asked for at each line, since the log begins with the app. */
  readonly log: () => Pick<Log, 'warn'>;
}

/**
 * Makes what tells the clients of a service. No sign-out waits for it (interop 47): each is told from the queue, at
 * least once, and as long as it takes; a client that does not answer keeps no other one waiting.
 */
export function createLogoutNotices(deps: LogoutNoticesDeps): Delivery {
  const { store, log } = deps;
  const outgoing = createOutgoing(deps);
  return createDelivery(deps, {
    queue,
    markSent: outgoing.markSent,
    send: async (due, mayGoOn) => {
      const byClient = Object.values(Object.groupBy(due, clientOf)).map((notices = []) => notices);
      const untried = await Promise.all(byClient.map((notices) => sendInTurn(notices, mayGoOn)));
      return { untried: untried.flat(), isReachable: true };
    },
    pause: limits.firstWait,
    look: limits.look,
    failed: (error) => log().warn({ err: error }, 'the logout notices that wait cannot be read or marked'),
  });

  /** Those of one client. @returns what was not tried, and waits no longer than it did */
  async function sendInTurn(notices: readonly LogoutNoticeRow[], mayGoOn: () => boolean) {
    const turnEndsAt = deps.clock() + limits.turn;
    for (const [index, notice] of notices.entries()) {
      if (!mayGoOn()) return notices.slice(index);
      const waitUntil = (await outgoing.send(notice)) ?? endOfTurn(turnEndsAt);
      if (waitUntil === null) continue;
      const ids = notices.slice(index + 1).map(({ id }) => id);
      const move = { ids, from: deps.clock(), to: waitUntil };
      await store.transaction((tx) => postponeNotices(tx, notice, move));
      return [];
    }
    return [];
  }

  /** A client that takes long for each lets others go first, whose notices wait behind all of its own. */
  function endOfTurn(turnEndsAt: number): number | null {
    const now = deps.clock();
    return now < turnEndsAt ? null : now + limits.busyWait;
  }
}

const clientOf = ({ tenantId, clientId }: LogoutNoticeRow) => `${tenantId} ${clientId}`;

const queue: Queue<LogoutNoticeRow> = {
  list: listDueNotices,
  take: takeDueNotices,
  move: moveTakenNotices,
  nextDueAt: nextNoticeDueAt,
  batch: limits.batch,
};

/** What sends notices and writes down how it went. */
function createOutgoing(deps: LogoutNoticesDeps) {
  const { store, clock, tenants, log } = deps;
  /** Delivered, but not marked, because storage was in trouble: they are marked later and not sent again. */
  const unmarked = new Map<number, { readonly notice: LogoutNoticeRow; readonly result: string }>();

  const markSent = async () => {
    for (const [id, { notice, result }] of unmarked) {
      await store.transaction((tx) => noticeDelivered(tx, notice, { result, now: clock() }));
      unmarked.delete(id);
    }
  };

  /** @returns until when (ms) others of the client wait; null where they need not */
  const send = async (notice: LogoutNoticeRow): Promise<number | null> => {
    const to = await store.transaction((tx) => recipientOf(tx, notice, tenants));
    if (to === null) return giveUp(notice, 'not registered');
    const { sending, result } = await post(to, notice, deps);
    if (sending === 'delivered') {
      unmarked.set(notice.id, { notice, result });
      await markSent();
      return null;
    }
    const now = clock();
    const retryAt = resendAt(notice, sending, now);
    if (retryAt === null) return giveUp(notice, result, notice.attempts + 1);
    const attempts = sending === 'busy' ? notice.attempts : notice.attempts + 1;
    await store.transaction((tx) => noticeFailed(tx, notice, { attempts, result, retryAt, now }));
    if (notice.attempts === 0 && attempts === 1) {
      log().warn({ ...factsOf(notice), result }, 'a client did not take a logout notice, which waits');
    }
    // A refusal of one notice says nothing of the others.
    return sending === 'refused' ? null : retryAt;
  };

  return { send, markSent };

  async function giveUp(notice: LogoutNoticeRow, result: string, attempts = notice.attempts): Promise<null> {
    const failed = { attempts, result, retryAt: null, now: clock() };
    await store.transaction((tx) => noticeFailed(tx, notice, failed));
    log().warn({ ...factsOf(notice), result, attempts }, 'a logout notice was given up');
    return null;
  }
}

/** The recipient of a notice; null where the client, its address or its tenant is gone. */
async function recipientOf(
  tx: Tx,
  { tenantId, clientId }: LogoutNoticeRow,
  tenants: Tenants,
): Promise<Recipient | null> {
  await tenants.follow(tx);
  const tenant = tenants.all().find(({ id }) => id === tenantId);
  const client = await findClient(tx, tenantId, clientId);
  const url = client?.backchannelLogoutUri ?? null;
  if (tenant === undefined || tenant.disabledAt !== null || client === null || url === null) return null;
  return { tenant, client, url };
}

/** Sends a notice as a signed token, and says what came back. */
async function post(
  { tenant, client, url }: Recipient,
  notice: LogoutNoticeRow,
  { clock, outbound }: Pick<LogoutNoticesDeps, 'clock' | 'outbound'>,
) {
  const now = clock();
  const key = signingKeyFor(tenant.keys, client.idTokenAlgorithm, now);
  const token = await signToken(key, 'logout+jwt', logoutTokenClaims(notice, tenant.issuer, now));
  const answer = await outbound.send({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token: token }).toString(),
    development: tenant.development,
  });
  if (answer.kind === 'answer') {
    return { sending: sendingOf(answer.status), result: `status ${answer.status}` };
  }
  const sending: Sending = answer.reason === 'busy' ? 'busy' : 'failed';
  return { sending, result: answer.reason };
}

interface Recipient {
  readonly tenant: OpenTenant;
  readonly client: Client;
  readonly url: string;
}

const factsOf = ({ id, tenantId, clientId }: LogoutNoticeRow) => ({ tenantId, clientId, notice: id });
