// What a handler may use.
import type { Config } from '../config.ts';
import type { PaymentMethod } from '../operations/access/payment.ts';
import type { Mailer } from '../operations/mail/mailer.ts';
import type { PlaceOf } from '../operations/session/geolocation.ts';
import type { Tenants } from '../operations/tenant/open-tenants.ts';
import type { Passwords } from '../secrets/password.ts';
import type { Vault } from '../secrets/vault.ts';
import type { Store } from '../storage/store.ts';
import type { Clock } from '../system/clock.ts';
import type { Random } from '../system/random.ts';
import type { Memory } from './memory.ts';
import type { Metrics } from './upkeep/metrics.ts';

/** Everything a handler may use; handed to each plugin by name. */
export interface Deps extends Memory {
  readonly config: Pick<
    Config,
    'apiAlgorithm' | 'apiAudience' | 'apiHost' | 'dataFolder' | 'issuer' | 'trustedProxies'
  >;
  readonly store: Store;
  readonly tenants: Tenants;
  readonly vault: Vault;
  readonly passwords: Passwords;
  /** Queues a mail in the transaction that causes it. */
  readonly mails: Pick<Mailer, 'queue'>;
  /** How packages can be paid. */
  readonly payments: readonly PaymentMethod[];
  /** The folder that mails are written to instead of being sent; null where they are sent. */
  readonly outboxFolder: string | null;
  readonly clock: Clock;
  readonly random: Random;
  /** The place of an address, in a language; null if it is not known, or no database is configured. */
  readonly placeOf: PlaceOf;
  /** Waits for ms: what slows down guessing. */
  readonly pause: (ms: number) => Promise<void>;
  /** null where they are not asked for. */
  readonly metrics: Metrics | null;
  /** Whether this start printed the link that makes the first administrator: it is answered on any host. */
  readonly setupOffered: boolean;
}
