import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mailBatch, mailLook } from '../../../src/core/members/limits.ts';
import { lease } from '../../../src/core/operators/store-limits.ts';
import type { MailTransport } from '../../../src/operations/mail/mail-transport.ts';
import type { Store } from '../../../src/storage/store.ts';
import { testClock } from '../../support/clock.ts';
import { mailRows, newMailer, signUpMail } from '../../support/mails/mailer.ts';
import { testOutbox } from '../../support/mails/outbox.ts';
import { tenantRecord } from '../../support/records/records.ts';
import { insertRecords } from '../../support/records/store.ts';
import { openShared, sharedDatabase } from '../../support/run/test-store.ts';

let stores: readonly Store[];
beforeAll(async () => {
  const url = await sharedDatabase();
  stores = [await openShared(url), await openShared(url)];
  await stores[0]?.transaction(insertRecords);
});
afterAll(() => Promise.all(stores.map((store) => store.close())));

/** Two processes with an empty queue and one clock; their mails come into one memory. */
async function twoProcesses() {
  const clock = testClock();
  const outbox = testOutbox();
  let opened = 0;
  const open = (transport: MailTransport = outbox.transport(null)) => {
    const store = stores[opened++ % stores.length] as Store;
    return { store, mailer: newMailer(store, clock, transport) };
  };
  const [store] = stores as readonly [Store];
  await store.transaction((tx) => tx.deleteFrom('mails').execute());
  const statesOf = async () => (await mailRows(store)).map(({ state }) => state);
  return { clock, outbox, open, store, statesOf };
}

const addresses = (count: number) => Array.from({ length: count }, (_, index) => `member-${index}@mail.test`);

/** Queues a mail to each in one transaction. */
async function postAll(
  { store, mailer }: { store: Store; mailer: ReturnType<typeof newMailer> },
  to: readonly string[],
) {
  await store.transaction(async (tx) => {
    for (const address of to) await mailer.queue(tx, tenantRecord('a'), { ...signUpMail, to: address });
  });
}

/** A mail server that takes no mail to its end until it is told to. */
function slowServer(outbox: ReturnType<typeof testOutbox>) {
  const reached = Promise.withResolvers<void>();
  const goesOn = Promise.withResolvers<void>();
  const server = outbox.transport(null);
  const transport: MailTransport = {
    send: async (mail) => {
      reached.resolve();
      await goesOn.promise;
      await server.send(mail);
    },
  };
  return { transport, reached: reached.promise, goOn: goesOn.resolve };
}

describe('the queue of several processes', () => {
  it('200 mails leave once each through two processes that deliver at the same time', async () => {
    const { outbox, open, statesOf } = await twoProcesses();
    const [one, other] = [open(), open()];
    const to = addresses(200);
    await postAll(one, to);
    await Promise.all([one.mailer.deliver(), other.mailer.deliver()]);
    expect(outbox.sent.map((mail) => mail.to).sort()).toEqual(to.toSorted());
    expect(new Set(await statesOf())).toEqual(new Set(['sent']));
  });

  it('mails of a process that died leave through another, after its lease and not before', async () => {
    const { clock, outbox, open } = await twoProcesses();
    const slow = slowServer(outbox);
    const [dying, other] = [open(slow.transport), open()];
    await postAll(dying, addresses(3));
    void dying.mailer.deliver();
    await slow.reached;
    await other.mailer.deliver();
    expect(outbox.sent).toEqual([]);
    // It looks again by itself, though it was told of none of them.
    expect(other.mailer.planned()).toBeLessThanOrEqual(mailLook);
    clock.advance(lease.time);
    await other.mailer.deliver();
    expect(outbox.sent.map((mail) => mail.to)).toEqual(addresses(3));
  });

  it('a process that lives keeps its mails, however long the mail server takes', async () => {
    const { clock, outbox, open } = await twoProcesses();
    const slow = slowServer(outbox);
    const [one, other] = [open(slow.transport), open()];
    await postAll(one, addresses(3));
    const delivered = one.mailer.deliver();
    await slow.reached;
    for (let renewals = 0; renewals < 5; renewals += 1) {
      await one.mailer.renew();
      await other.mailer.deliver();
    }
    expect(outbox.offered).toBe(0);
    slow.goOn();
    await delivered;
    expect(outbox.sent.map((mail) => mail.to)).toEqual(addresses(3));
    clock.advance(lease.time);
    await other.mailer.deliver();
    expect(outbox.sent).toHaveLength(3);
  });

  it('a process that slept longer than its lease sends nothing of what it had taken before', async () => {
    const { clock, outbox, open, statesOf } = await twoProcesses();
    const slow = slowServer(outbox);
    const [one, other] = [open(slow.transport), open()];
    await postAll(one, addresses(mailBatch));
    const delivered = one.mailer.deliver();
    await slow.reached;
    clock.advance(lease.time);
    await other.mailer.deliver();
    slow.goOn();
    await delivered;
    // The one that was on its way when it fell asleep has come twice, and no other.
    const [first = '', ...others] = addresses(mailBatch);
    expect(outbox.sent.map((mail) => mail.to).sort()).toEqual([first, first, ...others].sort());
    expect(new Set(await statesOf())).toEqual(new Set(['sent']));
  });

  it('a refusal that comes late changes nothing of a mail that another process has sent', async () => {
    const { clock, outbox, open, statesOf } = await twoProcesses();
    const late = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const refusing = testOutbox();
    refusing.refuse('EENVELOPE 550', 'mailbox');
    const slow = open({
      send: async (mail) => {
        reached.resolve();
        await late.promise;
        await refusing.transport(null).send(mail);
      },
    });
    const other = open();
    await slow.mailer.post();
    const delivered = slow.mailer.deliver();
    await reached.promise;
    clock.advance(lease.time);
    await other.mailer.deliver();
    late.resolve();
    await delivered;
    expect(outbox.sent).toHaveLength(1);
    expect(await statesOf()).toEqual(['sent']);
  });

  it.each<[string, (mailer: ReturnType<typeof newMailer>) => void, 'ECONNREFUSED' | null]>([
    ['stops', (mailer) => void mailer.stop(), null],
    ['finds no mail server', () => {}, 'ECONNREFUSED'],
  ])('a process that %s leaves the rest of its mails to the others at once', async (_what, end, refusal) => {
    const { outbox, open } = await twoProcesses();
    const own = testOutbox();
    own.refuse(refusal);
    const ending = open({
      send: async (mail) => {
        end(ending.mailer);
        await own.transport(null).send(mail);
      },
    });
    const other = open();
    await postAll(ending, addresses(3));
    await ending.mailer.deliver();
    await other.mailer.deliver();
    expect(own.offered).toBe(1);
    expect(outbox.sent.map((mail) => mail.to)).toEqual(addresses(3).slice(1));
  });

  it('a mail that could not be marked is marked by its sender before another process takes it', async () => {
    const { clock, outbox, open, store } = await twoProcesses();
    const one = open();
    await one.mailer.post();
    const alter = (change: string) =>
      store.transaction((tx) => sql`alter table mails ${sql.raw(change)}`.execute(tx));
    await alter(`add constraint broken check (state <> 'sent')`);
    await one.mailer.deliver();
    await alter('drop constraint broken');
    expect(one.mailer.planned()).toBeLessThan(lease.time);
    await one.mailer.elapse();
    clock.advance(lease.time);
    await open().mailer.deliver();
    expect(outbox.sent).toHaveLength(1);
    expect(await mailRows(store)).toMatchObject([{ state: 'sent' }]);
  });
});
