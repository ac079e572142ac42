import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readReturnAddress } from '../../../src/core/access/checkout.ts';

const origins = ['https://allowed.test', 'https://www.allowed.test:8443', 'https://xn--bcher-kva.test'];
const read = (text: string | undefined) => readReturnAddress(text, origins);

describe('K1: an address of an allowed origin is followed', () => {
  it.each([
    ['https://allowed.test', 'https://allowed.test/'],
    ['https://allowed.test/', 'https://allowed.test/'],
    ['https://allowed.test/done', 'https://allowed.test/done'],
    ['https://allowed.test/done?a=1&b=%20#top', 'https://allowed.test/done?a=1&b=%20#top'],
    ['https://allowed.test?a=1', 'https://allowed.test/?a=1'],
    ['https://allowed.test#top', 'https://allowed.test/#top'],
    ['https://www.allowed.test:8443/x', 'https://www.allowed.test:8443/x'],
    ['https://xn--bcher-kva.test/x', 'https://xn--bcher-kva.test/x'],
    // What looks like another address behind the origin is a path or a query of it.
    ['https://allowed.test//evil.test', 'https://allowed.test//evil.test'],
    ['https://allowed.test/@evil.test', 'https://allowed.test/@evil.test'],
    ['https://allowed.test/..//evil.test', 'https://allowed.test//evil.test'],
    ['https://allowed.test/%2e%2e//evil.test', 'https://allowed.test//evil.test'],
    ['https://allowed.test/?u=https://evil.test', 'https://allowed.test/?u=https://evil.test'],
    ['https://allowed.test/%09%0d%0a', 'https://allowed.test/%09%0d%0a'],
    // Outside ASCII it is written as browsers write it, for a header takes nothing else.
    ['https://allowed.test/søk?q=å', 'https://allowed.test/s%C3%B8k?q=%C3%A5'],
    ['https://allowed.test/<svg>"', 'https://allowed.test/%3Csvg%3E%22'],
  ])('%s', (sent, url) => {
    expect(read(sent)).toEqual({ kind: 'allowed', url });
  });

  it.each([[undefined], ['']])('%j is none', (sent) => {
    expect(read(sent)).toEqual({ kind: 'none' });
  });

  it('up to 2,048 characters', () => {
    const path = (length: number) => `https://allowed.test/${'x'.repeat(length - 21)}`;
    expect(read(path(2_048))).toEqual({ kind: 'allowed', url: path(2_048) });
    expect(read(path(2_049))).toEqual({ kind: 'refused' });
    expect(read(path(1_000_000))).toEqual({ kind: 'refused' });
  });
});

