import type { Mail } from '../../../src/operations/mail/mail.ts';
import type { MailTransport } from '../../../src/operations/mail/mail-transport.ts';
import { createMailer, type Mailer } from '../../../src/operations/mail/mailer.ts';
import { openVault } from '../../../src/secrets/vault.ts';
import type { Store } from '../../../src/storage/store.ts';
import type { TestClock } from '../clock.ts';
import { tenantRecord } from '../records/records.ts';

const mailVault = openVault(Buffer.alloc(32, 5));

/** A mailer that the test drives, with what it wrote to the log and what it planned. */
export interface TestMailer extends Mailer {
  /** Each line: its level, its words, and the facts beside them. */
  readonly lines: readonly { readonly level: string; readonly text: string; readonly facts: object }[];
  /** How long (ms) it wants to wait until it delivers again; null if nothing is planned. */
  planned(): number | null;
  /** Lets the time pass until then, and the delivery happen. */
  elapse(): Promise<void>;
  /** Lets the time pass until it says again that it holds the mails which it is sending. */
  renew(): Promise<void>;
  /** Queues one mail of tenant-a, in a transaction of its own. */
  post(mail?: Partial<Mail>): Promise<void>;
}

/** What waits in the queue of a mailer. */
export const signUpMail: Mail = {
  name: 'signUp',
  to: 'grace@mail.test',
  language: 'en',
  values: { fullName: 'Grace Hopper' },
  code: '123 456',
  link: 'https://a.test/sign-up/confirm/the-secret-of-the-link',
};

export function newMailer(store: Store, clock: TestClock, transport: MailTransport): TestMailer {
  const lines: { level: string; text: string; facts: object }[] = [];
  const write = (level: string) => (facts: object, text?: string) => {
    lines.push(
      typeof facts === 'string' ? { level, text: facts, facts: {} } : { level, text: text ?? '', facts },
    );
  };
  let planned: { work: () => void; ms: number } | null = null;
  let noticePlan = () => {};
  const mailer = createMailer({
    store,
    vault: mailVault,
    clock: clock.now,
    transport,
    log: () => ({ info: write('info'), warn: write('warn') }) as never,
    schedule: (work, ms) => {
      planned = { work, ms };
      noticePlan();
      return () => {
        planned = null;
      };
    },
  });
  return {
    ...mailer,
    lines,
    planned: () => planned?.ms ?? null,
    elapse: async () => {
      const due = planned;
      planned = null;
      clock.advance(due?.ms ?? 0);
      due?.work();
      await mailer.deliver();
    },
    renew: async () => {
      const due = planned;
      if (due === null) throw new Error('nothing is held');
      const again = Promise.withResolvers<void>();
      noticePlan = again.resolve;
      clock.advance(due.ms);
      due.work();
      await again.promise;
    },
    post: (mail = {}) =>
      store.transaction((tx) => mailer.queue(tx, tenantRecord('a'), { ...signUpMail, ...mail })),
  };
}

/** The queue's rows as they are stored. */
export const mailRows = (store: Store) =>
  store.transaction((tx) => tx.selectFrom('mails').selectAll().orderBy('id').execute());
