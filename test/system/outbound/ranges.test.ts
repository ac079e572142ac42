import { describe, expect, it } from 'vitest';
import { mayDial } from '../../../src/system/outbound/ranges.ts';

describe('an address that is dialled', () => {
  it.each([
    '1.1.1.1',
    '93.184.215.14',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450:4001::200e',
  ])('is %s', (address) => expect(mayDial(address, false)).toBe(true));

  const inside = [
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['link-local, and of clouds', '169.254.169.254'],
    ['of protocols', '192.0.0.1'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['6to4 relays', '192.88.99.1'],
    ['benchmarks', '198.18.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['IPv4-compatible', '::7f00:1'],
    ['IPv4-mapped', '::ffff:93.184.215.14'],
    ['IPv4-mapped', '::ffff:7f00:1'],
    ['IPv4-translated', '::ffff:0:7f00:1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['local NAT64', '64:ff9b:1::7f00:1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['benchmarks', '2001:2::1'],
    ['ORCHID', '2001:20::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['6to4', '2002:7f00:1::1'],
    ['discard-only', '100::1'],
    ['segment routing', '5f00::1'],
    ['unique local', 'fc00::1'],
    ['unique local, and of clouds', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['no address', 'rp.example'],
    ['no address', ''],
  ] as const;
  const loopback = [
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.0.1'],
    ['loopback', '::1'],
  ] as const;

  it.each([...inside, ...loopback])('O1: is none that is %s: %s', (_kind, address) =>
    expect(mayDial(address, false)).toBe(false),
  );

  it.each(['127.0.0.1', '127.0.0.2', '::1'])('is %s for a development tenant', (address) => {
    expect(mayDial(address, true)).toBe(true);
  });

  it.each(inside)('O1: is none that is %s for a development tenant either: %s', (_kind, address) => {
    expect(mayDial(address, true)).toBe(false);
  });
});
