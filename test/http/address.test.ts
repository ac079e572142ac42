import { describe, expect, it } from 'vitest';
import { addressKey, addressRanges, bareAddress, comesFromThisMachine } from '../../src/http/address.ts';

describe('what a limiter counts as one address', () => {
  it.each(['203.0.113.7', '127.0.0.1', '0.0.0.0'])('an IPv4 address is itself: %s', (ip) => {
    expect(addressKey(ip)).toBe(ip);
  });

  it.each(['::ffff:203.0.113.7', '::FFFF:203.0.113.7', '::ffff:cb00:7107', '0:0:0:0:0:ffff:203.0.113.7'])(
    'an IPv4 address in IPv6 clothes is the IPv4 address: %s',
    (ip) => expect(addressKey(ip)).toBe('203.0.113.7'),
  );

  it.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['2001:db8:1:2::', '2001:db8:1:2::1'],
    ['2001:db8::1', '2001:db8::2:0:0:1'],
    ['2001:db8::1', '2001:db8:0:0:1:2:3:4'],
    ['2001:db8::1', '2001:DB8:0000:0::9'],
    ['2001:db8:0:7::1', '2001:db8::7:1:2:3:4'],
    ['2001:db8:1:2::1', '2001:0db8:0001:0002:0:0:0:1'],
    ['fe80::1', 'fe80::2%eth0'],
    ['64:ff9b::203.0.113.7', '64:ff9b::198.51.100.1'],
    ['::1', '::2'],
  ])('the /64 of an IPv6 address is one, however it is written: %s and %s', (one, other) => {
    expect(addressKey(one)).toBe(addressKey(other));
    expect(addressKey(one)).toMatch(/::\/64$/);
  });

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['2001:db8:0:1::1', '2001:db8::1'],
    ['2001:db8::1', '2001:db9::1'],
    ['1::', '::1'],
    ['::ffff:203.0.113.7', '::ffff:203.0.113.8'],
    ['203.0.113.7', '203.0.113.70'],
  ])('two networks are two: %s and %s', (one, other) => {
    expect(addressKey(one)).not.toBe(addressKey(other));
  });

  it.each(['', 'unknown', '::ffff:999.0.0.1', 'a.test', '203.0.113.7:80'])(
    'what is no address is itself, and no error: "%s"',
    (ip) => expect(addressKey(ip)).toBe(ip),
  );
});

describe('the address that a proxy tells', () => {
  it.each([
    ['203.0.113.6', '203.0.113.6'],
    ['203.0.113.6:40001', '203.0.113.6'],
    ['[2001:db8::1]:40001', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6'],
    ['::1', '::1'],
    ['::ffff:203.0.113.6', '::ffff:203.0.113.6'],
    [`fe80::1%${'x'.repeat(3_000)}`, 'fe80::1'],
  ])('Defaults: is without port, brackets and zone: %s is %s', (told, address) => {
    expect(bareAddress(told)).toBe(address);
  });

  it.each([
    '',
    'unknown',
    '_hidden',
    'x'.repeat(3_000),
    '203.0.113.6:',
    '203.0.113.6:400010',
    '203.0.113.6:1:2',
    '[2001:db8::1',
    '[]:1',
    'a.test:80',
  ])('Defaults: is none, if it is no IP address: "%s"', (told) => expect(bareAddress(told)).toBeNull());
});

describe('where the addresses stand that count as one', () => {
  const stands = (ip: string, other: string) =>
    addressRanges(ip).some(({ from, to }) => from <= other && other <= to);

  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7', '::ffff:203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['2001:db8:1:0:3:4:5:6', '2001:db8:1::6'],
    ['2001:db8:1::6', '2001:db8:1:0:3:4:5:6'],
    ['2001:db8::1', '2001:db8::3:4:5:6'],
    ['2001:db8::3:4:5:6', '2001:db8:0:0:1::'],
  ])('F8: %s finds %s', (ip, other) => expect(stands(ip, other)).toBe(true));

  it.each([
    ['203.0.113.7', '203.0.113.70'],
    ['203.0.113.70', '203.0.113.7'],
    ['203.0.113.7', ''],
    ['2001:db8:1:2::1', '2001:db8:1:20::1'],
    ['2001:db8:1:2::1', '2001:db8:1::2'],
    ['2001:db8:1::6', '2001:db8:1:1::6'],
    ['2001:db8::1', '2001:db8:1::1'],
    ['2001:db8::1', ''],
  ])('F8: %s does not find %s', (ip, other) => expect(stands(ip, other)).toBe(false));
});

describe('a request from this machine', () => {
  const from = (remoteAddress: string | undefined, headers: object = {}) =>
    comesFromThisMachine({ raw: { socket: { remoteAddress } }, headers } as never);

  it.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])('comes over loopback: %s', (address) => {
    expect(from(address)).toBe(true);
  });

  it.each([
    '192.0.2.7',
    '10.0.0.1',
    '::ffff:10.0.0.1',
    '::',
    '0.0.0.0',
    '::127.0.0.1',
    '1127.0.0.1',
    '::11',
    '2001:db8::1',
    'fe80::1%lo',
    '',
    undefined,
  ])('RR6: does not come from %s', (address) => {
    expect(from(address)).toBe(false);
  });

  it('RR6: comes through no proxy, whatever that says', () => {
    for (const header of ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']) {
      expect(from('127.0.0.1', { [header]: '127.0.0.1' }), header).toBe(false);
    }
  });

  it.each(['x-forwarded-port', 'x-original-host', 'x-client-ip', 'cf-connecting-ip', 'tailscale-user-login'])(
    'RR71: comes through no tunnel, which may say %s alone',
    (header) => expect(from('127.0.0.1', { [header]: '1' })).toBe(false),
  );

  it('RR71: may have headers of its program', () => {
    const headers = { 'x-request-id': '1', 'x-requested-with': 'fetch', 'cache-control': 'no-store' };
    expect(from('127.0.0.1', headers)).toBe(true);
  });
});
