// Which addresses of others we call at all, by how they are written.
import { parameterLength } from '../limits.ts';
import { isHostName } from './redirect-uri.ts';

/** A host of a developer's own machine, as `URL` writes it. */
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether an address is http on loopback, as what runs on a developer's own machine has. */
export const isLoopbackHttp = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && loopback.test(hostname);

/**
 * Reads an address that we may be told to call: https, without user info and fragment, its host and port written as
 * they are dialled (decision 48; O2). `2130706433` and `0x7f.1` are spellings of 127.0.0.1 that only serve to mislead;
 * a dot at the end is another spelling of the same name. Where the host leads is looked at when it is dialled.
 *
 * @param development whether a development tenant asks, which may call its own machine by http
 * @returns the address, or null
 */
export function readOutboundUrl(text: string, development: boolean): URL | null {
  if (text.length > parameterLength.other || !/^[!-~]+$/.test(text)) return null;
  if (/[#\\]/.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  const { hostname, host, port } = url;
  const authority = /^https?:\/\/([^/?]+)/i.exec(text)?.[1]?.toLowerCase();
  const isWrittenAsDialled =
    authority === host || authority === `${host}:${url.protocol === 'https:' ? 443 : 80}`;
  if (!isWrittenAsDialled || !isHostName(hostname) || hostname.endsWith('.') || port === '0') return null;
  const isAllowed = url.protocol === 'https:' || (development && isLoopbackHttp(url));
  return isAllowed ? url : null;
}
