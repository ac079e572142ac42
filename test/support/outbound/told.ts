import type { Outbound } from '../../../src/system/outbound/outbound.ts';
import { handSchedule } from '../hand-schedule.ts';
import { run } from '../operators/desk.ts';
import type { TestService } from '../service.ts';
import {
  certificateFor,
  type Received,
  type ReceiverOptions,
  startReceiver,
  testOutbound,
} from './receiver.ts';

/** Calls any host on this machine, and waits for none of them until the test lets the time come. */
export function patientOutbound(): {
  readonly outbound: Outbound;
  readonly timeComes: () => Promise<unknown>;
} {
  const { schedule, comes } = handSchedule();
  return { outbound: testOutbound({ clock: Date.now, schedule }), timeComes: comes };
}

/** What a client was told: the logout tokens, and all that came. */
export interface ToldClient {
  readonly url: string;
  readonly received: readonly Received[];
  /** The logout tokens that came, oldest first. */
  readonly tokens: () => readonly string[];
}

/** Registers a receiver of logout tokens for a client, until the test is over. */
export async function tell(
  service: TestService,
  tenant: string,
  clientId: string,
  options: ReceiverOptions = {},
): Promise<ToldClient> {
  const { port, received } = await startReceiver({
    certificate: certificateFor(`${clientId}.test`),
    ...options,
  });
  const backchannelLogoutUri = `https://${clientId}.test:${port}/signed-out?from=door`;
  await run(service, 'clients.change', { tenant, clientId, backchannelLogoutUri });
  const tokens = () => received.map(({ body }) => new URLSearchParams(body).get('logout_token') ?? '');
  return { url: backchannelLogoutUri, received, tokens };
}

/** Lets a client be told no more. */
export const tellNoMore = (service: TestService, tenant: string, clientId: string) =>
  run(service, 'clients.change', { tenant, clientId, backchannelLogoutUri: null });

/** What an operator sees of what a client was told, the newest first. */
export async function noticesOf(
  service: TestService,
  tenant: string,
  clientId: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const listed = await run<{ logoutNotices: readonly Readonly<Record<string, unknown>>[] }>(
    service,
    'logoutNotices.list',
    { tenant, clientId, limit: 50 },
  );
  return listed.logoutNotices;
}
