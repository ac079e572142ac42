import type { Checkout } from '../../../src/core/access/checkout.ts';
import type { Subscription } from '../../../src/core/access/subscription.ts';
import type { AuthorizationCode } from '../../../src/core/grants/authorization-code.ts';
import { type SignIn, storedHolder } from '../../../src/core/grants/sign-in.ts';
import type { Session } from '../../../src/core/session.ts';
import type { Write } from '../../../src/core/write.ts';

type Rows<Row> = Readonly<Record<string, Row>>;

/** The rows that the core's writes change, without a database: for walks through many histories. */
export interface Records {
  readonly codes: Rows<AuthorizationCode>;
  readonly signIns: Rows<SignIn>;
  readonly sessions: Rows<Session>;
  readonly subscriptions: Rows<Subscription>;
  readonly checkouts: Rows<Checkout>;
}

export const noRecords: Records = { codes: {}, signIns: {}, sessions: {}, subscriptions: {}, checkouts: {} };

/** The records after these writes; like the storage it refuses a write whose condition does not hold. */
export function written(records: Records, writes: readonly Write[]): Records {
  return writes.reduce(writtenOne, records);
}

function writtenOne(records: Records, write: Write): Records {
  const { codes, signIns, sessions, subscriptions, checkouts } = records;
  switch (write.write) {
    case 'insertAuthorizationCode':
      return { ...records, codes: added(codes, write.code.hash, write.code) };
    case 'moveAuthorizationCode': {
      const move = { state: write.to, signInId: write.signInId };
      return { ...records, codes: changed(codes, write.hash, ({ state }) => state === write.from, move) };
    }
    case 'insertSignIn':
      return { ...records, signIns: added(signIns, write.signIn.id, write.signIn) };
    case 'rotateSignIn': {
      const isCurrent = ({ state, generation }: SignIn) => state === 'active' && generation === write.from;
      const move = { generation: write.to, rotatedAt: write.at, ...storedHolder(write.holder) };
      return { ...records, signIns: changed(signIns, write.id, isCurrent, move) };
    }
    case 'endSignIn': {
      const { reason: endReason, at: endedAt, reuse = null } = write;
      const move = { state: 'ended', endedAt, endReason, reuse } as const;
      return { ...records, signIns: changed(signIns, write.id, ({ state }) => state === 'active', move) };
    }
    case 'insertSession':
      return { ...records, sessions: added(sessions, write.session.id, write.session) };
    case 'moveSession': {
      const isFrom = ({ state }: Session) => state === write.from;
      return { ...records, sessions: changed(sessions, write.id, isFrom, write.session) };
    }
    case 'insertSubscription': {
      const { subscription } = write;
      const key = String(subscription.subscriptionId);
      return { ...records, subscriptions: added(subscriptions, key, subscription) };
    }
    case 'moveSubscription': {
      const { from, subscription } = write;
      const key = String(subscription.subscriptionId);
      const isFrom = ({ state }: Subscription) => state === from;
      return { ...records, subscriptions: changed(subscriptions, key, isFrom, subscription) };
    }
    case 'moveCheckout': {
      const { from, checkout } = write;
      const isFrom = ({ state }: Checkout) => state === from;
      return { ...records, checkouts: changed(checkouts, checkout.id, isFrom, checkout) };
    }
    default:
      throw new Error(`${write.write} is not kept in memory`);
  }
}

function added<Row>(rows: Rows<Row>, key: string, row: Row): Rows<Row> {
  if (key in rows) throw new Error(`${key} is there already`);
  return { ...rows, [key]: row };
}

function changed<Row>(
  rows: Rows<Row>,
  key: string,
  condition: (row: Row) => boolean,
  change: Partial<Row>,
): Rows<Row> {
  const row = rows[key];
  if (row === undefined || !condition(row)) throw new Error(`${key} is not as the write expects it`);
  return { ...rows, [key]: { ...row, ...change } };
}
