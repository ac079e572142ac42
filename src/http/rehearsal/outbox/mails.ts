// Reads the mails that development put into the outbox.
import type { Email } from 'postal-mime';
import { outboxSearched, outboxShown } from '../../../core/members/limits.ts';
import { type Outbox, outboxName } from '../../../operations/mail/outbox.ts';

/** Where the mails of a tenant are. */
export interface OutboxOfTenant {
  readonly outbox: Outbox;
  readonly tenantId: string;
}

/** A mail that was written, as a page shows it. */
export interface WrittenMail {
  readonly id: string;
  readonly subject: string;
  readonly to: string;
  /** ms */
  readonly sentAt: number;
  readonly text: string;
  /** As its reader's program shows it: without script, its pictures in it. */
  readonly html: string;
  /** The tag of its language. */
  readonly language: string | undefined;
  /** What it brings on lines of their own: six digits, and where its button leads. */
  readonly code: string | null;
  readonly link: string | null;
}

/** Nothing but what we name files by: an id never leads out of the folder. */
const isId = (text: string) => /^\d{1,16}-\d{1,16}$/.test(text);

/**
 * The newest mails, newest first.
 *
 * @param sought a part of the address or the subject; of how many of them it is looked for is bounded
 */
export async function listMails(outbox: OutboxOfTenant, sought: string): Promise<readonly WrittenMail[]> {
  const ids = await newestIds(outbox);
  const word = sought.trim().toLowerCase();
  const found: WrittenMail[] = [];
  for (let at = 0; at < ids.length && found.length < outboxShown; at += outboxShown) {
    const mails = await Promise.all(ids.slice(at, at + outboxShown).map((id) => readMail(outbox, id)));
    const isMeant = (mail: WrittenMail | null) =>
      mail !== null && `${mail.to} ${mail.subject}`.toLowerCase().includes(word);
    found.push(...mails.filter(isMeant).filter((mail) => mail !== null));
  }
  return found.slice(0, outboxShown);
}

async function newestIds({ outbox, tenantId }: OutboxOfTenant): Promise<readonly string[]> {
  const ending = outboxName('', tenantId);
  return (await outbox.names())
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .filter(isId)
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .slice(0, outboxSearched);
}

/** @returns null where there is no such mail */
export async function readMail(
  { outbox, tenantId }: OutboxOfTenant,
  id: string,
): Promise<WrittenMail | null> {
  if (!isId(id)) return null;
  const file = await outbox.read(outboxName(id, tenantId));
  if (file === null) return null;
  // What reads mails is for development alone.
  const { default: PostalMime } = await import('postal-mime');
  return writtenMail(id, await PostalMime.parse(file, { attachmentEncoding: 'base64' }));
}

function writtenMail(id: string, mail: Email): WrittenMail {
  const text = mail.text?.trim().replaceAll('\r\n', '\n') ?? '';
  return {
    id,
    subject: mail.subject ?? '',
    to: mail.to?.[0]?.address ?? '',
    sentAt: new Date(mail.date ?? 0).getTime(),
    text,
    html: withPictures(mail),
    language: mail.headers.find(({ key }) => key === 'content-language')?.value,
    code: /^\d{3}\s\d{3}$/m.exec(text)?.[0].replace(/\s/, ' ') ?? null,
    link: /^https?:\/\/\S+$/m.exec(text)?.[0] ?? null,
  };
}

/** Programs show the pictures that a mail brings along; a browser shows those that stand in the text (RFC 2392). */
function withPictures({ html = '', attachments }: Email): string {
  return attachments.reduce((text, { contentId, mimeType, content }) => {
    const address = `cid:${contentId?.replace(/^<|>$/g, '')}`;
    return text.replaceAll(address, `data:${mimeType};base64,${content}`);
  }, html);
}
