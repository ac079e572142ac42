// Ranges of IP addresses: how they are written, which addresses are in them, and which may be named.
import { type Problem, problem } from '../problem.ts';
import { widestNetwork } from './limits.ts';

/** An IP address as a number. One of IPv4 that is written as IPv6 (::ffff:192.0.2.1) is one of IPv4. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** All addresses that begin with the same bits (RFC 4632, RFC 4291 §2.3). */
export interface Network extends IpAddress {
  /** How many bits those are. */
  readonly prefix: number;
}

const bitsOf = { 4: 32, 6: 128 } as const;

/** What stands before the 32 bits of an address of IPv4 that is written as IPv6 (RFC 4291 §2.5.5.2). */
const mapped = { bits: 96, value: 0xffffn } as const;

/** The longest text that is read: eight groups, the last two perhaps as IPv4, and a prefix. */
const longestText = 49;

/** Reads an IP address without a zone, a port or brackets; null if it is none. */
export function parseAddress(text: string): IpAddress | null {
  if (text.length > longestText) return null;
  const ipv4 = parseIpv4(text);
  if (ipv4 !== null) return { family: 4, value: ipv4 };
  const ipv6 = parseIpv6(text);
  if (ipv6 === null) return null;
  return ipv6 >> 32n === mapped.value
    ? { family: 4, value: ipv6 & 0xffff_ffffn }
    : { family: 6, value: ipv6 };
}

/** Reads a range, or one address alone; null if it is neither. It need not begin where the range begins. */
export function parseNetwork(text: string): Network | null {
  const [written = '', bits, ...rest] = text.split('/');
  const address = parseAddress(written);
  if (address === null || rest.length > 0) return null;
  const most = bitsOf[address.family];
  if (bits === undefined) return { ...address, prefix: most };
  if (!/^(?:0|[1-9]\d{0,2})$/.test(bits)) return null;
  const isMapped = address.family === 4 && written.includes(':');
  const prefix = Number(bits) - (isMapped ? mapped.bits : 0);
  if (prefix < 0 && isMapped)
    return beginningOf({ family: 6, value: mapped.value << 32n, prefix: Number(bits) });
  return prefix > most ? null : { ...address, prefix };
}

/** Whether an address is in a range. */
export function isWithin(address: IpAddress, network: Network): boolean {
  if (address.family !== network.family) return false;
  const rest = BigInt(bitsOf[network.family] - network.prefix);
  return address.value >> rest === network.value >> rest;
}

/** Whether two ranges have an address in common: then one of them is a part of the other. */
function overlap(one: Network, other: Network): boolean {
  return one.prefix < other.prefix ? isWithin(other, one) : isWithin(one, other);
}

/**
 * Every range that has an address in it and may be named, as it is kept: by these the one that was named is found among
 * any number of others.
 */
export function networksAround(address: IpAddress): readonly string[] {
  const { [address.family]: widest } = widestNetwork;
  const count = bitsOf[address.family] - widest + 1;
  return Array.from({ length: count }, (_, more) => networkText({ ...address, prefix: widest + more }));
}

/** A range as people write it: one address stands for itself. */
export const shownNetwork = (network: Network): string =>
  network.prefix === bitsOf[network.family] ? addressText(network) : networkText(network);

/** An address as people write it. */
export const addressText = ({ family, value }: IpAddress): string =>
  family === 4 ? ipv4Text(value) : ipv6Text(value);

/** A range as it is kept and shown: from its first address, in the form of RFC 5952. */
export function networkText(network: Network): string {
  return `${addressText(beginningOf(network))}/${network.prefix}`;
}

/** Ranges as they are kept: what is no range is left out, which `networkProblems` has told of. */
export function canonicalNetworks(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => {
    const network = parseNetwork(text);
    return network === null ? [] : [networkText(network)];
  });
}

/**
 * Everything that is wrong with ranges whose addresses are let in; empty if nothing is.
 *
 * @param development whether a development tenant names them: then they may be those of one's own network too
 */
export function networkProblems(texts: readonly string[], development: boolean): readonly Problem[] {
  const twice = new Set(canonicalNetworks(texts)).size < canonicalNetworks(texts).length;
  return [
    ...texts.flatMap((text, index) => problemOf(text, index, development)),
    ...(twice ? [problem([], 'duplicate')] : []),
  ];
}

