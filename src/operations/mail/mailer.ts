// Queues mails in transactions, and sends them after the commit.
import { mailBatch, mailLook, mailRetry } from '../../core/members/limits.ts';
import type { Member } from '../../core/members/member.ts';
import { hashEmail } from '../../core/members/member-limits.ts';
import { lease } from '../../core/operators/store-limits.ts';
import type { Tenant } from '../../core/tenant.ts';
import type { Log } from '../../log/log.ts';
import type { Vault } from '../../secrets/vault.ts';
import {
  hastenMails,
  insertMail,
  listDueMails,
  mailFailed,
  mailSent,
  moveTakenMails,
  nextMailDueAt,
  takeDueMails,
  type WaitingMail,
} from '../../storage/members/mail.ts';
import { afterCommit } from '../../storage/operators/audited.ts';
import type { Store, Tx } from '../../storage/store.ts';
import type { Clock, Schedule } from '../../system/clock.ts';
import { createDelivery } from '../delivery/delivery.ts';
import type { Queue } from '../delivery/taking.ts';
import { type ComposedMail, composeMail, type Mail } from './mail.ts';
import { MailRefused, type MailTransport, type OutgoingMail } from './mail-transport.ts';

/** Sends mails: into the queue with the transaction that causes them, and out of it after its commit. */
export interface Mailer {
  /**
   * Puts a mail into the queue, in the caller's transaction: it leaves if that commits, and never otherwise.
   * Nothing is sent here, so no request waits for a mail server.
   */
  queue(tx: Tx, tenant: Tenant, mail: Mail): Promise<void>;
  /**
   * Sends the mails of a tenant that wait to be tried again, once the caller's transaction commits. Those that are due
   * within a minute go by themselves: a process may have taken them.
   *
   * @returns how many
   */
  retry(tx: Tx, tenantId: string): Promise<number>;
  /** Sends all mails that are due, one after another. Whatever goes wrong, they stay in the queue. */
  deliver(): Promise<void>;
  /** Sends no more; resolves once the mail under way is done. */
  stop(): Promise<void>;
}

/** What goes for every mail to a member. @param language the member's own, unless another one is read now */
export const toMember = (
  { id: memberId, email, fullName, locale }: Pick<Member, 'id' | 'email' | 'fullName' | 'locale'>,
  language = locale ?? 'en',
  values: Mail['values'] = {},
) => ({ to: email, memberId, language, values: { fullName, ...values } });

export interface MailerDeps {
  readonly store: Store;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly transport: MailTransport;
  /** Asked for at each line, since the log begins with the app and the app needs the mailer. */
  readonly log: () => Pick<Log, 'info' | 'warn'>;
  readonly schedule: Schedule;
}

/**
 * Makes the one mailer of a service.
 *
 * A mail is marked as sent after the mail server took it: if the process dies between the two, it is sent
 * twice, never not at all. A mail that was not taken is tried again, ever more seldom, and given up at last.
 */
export function createMailer(deps: MailerDeps): Mailer {
  const { vault, clock, log } = deps;
  const outgoing = createOutgoing(deps);
  const delivery = createDelivery(deps, {
    queue,
    markSent: outgoing.markSent,
    send: async (due, mayGoOn) => {
      let tried = 0;
      let isReachable = true;
      for (; tried < due.length && isReachable && mayGoOn(); tried += 1) {
        isReachable = await outgoing.send(due[tried] as WaitingMail);
      }
      return { untried: due.slice(tried), isReachable };
    },
    pause: mailRetry.firstWait,
    look: mailLook,
    failed: (error) => log().warn({ err: error }, 'the mails that wait cannot be read or marked'),
  });
  return {
    async queue(tx, tenant, mail) {
      const composed = composeMail(tenant, mail);
      const message = vault.encrypt(Buffer.from(JSON.stringify(composed)), tenant.id);
      const recipientHash = hashEmail(composed.to);
      const { name, memberId = null } = mail;
      await insertMail(tx, { tenantId: tenant.id, name, recipientHash, memberId, message }, clock());
      afterCommit(tx, delivery.wake);
    },
    async retry(tx, tenantId) {
      const now = clock();
      const count = await hastenMails(tx, tenantId, now, now + lease.time);
      afterCommit(tx, delivery.wake);
      return count;
    },
    deliver: delivery.deliver,
    stop: delivery.stop,
  };
}

const queue: Queue<WaitingMail> = {
  list: listDueMails,
  take: takeDueMails,
  move: moveTakenMails,
  nextDueAt: nextMailDueAt,
  batch: mailBatch,
};

/** What sends mails and writes down how it went. */
function createOutgoing({ store, vault, clock, transport, log }: MailerDeps) {
  /** Sent, but not marked, because storage was in trouble: they are marked later and not sent again. */
  const unmarked = new Set<number>();
  let isReachable = true;

  const noteReachable = (now: boolean, reply: string) => {
    if (now !== isReachable) {
      if (now) log().info('the mail server takes mails again');
      else log().warn({ reply }, 'the mail server takes no mails; they wait');
    }
    isReachable = now;
  };

  const markSent = async () => {
    for (const id of unmarked) {
      await store.transaction((tx) => mailSent(tx, id, clock()));
      unmarked.delete(id);
    }
  };

  /** @returns false if the server takes no mail at all */
  const sendOne = async (mail: WaitingMail): Promise<boolean> => {
    const refused = await hand(mail);
    if (refused === null) {
      unmarked.add(mail.id);
      noteReachable(true, '');
      await markSent();
      return true;
    }
    noteReachable(refused.scope !== 'server', refused.reply);
    const retryAt = retryAtOf(mail, refused, clock());
    const attempts = mail.attempts + 1;
    await store.transaction((tx) => mailFailed(tx, mail.id, { attempts, error: refused.reply, retryAt }));
    const facts = { tenantId: mail.tenantId, mail: mail.id, name: mail.name, reply: refused.reply };
    if (retryAt === null) log().warn({ ...facts, attempts }, 'a mail was given up');
    else if (refused.scope !== 'server' && attempts === 1) log().warn(facts, 'a mail was refused and waits');
    return refused.scope !== 'server';
  };

  return { send: sendOne, markSent };

  async function hand(mail: WaitingMail): Promise<MailRefused | null> {
    const opened = open(mail, vault);
    if (opened === null) return new MailRefused('mailbox', 'unreadable');
    try {
      await transport.send(opened);
      return null;
    } catch (error) {
      // Anything but a refusal is a bug or a full disk, and no reason to lose the mail.
      return error instanceof MailRefused ? error : new MailRefused('server', codeOf(error));
    }
  }
}

function open({ id, tenantId, message, createdAt }: WaitingMail, vault: Vault): OutgoingMail | null {
  try {
    const composed = JSON.parse(vault.decrypt(message, tenantId).toString()) as ComposedMail;
    return { ...composed, id, tenantId, queuedAt: createdAt };
  } catch {
    // Of another key, or damaged: it must not keep the others from leaving.
    return null;
  }
}

/** When a mail is tried again; the last time is when its time is over. null gives it up. */
function retryAtOf(mail: WaitingMail, { scope }: MailRefused, now: number): number | null {
  const lastAt = mail.createdAt + mailRetry.giveUpAfter;
  if (scope === 'mailbox' || now >= lastAt) return null;
  const wait = Math.min(mailRetry.firstWait * 2 ** mail.attempts, mailRetry.longestWait);
  return Math.min(now + wait, lastAt);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unexpected';
}
