import type { Store } from '../../src/storage/store.ts';
import type { TestService } from './service.ts';

/** What comes in between the transactions of a request, as another request would. */
export interface Between {
  /** Runs `act` before the transaction of this number, counted from now on; the first is 1. */
  before(number: number, act: () => Promise<unknown>): void;
  /** Runs `look` before each transaction. */
  each(look: (number: number) => Promise<unknown>): void;
  /** Lets the service alone again. */
  stop(): void;
}

/** Watches the transactions of a service's requests, which use the store that it was handed. */
export function between({ deps }: Pick<TestService, 'deps'>): Between {
  const store = deps.store as { transaction: Store['transaction'] };
  const whole = store.transaction;
  let count = 0;
  let act: (number: number) => Promise<unknown> = async () => {};
  store.transaction = async (work) => {
    count += 1;
    await act(count);
    return whole(work);
  };
  const from = (next: typeof act) => {
    count = 0;
    act = next;
  };
  return {
    before: (number, once) => from(async (current) => (current === number ? once() : undefined)),
    each: from,
    stop: () => {
      store.transaction = whole;
    },
  };
}