describe('K2: any other address is refused', () => {
  it.each([
    'https://evil.test',
    '//evil.test',
    '/\\evil.test',
    '\\\\evil.test',
    'https:evil.test',
    'https:/evil.test',
    '/..//evil.test',
    '/.//evil.test',
    '/%2e%2e//evil.test',
    '%09//evil.test',
    '\t//evil.test',
    'https://allowed.test@evil.test',
    'https://allowed.test.evil.test',
    'https://evil.test?allowed.test',
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
  ])('%j', (sent) => {
    expect(read(sent)).toEqual({ kind: 'refused' });
  });

  it.each([
    ['user information', 'https://ada@allowed.test/'],
    ['user information with a password', 'https://ada:secret@allowed.test/'],
    ['an empty user', 'https://@allowed.test/'],
    ['the origin as a user with a password', 'https://allowed.test:443@evil.test/'],
    ['the origin as a user, encoded', 'https://allowed.test%2f@evil.test/'],
    ['another port', 'https://allowed.test:8443/'],
    ['the port that goes without saying', 'https://allowed.test:443/'],
    ['an empty port', 'https://allowed.test:/'],
    ['a port that continues', 'https://www.allowed.test:84430/'],
    ['no port where there is one', 'https://www.allowed.test/'],
    ['capital letters in the scheme', 'HTTPS://allowed.test/'],
    ['capital letters in the host', 'https://Allowed.test/'],
    ['a dot behind the host', 'https://allowed.test./'],
    ['a dot behind the host of evil', 'https://allowed.test.evil.test./'],
    ['a host that continues', 'https://allowed.testevil/'],
    ['a host that continues with a hyphen', 'https://allowed.test-evil.test/'],
    ['a host below it', 'https://evil.allowed.test/'],
    ['a host that ends so', 'https://evilallowed.test/'],
    ['an encoded dot in the host', 'https://allowed%2etest/'],
    ['an encoded slash behind the host', 'https://allowed.test%2fevil.test/'],
    ['an encoded NUL behind the host', 'https://allowed.test%00.evil.test/'],
    ['letters of the full width', 'https://ａllowed.test/'],
    ['a dot of the full width', 'https://allowed。test/'],
    ['a slash of the full width', 'https://allowed.test／evil.test/'],
    ['a letter of another alphabet', 'https://\u0430llowed.test/'],
    ['an IDN in its own letters', 'https://bücher.test/'],
    ['an invisible hyphen', 'https://allowed\u00ad.test/'],
    ['an invisible space', 'https://allowed.test\u200b/'],
    ['http', 'http://allowed.test/'],
    ['another scheme', 'ftp://allowed.test/'],
    ['a websocket', 'wss://allowed.test/'],
    ['a blob', 'blob:https://allowed.test/x'],
    ['a view of the source', 'view-source:https://allowed.test/'],
    ['one slash', 'https:/allowed.test/'],
    ['no slash', 'https:allowed.test/'],
    ['three slashes', 'https:///allowed.test/'],
    ['no scheme', '//allowed.test/'],
    ['a path alone', '/done'],
    ['a query alone', '?done'],
    ['a backslash for a slash', 'https://allowed.test\\evil.test'],
    ['a backslash and an at sign', 'https://allowed.test\\@evil.test'],
    ['a backslash in the path', 'https://allowed.test/\\evil.test'],
    ['a tab in the path', 'https://allowed.test/\t/evil.test'],
    ['a tab in the host', 'https://allowed.test\t.evil.test'],
    ['a tab in the scheme', 'java\tscript:alert(1)'],
    ['a line end', 'https://allowed.test/\r\nSet-Cookie: x=1'],
    ['a NUL', 'https://allowed.test/\0'],
    ['a line separator', 'https://allowed.test/\u2028'],
    ['a space before it', ' https://allowed.test/'],
    ['a space behind it', 'https://allowed.test/ '],
    ['a space of no width at its beginning', '\ufeffhttps://allowed.test/'],
    ['half a letter', 'https://allowed.test/\ud800'],
    ['the word for no origin', 'null'],
    ['an address in a list', 'https://allowed.test,https://evil.test'],
    ['a semicolon', 'https://allowed.test;evil.test'],
    ['nothing but a space', ' '],
  ])('%s: %j', (_what, sent) => {
    expect(read(sent)).toEqual({ kind: 'refused' });
  });

  it('whatever is sent, if the tenant allows none', () => {
    for (const sent of ['https://allowed.test/', 'null', '/', 'about:blank']) {
      expect(readReturnAddress(sent, [])).toEqual({ kind: 'refused' });
    }
  });

  it('whatever is sent, by an allowed origin that browsers would write in another way', () => {
    for (const known of ['https://Allowed.test', 'https://allowed.test:443', 'https://ada@allowed.test']) {
      expect(readReturnAddress(`${known}/done`, [known])).toEqual({ kind: 'refused' });
    }
  });

  it('an allowed address has an allowed origin for every parser', () => {
    const piece = fc.constantFrom(
      ...['https:', '//', '/', '\\', 'allowed.test', 'evil.test', '@', ':', ':443', '?', '#', '.', '%2e'],
      ...['%09', '\t', ' ', '\n', '\0', ';', ',', 'x', '／', '。', 'www.', '8443', 'javascript:', '[', ']'],
    );
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.constantFrom('', ...origins), text, (beginning, rest) => {
        const address = read(beginning + rest);
        if (address.kind !== 'allowed') return;
        expect(origins).toContain(new URL(address.url, 'https://issuer.test').origin);
        // A reader that knows no RFC takes what stands between the slashes for the host.
        expect(origins).toContain(/^https:\/\/[^/]*/.exec(address.url)?.[0]);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('an address with other letters than ASCII', () => {
  it('K1: is as long as it is written in a header: what would be too long there is refused at once', () => {
    expect(read(`https://allowed.test/${'日'.repeat(200)}`).kind).toBe('allowed');
    expect(read(`https://allowed.test/${'日'.repeat(230)}`)).toEqual({ kind: 'refused' });
  });
});