function problemOf(text: string, index: number, development: boolean): readonly Problem[] {
  const network = parseNetwork(text);
  if (network === null) return [problem([index], 'not_a_network')];
  const widest = widestNetwork[network.family];
  if (network.prefix < widest) return [problem([index], 'network_too_wide', { widest })];
  // An operator who writes more bits than the range begins with may have meant that one address.
  if (beginningOf(network).value !== network.value) {
    return [problem([index], 'network_begins_elsewhere', { network: networkText(network) })];
  }
  return development || isPublic(network) ? [] : [problem([index], 'network_not_public')];
}

/** Whether every address of a range is one of the public internet. */
function isPublic(network: Network): boolean {
  const special = notPublic[network.family].map(soundNetwork);
  if (special.some((one) => overlap(one, network))) return false;
  return network.family === 4 || isWithin(network, soundNetwork(globalUnicast));
}

/** The one block of IPv6 that is given to hosts (RFC 4291 §2.4): IPv4-mapped and NAT64 addresses stand outside of it. */
export const globalUnicast = '2000::/3';

/**
 * Blocks that are no host on the internet (RFC 6890, and IANA's registries of special-purpose addresses). Those of IPv6
 * stand inside that block: they are kept for protocols (Teredo is among them), for documents, and for 6to4, which leads
 * on to an IPv4 address.
 */
export const notPublic: Readonly<Record<4 | 6, readonly string[]>> = {
  4: [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.31.196.0/24',
    '192.52.193.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '192.175.48.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ],
  6: ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'],
};

/** A range that is kept, or that we wrote ourselves. @throws Error if it is none */
export function soundNetwork(text: string): Network {
  const network = parseNetwork(text);
  if (network === null) throw new Error(`${text} is no range of addresses`);
  return network;
}

function beginningOf({ family, value, prefix }: Network): Network {
  const rest = BigInt(bitsOf[family] - prefix);
  return { family, value: (value >> rest) << rest, prefix };
}

/** Four numbers, none with a zero before it: some read those as octal. */
function parseIpv4(text: string): bigint | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))) return null;
  const numbers = parts.map(Number);
  if (numbers.some((number) => number > 255)) return null;
  return joined(numbers, 8n);
}

/** Eight groups: `::` stands for some that are 0, and the last two may be written as IPv4 (RFC 4291 §2.2). */
function parseIpv6(text: string): bigint | null {
  const [before = '', after, ...rest] = text.split('::');
  if (rest.length > 0) return null;
  const head = groupsOf(before);
  const tail = groupsOf(after ?? '');
  if (head === null || tail === null || (after !== undefined && before.includes('.'))) return null;
  const missing = 8 - head.length - tail.length;
  if (after === undefined ? missing !== 0 : missing < 1) return null;
  return joined([...head, ...Array<number>(missing).fill(0), ...tail], 16n);
}

function groupsOf(text: string): readonly number[] | null {
  if (text === '') return [];
  const parts = text.split(':');
  const last = parseIpv4(parts.at(-1) ?? '');
  const plain = last === null ? parts : parts.slice(0, -1);
  if (!plain.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return null;
  const groups = plain.map((part) => Number.parseInt(part, 16));
  return last === null ? groups : [...groups, Number(last >> 16n), Number(last & 0xffffn)];
}

const joined = (numbers: readonly number[], bits: bigint) =>
  numbers.reduce((all, number) => (all << bits) | BigInt(number), 0n);

function cut(value: bigint, count: number, bits: bigint): readonly number[] {
  const mask = (1n << bits) - 1n;
  return Array.from({ length: count }, (_, index) =>
    Number((value >> (bits * BigInt(count - 1 - index))) & mask),
  );
}

const ipv4Text = (value: bigint) => cut(value, 4, 8n).join('.');

/** Small letters, and `::` for the longest run of zeros, the first of two as long (RFC 5952 §4). */
function ipv6Text(value: bigint): string {
  const groups = cut(value, 8, 16n);
  let run = { at: -1, length: 1 };
  for (const at of groups.keys()) {
    const end = groups.findIndex((group, index) => index >= at && group !== 0);
    const length = (end === -1 ? groups.length : end) - at;
    if (length > run.length) run = { at, length };
  }
  const hex = groups.map((group) => group.toString(16));
  if (run.at === -1) return hex.join(':');
  return `${hex.slice(0, run.at).join(':')}::${hex.slice(run.at + run.length).join(':')}`;
}
