// Sends mails by SMTP, or puts them into the outbox in development.
import type { SendMailOptions } from 'nodemailer';
import { smtpTimeout } from '../../core/members/limits.ts';
import type { ComposedMail } from './mail.ts';
import type { MailPicture } from './mail-look.ts';
import { type Outbox, outboxName } from './outbox.ts';

/** A mail that leaves the queue. */
export interface OutgoingMail extends ComposedMail {
  readonly id: number;
  readonly tenantId: string;
  readonly queuedAt: number;
}

/** Where mails go. */
export interface MailTransport {
  /** Resolves once the other side has taken the mail over. @throws MailRefused */
  send(mail: OutgoingMail): Promise<void>;
}

/**
 * What kept a mail from being taken: the server as a whole, something about this mail, or that no such mailbox
 * exists, which no second try changes.
 */
export type RefusedScope = 'server' | 'mail' | 'mailbox';

/** A mail was not taken. It holds codes alone: what servers say repeats addresses and more. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
  readonly scope: RefusedScope;
  /** The error's code and the server's reply code, such as `EENVELOPE 451`. */
  readonly reply: string;

  constructor(scope: RefusedScope, reply: string) {
    super(`the mail was not taken: ${reply}`);
    this.scope = scope;
    this.reply = reply;
  }
}

/** How mails are sent by SMTP. */
export interface SmtpSettings {
  /** `smtp://` or `smtps://`, with the name and the password that the server asks for. */
  readonly url: string;
  /** The address that mails come from. */
  readonly from: string;
}

/** Loaded with the first mail: it takes a tenth of the time that a start takes. */
const nodemailer = () => import('nodemailer');

/** How to reach a mail server by its address. */
async function connectionTo(url: string) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const secure = protocol === 'smtps:';
  const { createTransport } = await nodemailer();
  return createTransport({
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    // A password never crosses a network in clear.
    requireTLS: username !== '' && !isLoopback(host),
    ...(username === ''
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: smtpTimeout.connect,
    dnsTimeout: smtpTimeout.connect,
    greetingTimeout: smtpTimeout.greeting,
    socketTimeout: smtpTimeout.silence,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/**
 * Reaches a mail server, and signs in where it has a name and a password, without sending anything.
 *
 * @returns null if it is ready to take mails, else why not, such as `EAUTH 535`
 */
export async function checkMailServer({ url }: Pick<SmtpSettings, 'url'>): Promise<string | null> {
  try {
    await (await connectionTo(url)).verify();
    return null;
  } catch (error) {
    return refused(error).reply;
  }
}

/** Hands mails to a mail server, one connection each. */
export function smtpTransport({ url, from }: SmtpSettings): MailTransport {
  return {
    send: async (mail) => {
      if (!isOneAddress(mail.to)) throw new MailRefused('mailbox', 'no address');
      try {
        await (await connectionTo(url)).sendMail(messageOf(mail, from));
      } catch (error) {
        throw refused(error);
      }
    },
  };
}

/** Puts each mail into the outbox: the development start sends nothing. */
export function outboxTransport(outbox: Outbox, from: string): MailTransport {
  return {
    send: async (mail) => {
      const { createTransport } = await nodemailer();
      const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
      const { message } = await transport.sendMail(messageOf(mail, from));
      await outbox.write(outboxName(`${mail.queuedAt}-${mail.id}`, mail.tenantId), message as Buffer);
    },
  };
}

function messageOf(mail: OutgoingMail, from: string): SendMailOptions {
  return {
    from: { name: mail.fromName, address: from },
    to: { name: '', address: mail.to },
    envelope: { from, to: [mail.to] },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    // A mail that an older version queued has no `logo`.
    attachments: [mail.logo ?? []].flat().map(attached),
    date: new Date(mail.queuedAt),
    // The same at each try, so that a recipient who gets a mail twice can tell.
    messageId: `<${mail.queuedAt}.${mail.id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    headers: {
      // Keeps absence notes from answering this (RFC 3834 §5).
      'auto-submitted': 'auto-generated',
      'content-language': mail.language,
    },
  };
}

/** A picture of the mail itself, which programs do not list as a file. */
const attached = ({ id, type, base64 }: MailPicture) => ({
  cid: id,
  filename: 'logo.png',
  contentType: type,
  contentDisposition: 'inline' as const,
  content: Buffer.from(base64, 'base64'),
});

/** One address and nothing else: what nodemailer takes apart could be a list, or hold the end of a line. */
function isOneAddress(text: string): boolean {
  return /^[^\s\p{Cc}@<>",;:()[\]\\]+@[^\s\p{Cc}@<>",;:()\\]+$/u.test(text);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

interface SmtpError {
  readonly code?: unknown;
  /** Where no server was reached: what the system or TLS calls it, such as `ECONNREFUSED`. */
  readonly originalCode?: unknown;
  readonly responseCode?: unknown;
  readonly response?: unknown;
}

function refused(error: unknown): MailRefused {
  const { code, originalCode, responseCode, response } = (error instanceof Error ? error : {}) as SmtpError;
  const why = code === 'ESOCKET' ? originalCode : undefined;
  const reply = [code, why, responseCode].filter((part) => part !== undefined).join(' ') || 'no reply';
  return new MailRefused(scopeOf(code, responseCode, response), reply);
}

/** RFC 5321 §4.2.1 for the reply codes; RFC 3463 §3.2 for those that say that there is no such mailbox. */
function scopeOf(code: unknown, responseCode: unknown, response: unknown): RefusedScope {
  if (typeof response === 'string' && /^5\d\d[ -]5\.1\.(?:1|2|3|6|10)\b/.test(response)) return 'mailbox';
  const isAboutMail = (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== 421;
  return isAboutMail ? 'mail' : 'server';
}
