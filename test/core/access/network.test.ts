import { BlockList, isIP, SocketAddress } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalNetworks,
  isWithin,
  networkProblems,
  networksAround,
  networkText,
  parseAddress,
  parseNetwork,
} from '../../../src/core/access/network.ts';

const isIn = (address: string, network: string) => {
  const [one, range] = [parseAddress(address), parseNetwork(network)];
  return one !== null && range !== null && isWithin(one, range);
};

const codesOf = (texts: readonly string[], development = false) =>
  networkProblems(texts, development).map(({ path, code }) => [...path, code].join(' '));

const addresses = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.ipV4().map((address) => `::ffff:${address}`),
);

describe('a range of addresses', () => {
  it('is one of those around each of its addresses, where it may be named', () => {
    fc.assert(
      fc.property(addresses, fc.nat(128), (text, bits) => {
        const address = parseAddress(text);
        if (address === null) throw new Error(text);
        const { least, most } = address.family === 4 ? { least: 8, most: 32 } : { least: 19, most: 128 };
        const around = networksAround(address);
        const range = networkText({ ...address, prefix: Math.min(bits, most) });
        expect(around.includes(range)).toBe(Math.min(bits, most) >= least);
        expect(around.every((one) => isIn(text, one))).toBe(true);
      }),
    );
  });

  it('reads the addresses that Node reads, and is written as Node writes them', () => {
    const canonical = (address: string) => {
      const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
      return new SocketAddress({ address, family }).address.replace(/^::ffff:(?=\d+\.)/, '');
    };
    fc.assert(
      fc.property(addresses, (address) => {
        const written = networkText(parseNetwork(address) ?? { family: 4, value: 0n, prefix: 0 });
        // Node writes the last 32 bits of ::1.2.3.4 as IPv4, which RFC 5952 leaves to those that are known to be.
        const [text = ''] = written.split('/');
        expect(parseAddress(text)).toEqual(parseAddress(address));
        if (!/^::\d+\.\d/.test(canonical(address))) expect(text).toBe(canonical(address));
      }),
    );
  });

  it('has the addresses that it has for Node', () => {
    fc.assert(
      fc.property(addresses, addresses, fc.nat(32), fc.boolean(), (base, other, bits, isNear) => {
        const [one, two] = [parseAddress(base), parseAddress(isNear ? base : other)];
        if (one === null || two === null) throw new Error('no address');
        const text = networkText({ ...one, prefix: bits });
        const [from = ''] = text.split('/');
        const family = one.family === 4 ? 'ipv4' : 'ipv6';
        const list = new BlockList();
        list.addSubnet(from, bits, family);
        const [address = ''] = networkText({ ...two, prefix: two.family === 4 ? 32 : 128 }).split('/');
        const isListed = one.family === two.family && list.check(address, family);
        expect(isWithin(two, { ...one, prefix: bits })).toBe(isListed);
      }),
    );
  });

  it.each([
    [
      '',
      '1',
      '1.2.3',
      '1.2.3.4.5',
      '01.2.3.4',
      '1.2.3.256',
      '0x1.2.3.4',
      '1.2.3.4 ',
      ' 1.2.3.4',
      '1.2.3.4\n',
    ],
    ['::1%lo', '[::1]', '1::2::3', ':::', ':1', '1:', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '12345::', 'g::'],
    ['1:2:3:4:5:6:7::8:9', '1.2.3.4::', '::1.2.3.4:5', '1:2:3:4:5:6:7:8::', '::ffff:1.2.3.04', 'localhost'],
    [
      '1.2.3.4/',
      '1.2.3.4/33',
      '1.2.3.4/-1',
      '1.2.3.4/08',
      '1.2.3.4/8/8',
      '1.2.3.4/255.0.0.0',
      '::/129',
      '/8',
    ],
    ['1.2.3.0-1.2.3.9', '1.2.3.*', '::ffff:1.2.3.4/129', '1.2.3.4/8 ', `${'0'.repeat(1_000)}1.2.3.4`],
  ])('is none of %s, %s …', (...texts) => {
    expect(texts.filter((text) => parseNetwork(text) !== null)).toEqual([]);
  });

  it('MC1: an address of IPv4 that is written as IPv6 is that of IPv4', () => {
    expect(canonicalNetworks(['::ffff:8.8.0.0/112', '::FFFF:808:404', '2A00:0:0::/32', '1.1.1.1'])).toEqual([
      '8.8.0.0/16',
      '8.8.4.4/32',
      '2a00::/32',
      '1.1.1.1/32',
    ]);
    expect(isIn('::ffff:8.8.8.8', '8.8.0.0/16')).toBe(true);
    expect(isIn('8.8.8.8', '::ffff:8.8.0.0/112')).toBe(true);
    expect(isIn('::8.8.8.8', '8.8.0.0/16')).toBe(false);
    expect(codesOf(['::ffff:10.0.0.0/104', '::ffff:127.0.0.1', '::ffff:0:0/96', '::ffff:0:0/90'])).toEqual([
      '0 network_not_public',
      '1 network_not_public',
      '2 network_too_wide',
      '3 network_not_public',
    ]);
  });

  it('MC2: everything, half of everything and what is wider than a /8 or a /19 is refused everywhere', () => {
    const wide = ['0.0.0.0/0', '::/0', '128.0.0.0/1', '8.0.0.0/7', '2a00::/18', '8000::/1'];
    for (const development of [false, true]) {
      expect(codesOf(wide, development)).toEqual(wide.map((_, index) => `${index} network_too_wide`));
      expect(codesOf(['8.0.0.0/8', '2a00::/19', '1.1.1.1/32'], development)).toEqual([]);
    }
  });

  it('MC3: private and loopback ranges, and those around them, are for development alone', () => {
    const inside = [
      '10.1.0.0/16',
      '127.0.0.1',
      '192.168.1.0/24',
      '172.0.0.0/11',
      '169.254.169.254',
      '192.0.0.0/8',
    ];
    const inside6 = [
      '::1',
      'fd00::/20',
      'fe80::/64',
      '2001:db8::/40',
      '2002:800::/32',
      '64:ff9b::/96',
      '2001::/20',
    ];
    const all = [...inside, ...inside6];
    expect(codesOf(all)).toEqual(all.map((_, index) => `${index} network_not_public`));
    expect(codesOf(all, true)).toEqual([]);
  });

  it('begins where it begins, and stands once', () => {
    expect(networkProblems(['8.8.8.8/24'], false)).toEqual([
      { path: [0], code: 'network_begins_elsewhere', values: { network: '8.8.8.0/24' } },
    ]);
    expect(codesOf(['8.8.8.0/24', 'x', '::ffff:808:800/120'])).toEqual(['1 not_a_network', 'duplicate']);
  });
});
