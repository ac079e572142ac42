import { isIPv6 } from 'node:net';

/** A value that an MMDB file can hold, as far as places need it. */
export type MmdbValue = string | number | readonly MmdbValue[] | { readonly [key: string]: MmdbValue };

/** Bytes of one record: half a node. */
const recordBytes = 3;

/**
 * Writes a database of networks in the format of MaxMind (MaxMind DB File Format Specification 2.0): a binary
 * search tree over the bits of an address, the data it leads to, and the metadata.
 *
 * @param networks from a network such as `203.0.113.0/24` to what is known of it
 * @param ipVersion 6 holds both kinds, IPv4 below `::/96`; 4 holds IPv4 alone
 */
export function writeMmdb(networks: Readonly<Record<string, MmdbValue>>, ipVersion: 4 | 6 = 6): Buffer {
  // Each node has a record for the bit 0 and one for 1: a further node, or the offset of data, or nothing.
  type Record = { node: number } | { data: number } | null;
  const nodes: [Record, Record][] = [[null, null]];
  const data: Buffer[] = [];
  for (const [network, value] of Object.entries(networks)) {
    const bits = bitsOf(network, ipVersion);
    const offset = Buffer.concat(data).length;
    data.push(encode(value));
    let at = 0;
    for (const [depth, bit] of bits.entries()) {
      const node = nodes[at];
      if (node === undefined) throw new Error('a node is missing');
      if (depth === bits.length - 1) {
        node[bit] = { data: offset };
        break;
      }
      const next = node[bit];
      if (next !== null && 'node' in next) {
        at = next.node;
      } else {
        at = nodes.push([null, null]) - 1;
        node[bit] = { node: at };
      }
    }
  }
  const tree = Buffer.alloc(nodes.length * 2 * recordBytes);
  nodes.flat().forEach((record, index) => {
    tree.writeUIntBE(numberOf(record), index * recordBytes, recordBytes);
  });
  function numberOf(record: Record): number {
    if (record === null) return nodes.length;
    return 'node' in record ? record.node : nodes.length + 16 + record.data;
  }
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_767_225_600,
    database_type: 'Test-City',
    description: { en: 'Places for tests' },
    ip_version: ipVersion,
    languages: ['en'],
    node_count: nodes.length,
    record_size: recordBytes * 8,
  });
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, metadata]);
}

/** The bits of a network's prefix, from the root of the tree. */
function bitsOf(network: string, ipVersion: 4 | 6): readonly (0 | 1)[] {
  const [address = '', length = ''] = network.split('/');
  const bytes = isIPv6(address) ? bytesOfIpv6(address) : address.split('.').map(Number);
  const bits = bytes
    .flatMap((byte) => [...byte.toString(2).padStart(8, '0')])
    .slice(0, Number(length))
    .map((bit) => (bit === '1' ? 1 : 0));
  const isBelow = ipVersion === 6 && bytes.length === 4;
  return isBelow ? [...Array<0>(96).fill(0), ...bits] : bits;
}

function bytesOfIpv6(address: string): number[] {
  // URL writes an IPv6 address in its shortest form, without a dotted tail.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

/** Type numbers of the format: text, unsigned 32-bit number, map, list. */
const types = { text: 2, number: 6, map: 7, list: 11 } as const;

function encode(value: MmdbValue): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([control(types.text, text.length), text]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(types.number, 4), bytes]);
  }
  if (isList(value)) {
    return Buffer.concat([control(types.list, value.length), ...value.map(encode)]);
  }
  const entries = Object.entries(value);
  const parts = entries.flatMap(([key, held]) => [encode(key), encode(held)]);
  return Buffer.concat([control(types.map, entries.length), ...parts]);
}

const isList = (value: object): value is readonly MmdbValue[] => Array.isArray(value);

/** The byte or bytes before a value: its type and its size. */
function control(type: number, size: number): Buffer {
  if (size >= 285) throw new Error('a value is too long for this writer');
  const extra = size < 29 ? [] : [size - 29];
  const inByte = Math.min(size, 29);
  // Types above 7 are named by a byte of their own.
  return type <= 7
    ? Buffer.from([(type << 5) | inByte, ...extra])
    : Buffer.from([inByte, type - 7, ...extra]);
}
