import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { smtpTransport } from '../../../src/operations/mail/mail-transport.ts';
import { openStore } from '../../../src/storage/sqlite/open.ts';
import { testClock } from '../../support/clock.ts';
import { mailRows, newMailer, signUpMail } from '../../support/mails/mailer.ts';
import { testOutbox } from '../../support/mails/outbox.ts';
import { tenantRecord } from '../../support/records/records.ts';
import { insertRecords, storeWithMember } from '../../support/records/store.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A store with a mailer whose mails come into memory. */
async function inMemory(folder?: string) {
  const store = await storeWithMember(folder);
  const clock = testClock();
  const outbox = testOutbox();
  return { store, clock, outbox, mailer: newMailer(store, clock, outbox.transport(null)) };
}

describe('the queue', () => {
  it('a mail leaves with the transaction that causes it', async () => {
    const { mailer, outbox, store } = await inMemory();
    await mailer.post();
    expect(outbox.sent).toEqual([]);
    expect(mailer.planned()).toBe(0);
    await mailer.deliver();
    expect(outbox.sent).toMatchObject([{ name: 'signUp', to: 'grace@mail.test', tenantId: 'tenant-a' }]);
    expect(await mailRows(store)).toMatchObject([{ state: 'sent', attempts: 0, lastError: null }]);
  });

  it('a mail of a transaction that is rolled back never leaves', async () => {
    const { mailer, outbox, store } = await inMemory();
    const failed = store.transaction(async (tx) => {
      await mailer.queue(tx, tenantRecord('a'), signUpMail);
      throw new Error('the sign-up failed');
    });
    await expect(failed).rejects.toThrow('the sign-up failed');
    await mailer.deliver();
    expect(outbox.sent).toEqual([]);
    expect(mailer.planned()).toBeNull();
  });

  it('mails leave in the order they came in, more than are read at once too', async () => {
    const { mailer, outbox } = await inMemory();
    const addresses = Array.from({ length: 45 }, (_, index) => `member-${index}@example.test`);
    for (const to of addresses) await mailer.post({ to });
    await mailer.deliver();
    expect(outbox.sent.map(({ to }) => to)).toEqual(addresses);
  });

  it('a mail that is queued while others leave goes with them', async () => {
    const store = await storeWithMember();
    const sent: string[] = [];
    const mailer = newMailer(store, testClock(), {
      send: async ({ to }) => {
        sent.push(to);
        if (sent.length === 1) await mailer.post({ to: 'second@example.test' });
      },
    });
    await mailer.post();
    await mailer.deliver();
    expect(sent).toEqual(['grace@mail.test', 'second@example.test']);
  });

  it('two deliveries at once send each mail once', async () => {
    const { mailer, outbox } = await inMemory();
    await mailer.post();
    await Promise.all([mailer.deliver(), mailer.deliver()]);
    expect(outbox.sent).toHaveLength(1);
  });

  it('stopping waits for the mail under way, and leaves the others in the queue', async () => {
    const store = await storeWithMember();
    const sent: string[] = [];
    let stopped: Promise<void> | null = null;
    const mailer = newMailer(store, testClock(), {
      send: async ({ to }) => {
        stopped = mailer.stop();
        await store.transaction(async () => {});
        sent.push(to);
      },
    });
    await mailer.post();
    await mailer.post({ to: 'second@example.test' });
    await Promise.all([mailer.deliver(), stopped]);
    await mailer.deliver();
    expect(sent).toEqual(['grace@mail.test']);
    expect((await mailRows(store)).map(({ state }) => state)).toEqual(['sent', 'waiting']);
    expect(mailer.planned()).toBeNull();
  });
});

describe('what is stored of a mail', () => {
  it('W9: is encrypted while it waits, and gone once it was sent', async () => {
    const folder = temporaryFolder();
    const { mailer, store } = await inMemory(folder);
    await mailer.post();
    const bytes = () =>
      readdirSync(folder)
        .filter((file) => file.startsWith('memberdoor.db'))
        .map((file) => readFileSync(join(folder, file), 'latin1'))
        .join();
    expect(bytes().includes('signUp')).toBe(true);
    for (const secret of ['the-secret-of-the-link', '123 456', 'grace@mail.test', 'Hopper']) {
      expect(bytes().includes(secret), secret).toBe(false);
    }
    await mailer.deliver();
    expect((await mailRows(store))[0]?.message).toBeNull();
  });

  it('cannot be read as the mail of another tenant, and holds up no other mail', async () => {
    const { mailer, outbox, store } = await inMemory();
    await mailer.post();
    await mailer.post({ to: 'second@example.test' });
    await store.transaction((tx) =>
      tx.updateTable('mails').set({ tenantId: 'tenant-b' }).where('id', '=', 1).execute(),
    );
    await mailer.deliver();
    expect(outbox.sent.map(({ to }) => to)).toEqual(['second@example.test']);
    expect(await mailRows(store)).toMatchObject([
      { state: 'failed', lastError: 'unreadable', message: null },
      { state: 'sent' },
    ]);
  });
});

