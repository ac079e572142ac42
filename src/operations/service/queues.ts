// What a service does beside its requests: its queues, and what wakes each.
import type { Log } from '../../log/log.ts';
import type { Passwords } from '../../secrets/password.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { RateLimiter } from '../../storage/memory/rate-limit.ts';
import type { Numbers, Woken } from '../../storage/operators/audited.ts';
import type { Store } from '../../storage/store.ts';
import type { Clock, Schedule } from '../../system/clock.ts';
import type { Outbound } from '../../system/outbound/outbound.ts';
import type { Random } from '../../system/random.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Runner } from '../delivery/runner.ts';
import { createNumbering } from '../events/numbering.ts';
import type { EventWaiting } from '../events/waiting.ts';
import { createWebhooks, type WebhooksDeps } from '../events/webhooks.ts';
import { createLogoutNotices } from '../logout/notices.ts';
import type { MailTransport } from '../mail/mail-transport.ts';
import { createMailer, type Mailer } from '../mail/mailer.ts';
import { createImporting } from '../moving-in/importing.ts';
import type { Tenants } from '../tenant/open-tenants.ts';

export interface QueuesDeps {
  readonly store: Store;
  /** The store with an audit, which calls `wake` after a commit that left something for a queue. */
  readonly audit: (wake: (queue: Woken) => void, numbers: Numbers | null) => Store;
  readonly tenants: Tenants;
  readonly vault: Vault;
  readonly passwords: Passwords;
  readonly random: Random;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly transport: MailTransport;
  /** Counts the mails of imports with those of operators. */
  readonly rateLimiter: Pick<RateLimiter, 'members'>;
  readonly outbound: Outbound;
  readonly events: EventWaiting;
  /** Counts each attempt to tell a webhook. */
  readonly counted: WebhooksDeps['counted'];
  /** Asked for at each line, since the log begins with the app and the app needs the queues. */
  readonly log: () => Pick<Log, 'info' | 'warn'>;
}

/** The queues of a service; none works before it is told to. */
export interface Queues {
  /** The store that wakes them. */
  readonly audited: Store;
  readonly mailer: Mailer;
  readonly logoutNotices: Delivery;
  readonly numbering: Runner;
  readonly webhooks: Delivery;
  readonly importing: Runner;
  /** Takes up what waited when the service last stopped, and does not wait for it. */
  begin(): void;
  /** Sends what is due now: mails, notices of sign-outs, and what webhooks are told. */
  deliver(): Promise<void>;
  /** Lets each end what it is at, and begins nothing more. */
  stop(): Promise<void>;
}

/** Makes the queues of a service. */
export function createQueues(deps: QueuesDeps): Queues {
  const { events, store, random } = deps;
  const mailer = createMailer(deps);
  const logoutNotices = createLogoutNotices(deps);
  const numbered = (tenantIds: readonly string[]) => {
    events.numbered(tenantIds);
    webhooks.wake();
  };
  const numbering = createNumbering({ ...deps, numbered });
  const audited = deps.audit(
    (queue) => woken[queue].wake(),
    store.isShared ? null : { idOf: random.id, numbered },
  );
  const webhooks = createWebhooks({ ...deps, store: audited, mails: mailer });
  const importing = createImporting({ ...deps, store: audited, mails: mailer });
  const woken = { logoutNotices, events: numbering, webhooks, imports: importing };
  const all = [mailer, logoutNotices, numbering, webhooks, importing];
  return {
    ...{ audited, mailer, logoutNotices, numbering, webhooks, importing },
    begin() {
      void mailer.deliver();
      void logoutNotices.deliver();
      void webhooks.deliver();
      void importing.run();
    },
    async deliver() {
      await Promise.all([mailer.deliver(), logoutNotices.deliver(), webhooks.deliver()]);
    },
    async stop() {
      await Promise.all(all.map((queue) => queue.stop()));
    },
  };
}
