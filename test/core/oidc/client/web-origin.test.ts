import { describe, expect, it } from 'vitest';
import { allowsOrigin, isWebOrigin, webOriginsOf } from '../../../../src/core/oidc/client/web-origin.ts';

describe('an origin that may be registered (decision 40; F7)', () => {
  it.each([
    'https://app.test',
    'https://app.test:8443',
    'https://xn--bcher-kva.test',
    'https://192.0.2.1',
    'https://[2001:db8::1]',
    `https://${'a.'.repeat(124)}test`,
    'http://localhost:9876',
    'http://localhost',
    'http://127.0.0.1:8080',
    'http://[::1]:3000',
  ])('%s can be one', (text) => {
    expect(isWebOrigin(text)).toBe(true);
  });

  it.each([
    '',
    'null',
    'app.test',
    'https://',
    'https://app.test/',
    'https://app.test/path',
    'https://app.test?x',
    'https://app.test#',
    'https://app.test:443',
    'https://App.test',
    'HTTPS://app.test',
    ' https://app.test',
    'https://app.test\n',
    'https://bücher.test',
    'https://ada@app.test',
    'https://*.app.test',
    'https://*',
    'https://app.test;script-src',
    `https://${'a.'.repeat(125)}test`,
    'https://app.test,b.test',
    'http://app.test',
    'http://192.0.2.1',
    'http://localhost.evil.test',
    'http://127.1',
    'http://2130706433',
    'http://localhost:80',
    'ftp://app.test',
    'javascript:alert(1)',
    'app.example:/',
    'blob:https://app.test',
    'data:text/html,x',
    'file:///etc',
  ])('F7: %j cannot', (text) => {
    expect(isWebOrigin(text)).toBe(false);
  });
});

describe('the origins whose scripts may read (decision 43)', () => {
  const client = { webOrigins: ['https://app.test'], redirectUris: ['https://app.test/cb'] };
  const spa = {
    webOrigins: ['https://spa.test', 'http://localhost:5173', 'http://[::1]'],
    redirectUris: [
      'https://spa.test/cb',
      'http://localhost:5173/cb',
      'http://[::1]/cb',
      'com.example.app:/cb',
    ],
  };

  it.each([
    'https://app.test',
    'https://spa.test',
    'http://localhost:5173',
    'http://localhost:3000',
    'http://localhost',
    'http://[::1]:8080',
  ])(
    'decision 43: %s may, registered or on a loopback address where the redirect_uri may have any port',
    (origin) => {
      expect(allowsOrigin(webOriginsOf([client, spa]), origin)).toBe(true);
    },
  );

  it.each([
    'https://app.test:8443',
    'http://app.test',
    'https://localhost:3000',
    'http://127.0.0.1:3000',
    'http://localhost.evil.test:3000',
    'http://localhost:3000/',
    'http://localhost:3000@evil.test',
    'null',
    '',
  ])('decision 43: %j may not', (origin) => {
    expect(allowsOrigin(webOriginsOf([client, spa]), origin)).toBe(false);
  });

  it.each<readonly [string, readonly string[], readonly string[]]>([
    ['no loopback redirect_uri', ['http://localhost:5173'], ['https://spa.test/cb']],
    ['a redirect_uri on another loopback host', ['http://localhost:5173'], ['http://127.0.0.1/cb']],
    ['no loopback origin', ['https://spa.test'], ['http://localhost:5173/cb']],
  ])('decision 43: with %s another port may not', (_what, webOrigins, redirectUris) => {
    const origins = webOriginsOf([{ webOrigins, redirectUris }]);
    expect(allowsOrigin(origins, 'http://localhost:3000')).toBe(false);
    for (const origin of webOrigins) expect(allowsOrigin(origins, origin)).toBe(true);
  });
});
