import { describe, expect, it } from 'vitest';
import { readOutboundUrl } from '../../../../src/core/oidc/client/outbound-url.ts';

describe('an address that we may call', () => {
  it.each([
    'https://rp.example',
    'https://rp.example:8443/logout?kind=a',
    'https://RP.example:443/logout',
    'https://203.0.113.7/logout',
    'https://[2001:db8::7]/logout',
  ])('is %s', (url) => expect(readOutboundUrl(url, false)?.href).toBe(new URL(url).href));

  it.each([
    ['http, outside development', 'http://rp.example/'],
    ['http on loopback, outside development', 'http://127.0.0.1/'],
    ['another scheme', 'ftp://rp.example/'],
    ['no host', 'https:rp.example/'],
    ['an empty host', 'https:///rp.example/'],
    ['user info', 'https://rp.example@127.0.0.1/'],
    ['empty user info', 'https://@rp.example/'],
    ['a fragment', 'https://rp.example/#logout'],
    ['a backslash', 'https://rp.example\\@127.0.0.1/'],
    ['a dot behind the name', 'https://rp.example./'],
    ['one number', 'https://2130706433/'],
    ['numbers in hex', 'https://0x7f.0.0.1/'],
    ['numbers in octal', 'https://0177.0.0.1/'],
    ['two numbers', 'https://127.1/'],
    ['full-width digits', 'https://１２７.0.0.1/'],
    ['escapes in the host', 'https://%31%32%37.0.0.1/'],
    ['a long form of ::1', 'https://[0:0:0:0:0:0:0:1]/'],
    ['an IPv4 address in IPv6', 'https://[::ffff:127.0.0.1]/'],
    ['a zone', 'https://[fe80::1%25eth0]/'],
    ['a line break', 'https://rp.example/\r\nhost: 127.0.0.1'],
    ['a tab inside the scheme', 'ht\ttps://rp.example/'],
    ['a space before it', ' https://rp.example/'],
    ['port 0', 'https://rp.example:0/'],
    ['more than 2,048 characters', `https://rp.example/${'a'.repeat(2_048)}`],
  ])('O2: is none with %s', (_what, url) => expect(readOutboundUrl(url, false)).toBeNull());

  it.each(['http://localhost:9876/a', 'http://127.0.0.1:9876/a', 'http://[::1]:9876/a'])(
    'is %s for a development tenant',
    (url) => expect(readOutboundUrl(url, true)?.href).toBe(url),
  );

  it.each([
    'http://rp.example/',
    'http://10.0.0.1/',
    'http://localhost.example/',
    'http://127.0.0.1.example/',
  ])('O2: is not %s for a development tenant either', (url) => expect(readOutboundUrl(url, true)).toBeNull());
});