describe('a mail server that takes no mails', () => {
  it('loses none: each is tried again later, ever more seldom, for two days', async () => {
    const { mailer, outbox, store, clock } = await inMemory();
    outbox.refuse('ECONNREFUSED');
    const begin = clock.now();
    await mailer.post();
    const tries: number[] = [];
    while (mailer.planned() !== null) {
      tries.push(Math.round((clock.now() + (mailer.planned() ?? 0) - begin) / minute));
      await mailer.elapse();
    }
    const doubling = [0, 1, 3, 7, 15, 31, 63, 127, 255, 511];
    const everySixHours = [871, 1_231, 1_591, 1_951, 2_311, 2_671];
    expect(tries).toEqual([...doubling, ...everySixHours, 2_880]);
    expect(await mailRows(store)).toMatchObject([
      { state: 'failed', attempts: tries.length, lastError: 'ECONNREFUSED', message: null },
    ]);
    expect(outbox.sent).toEqual([]);
  });

  it('is told to the operator once, and once when it takes them again', async () => {
    const { mailer, outbox, clock } = await inMemory();
    outbox.refuse('ECONNREFUSED');
    await mailer.post();
    await mailer.deliver();
    clock.advance(minute);
    await mailer.deliver();
    outbox.refuse(null);
    clock.advance(hour);
    await mailer.deliver();
    expect(mailer.lines).toEqual([
      { level: 'warn', text: 'the mail server takes no mails; they wait', facts: { reply: 'ECONNREFUSED' } },
      { level: 'info', text: 'the mail server takes mails again', facts: {} },
    ]);
    expect(outbox.sent).toHaveLength(1);
  });

  it('is asked once a minute, however many mails wait', async () => {
    const { mailer, outbox, clock } = await inMemory();
    outbox.refuse('ECONNREFUSED');
    for (const to of ['a@example.test', 'b@example.test', 'c@example.test']) await mailer.post({ to });
    await mailer.deliver();
    expect(outbox.offered).toBe(1);
    expect(mailer.planned()).toBe(minute);
    outbox.refuse(null);
    clock.advance(hour);
    await mailer.deliver();
    expect(outbox.sent).toHaveLength(3);
  });

  it('W7: what is given up is told by number and kind, not by recipient or content', async () => {
    const { mailer, outbox, clock } = await inMemory();
    outbox.refuse('EENVELOPE 451', 'mail');
    await mailer.post();
    await mailer.deliver();
    clock.advance(2 * day);
    await mailer.deliver();
    const facts = { tenantId: 'tenant-a', mail: 1, name: 'signUp', reply: 'EENVELOPE 451' };
    expect(mailer.lines).toEqual([
      { level: 'warn', text: 'a mail was refused and waits', facts },
      { level: 'warn', text: 'a mail was given up', facts: { ...facts, attempts: 2 } },
    ]);
  });

  it('a refused mail holds up no other mail', async () => {
    const store = await storeWithMember();
    const { transport, refuse, sent } = testOutbox();
    const memory = transport(null);
    const mailer = newMailer(store, testClock(), {
      send: (mail) => {
        refuse(mail.to === 'full@example.test' ? 'EENVELOPE 452' : null, 'mail');
        return memory.send(mail);
      },
    });
    await mailer.post({ to: 'full@example.test' });
    await mailer.post();
    await mailer.deliver();
    expect(sent.map(({ to }) => to)).toEqual(['grace@mail.test']);
    expect((await mailRows(store)).map(({ state }) => state)).toEqual(['waiting', 'sent']);
  });
});

describe('trouble in between', () => {
  /** Lets every change of a queued mail fail, as a full disk does. */
  const breakMarking = sql`create trigger broken before update on mails begin select raise(abort, 'full'); end`;
  const mendMarking = sql`drop trigger broken`;

  it('a mail that was sent but could not be marked is marked later, and not sent again', async () => {
    const { mailer, outbox, store, clock } = await inMemory();
    await mailer.post();
    await store.transaction((tx) => breakMarking.execute(tx));
    await mailer.deliver();
    expect(mailer.planned()).toBe(minute);
    clock.advance(minute);
    await mailer.deliver();
    await store.transaction((tx) => mendMarking.execute(tx));
    clock.advance(minute);
    await mailer.deliver();
    expect(outbox.sent).toHaveLength(1);
    expect(await mailRows(store)).toMatchObject([{ state: 'sent' }]);
  });

  it('a crash between sending and marking sends twice, with one Message-ID, and never not at all', async () => {
    const { mailer, outbox, store, clock } = await inMemory();
    await mailer.post();
    await store.transaction((tx) => breakMarking.execute(tx));
    await mailer.deliver();
    await store.transaction((tx) => mendMarking.execute(tx));
    await newMailer(store, clock, outbox.transport(null)).deliver();
    const ids = outbox.sent.map(({ id, queuedAt }) => `${id} ${queuedAt}`);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  it('mails that waited when the service stopped leave after the next start', async () => {
    const folder = temporaryFolder();
    const clock = testClock();
    const before = await openStore(folder, true);
    await before.transaction(insertRecords);
    const refusing = testOutbox();
    refusing.refuse('ETIMEDOUT');
    const first = newMailer(before, clock, refusing.transport(null));
    await first.post();
    await first.deliver();
    await first.stop();
    await before.close();

    clock.advance(hour);
    const store = await openStore(folder, false);
    const outbox = testOutbox();
    await newMailer(store, clock, outbox.transport(null)).deliver();
    await store.close();
    expect(outbox.sent).toMatchObject([{ to: 'grace@mail.test' }]);
  });

  it('a transport to nowhere is no reason to lose a mail', async () => {
    const { store, clock } = await inMemory();
    const transport = smtpTransport({ url: 'smtp://mail.invalid:1', from: 'door@example.test' });
    const mailer = newMailer(store, clock, transport);
    await mailer.post();
    await mailer.deliver();
    expect(await mailRows(store)).toMatchObject([{ state: 'waiting', attempts: 1 }]);
  });
});
