// Where the audit is streamed to, for those who collect such lines.
import type { AuditEvent } from './audit-event.ts';

/** A file that lines are added to, or a receiver of syslog over TCP. */
export type AuditStream =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'syslog'; readonly host: string; readonly port: number };

/** Reads the setting; null where it is neither. */
export function readAuditStream(text: string): AuditStream | null {
  const [, host, port] = /^syslog:\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):(\d{1,5})$/.exec(text) ?? [];
  if (host !== undefined) {
    const number = Number(port);
    const name = host.replace(/^\[(.*)\]$/, '$1');
    return number >= 1 && number <= 65_535 ? { kind: 'syslog', host: name, port: number } : null;
  }
  return text.startsWith('/') && !text.includes('\0') ? { kind: 'file', path: text } : null;
}

/** An event as its line has it. Of what changed it names the fields alone: what was streamed is never erased. */
export function streamedEvent({ changes, at, ...event }: AuditEvent & { readonly id: number }): string {
  const changed = changes === undefined ? {} : { changed: changes.map(({ field }) => field) };
  return JSON.stringify({ ...event, at: new Date(at).toISOString(), ...changed });
}

/** The same as a message of syslog: facility 13, which is the audit's; notice, or warning of a refusal (RFC 5424 §6; RFC 6587 §3.4.1). */
export function syslogMessage(event: AuditEvent & { readonly id: number }, host: string): string {
  const priority = 13 * 8 + (event.result === 'refused' ? 4 : 5);
  const head = `<${priority}>1 ${new Date(event.at).toISOString()} ${host} memberdoor - ${event.event}`;
  const message = `${head} - ${streamedEvent(event)}`;
  return `${Buffer.byteLength(message)} ${message}`;
}
