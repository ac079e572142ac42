/**
 * Whether a client reads addresses from discovery (contract, "GET /.well-known/openid-configuration"). The room can move
 * the endpoints: their addresses in the document bear a mark then, which only who reads it brings along.
 */
import { metadataCacheSeconds, second } from '../../limits.ts';
import type { Endpoint } from '../endpoint.ts';
import type { WireEntry } from '../wire.ts';
import { broken, type Finding, kept } from './rules.ts';
import { placed, sent } from './sighting.ts';

/** The addresses of a tenant's endpoints, as discovery has them. */
export interface Addresses {
  /** What they bear since they were moved; null where they were not. */
  readonly mark: string | null;
  /** When a document was given last that has them unmoved (ms); null where none was. */
  readonly plainAt: number | null;
}

/** The parameter of an address that has the mark. It stays there, whatever a client adds (RFC 6749 §3.2). */
export const movedName = 'moved';

/** What is moved: what programs ask. */
export const movedEndpoints = {
  device: 'device_authorization_endpoint',
  par: 'pushed_authorization_request_endpoint',
  revocation: 'revocation_endpoint',
  token: 'token_endpoint',
} as const satisfies Partial<Record<Endpoint, string>>;

/** Takes in a document that was read, by whomever. */
export function readAddresses(addresses: Addresses, entry: WireEntry): Addresses {
  const isRead = entry.endpoint === 'discovery' && !entry.lost && entry.answer.status < 400;
  return isRead && addresses.mark === null ? { ...addresses, plainAt: entry.answeredAt } : addresses;
}

export function judgeAddress({ mark, plainAt }: Addresses, entry: WireEntry): readonly Finding[] {
  if (mark === null || !Object.hasOwn(movedEndpoints, entry.endpoint)) return [];
  const { seen } = placed(entry);
  if (sent(entry, movedName) === mark) {
    return [
      kept('discovery', 'Asked at the address that discovery has since the endpoints were moved.', seen),
    ];
  }
  // It may have read the document before they were moved, and may keep it so long (RFC 9111 §4.2).
  const age = plainAt === null ? null : seen.at - plainAt;
  if (age !== null && age <= metadataCacheSeconds * second) return [];
  const says =
    'Asked at an address that discovery no longer has: read it from there, and start a client anew that reads it once.';
  return [broken('discovery', says, seen)];
}
