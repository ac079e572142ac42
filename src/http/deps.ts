import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Passwords } from '../password.ts';
import type { Random } from '../random.ts';
import type { Store } from '../storage/store.ts';
import type { Tenants } from '../tenants.ts';

/** Everything a handler may use; handed to each plugin by name. */
export interface Deps {
  readonly config: Pick<Config, 'apiAudience' | 'apiHost' | 'trustedProxies'>;
  readonly store: Store;
  readonly tenants: Tenants;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly random: Random;
}
