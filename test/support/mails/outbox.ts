import {
  MailRefused,
  type MailTransport,
  type OutgoingMail,
  outboxTransport,
  type RefusedScope,
} from '../../../src/operations/mail/mail-transport.ts';
import type { Outbox } from '../../../src/operations/mail/outbox.ts';

/** A mail server in memory. */
export interface TestOutbox {
  /** Every mail that was taken, oldest first. */
  readonly sent: readonly OutgoingMail[];
  /** The newest mail to an address. @throws if there is none */
  last(to: string): OutgoingMail;
  /** Refuses every mail from now on, as the mail server does; null takes them again. */
  refuse(reply: string | null, scope?: RefusedScope): void;
  /** How often a mail was offered, taken or not. */
  readonly offered: number;
  /** @param development where mails are put too, as in development; null for nowhere */
  transport(development: Outbox | null): MailTransport;
}

export function testOutbox(): TestOutbox {
  const sent: OutgoingMail[] = [];
  let refusal: MailRefused | null = null;
  let offered = 0;
  return {
    sent,
    get offered() {
      return offered;
    },
    last(to) {
      const mail = sent.findLast((candidate) => candidate.to === to);
      if (mail === undefined) throw new Error(`no mail to ${to}`);
      return mail;
    },
    refuse(reply, scope = 'server') {
      refusal = reply === null ? null : new MailRefused(scope, reply);
    },
    transport(development) {
      const files = development === null ? null : outboxTransport(development, 'memberdoor@localhost');
      return {
        send: async (mail) => {
          offered += 1;
          if (refusal !== null) throw refusal;
          await files?.send(mail);
          sent.push(mail);
        },
      };
    },
  };
}

/** The address on a line of its own in a mail's text: where its button leads. */
export function linkIn({ text }: Pick<OutgoingMail, 'text'>): string {
  return lineOf(text, /^https?:\/\/\S+$/m, 'link');
}

/** The six digits on a line of their own in a mail's text. */
export function codeIn({ text }: Pick<OutgoingMail, 'text'>): string {
  return lineOf(text, /^\d{3}\s\d{3}$/m, 'code').replace(/\s/, ' ');
}

function lineOf(text: string, pattern: RegExp, what: string): string {
  const found = pattern.exec(text)?.[0];
  if (found === undefined) throw new Error(`the mail has no ${what}`);
  return found;
}
