import { describe, expect, it } from 'vitest';
import {
  findRedirectUri,
  logoutUriProblem,
  redirectUriProblem,
} from '../../../../src/core/oidc/client/redirect-uri.ts';
import { told } from '../../../support/expected/told.ts';

const web = ['https://app.test/cb', 'https://app.test/cb2'];
const native = ['http://127.0.0.1/cb', 'http://[::1]/cb', 'com.example.app:/cb'];

describe('redirect_uri of a request (decision 8)', () => {
  it.each([...web, ...native])('R1: %s, as registered, is found', (uri) => {
    expect(findRedirectUri([...web, ...native], uri)).toBe(uri);
  });

  it.each([
    ['R2: a slash at its end', 'https://app.test/cb/'],
    ['no path', 'https://app.test'],
    ['a path below it', 'https://app.test/cb/more'],
    ['the beginning of it', 'https://app.test/c'],
    ['a path that leads back to it', 'https://app.test/x/../cb'],
    ['another case of the path', 'https://app.test/CB'],
    ['another case of the host', 'https://APP.test/cb'],
    ['its own port written out', 'https://app.test:443/cb'],
    ['an escaped letter', 'https://app.test/%63b'],
    ['another scheme', 'http://app.test/cb'],
    ['R5: a query', 'https://app.test/cb?x=1'],
    ['an empty query', 'https://app.test/cb?'],
    ['a fragment', 'https://app.test/cb#'],
    ['R7: it before an @', 'https://app.test@evil.test/cb'],
    ['R7: it behind a #', 'https://evil.test#app.test/cb'],
    ['R7: it before another domain', 'https://app.test.evil.test/cb'],
    ['R7: it behind a backslash', 'https://evil.test\\@app.test/cb'],
    ['white space', ' https://app.test/cb'],
    ['a line end', 'https://app.test/cb\n'],
    ['both at once', 'https://app.test/cb https://app.test/cb2'],
    ['nothing', ''],
  ])('%s is not the registered one', (_what, uri) => {
    expect(findRedirectUri(web, uri)).toBeNull();
  });

  it.each([
    'http://127.0.0.1:53211/cb',
    'http://[::1]:1/cb',
    'http://127.0.0.1:80/cb',
    'http://127.0.0.1:65535/cb',
  ])('R10: %s differs from a registered loopback address in its port alone, and is kept as it is', (uri) => {
    expect(findRedirectUri(native, uri)).toBe(uri);
  });

  it('a loopback address that is registered with a port may come with another, or none', () => {
    for (const uri of ['http://localhost:4000/cb', 'http://localhost/cb']) {
      expect(findRedirectUri(['http://localhost:3000/cb'], uri)).toBe(uri);
    }
  });

  it.each([
    ['R13: another loopback host', 'http://localhost:1/cb'],
    ['R13: it before another domain', 'http://127.0.0.1.evil.test:1/cb'],
    ['R13: it in short', 'http://127.1:1/cb'],
    ['R13: it as one number', 'http://2130706433/cb'],
    ['R13: a port that is a password', 'http://127.0.0.1:80@evil.test/cb'],
    ['another address of the loopback net', 'http://127.0.0.2:1/cb'],
    ['a port beyond the last', 'http://127.0.0.1:65536/cb'],
    ['a port that is empty', 'http://127.0.0.1:/cb'],
    ['another path', 'http://127.0.0.1:1/cb/'],
    ['a query', 'http://127.0.0.1:1/cb?x=1'],
    ['https', 'https://127.0.0.1:1/cb'],
    ['a port of a private-use scheme', 'com.example.app:1/cb'],
  ])('%s is not the registered loopback address', (_what, uri) => {
    expect(findRedirectUri(native, uri)).toBeNull();
  });

  it('a port never differs where the host is not loopback', () => {
    expect(findRedirectUri(['https://app.test/cb'], 'https://app.test:8443/cb')).toBeNull();
    expect(findRedirectUri(['http://app.test/cb'], 'http://app.test:8080/cb')).toBeNull();
  });
});

describe('redirect URI at registration (decision 8; R18)', () => {
  it.each([
    'https://app.test/cb',
    'https://app.test',
    'https://app.test:8443/cb?tenant=1',
    'https://my_app.test/cb',
    'https://[2001:db8::1]/cb',
    "https://app.test/~a_b-c.d/(1)!$&'+,;=:@%C3%B8?x=[1]",
    'http://127.0.0.1/cb',
    'http://127.0.0.1:3000/cb',
    'http://[::1]/cb',
    'http://localhost:3000/',
    'com.example.app:/cb',
    'com.example.app:/',
    'com.example.app://',
    'com.example.app://cb',
    'com.example.app://cb/more?x=1',
    'https://app.test/cb?tenant=1&CODE=x&codes=1',
    `https://app.test/${'a'.repeat(2_031)}`,
  ])('%s is accepted', (uri) => {
    expect(redirectUriProblem(uri)).toBeNull();
    expect(logoutUriProblem(uri)).toBeNull();
  });

  it('decision 43: com.example.app:/cb and com.example.app://cb are two addresses', () => {
    expect(findRedirectUri(['com.example.app:/cb'], 'com.example.app://cb')).toBeNull();
    expect(findRedirectUri(['com.example.app://cb'], 'com.example.app://cb')).toBe('com.example.app://cb');
  });

  it.each([
    ['https://app.test/cb?code=x', 'code'],
    ['https://app.test/cb?code', 'code'],
    ['https://app.test/cb?x=1&state=', 'state'],
    ['https://app.test/cb?%73tate=1', 'state'],
    ['https://app.test/cb?iss=https://evil.test', 'iss'],
    ['https://app.test/cb?error=x', 'error'],
    ['https://app.test/cb?error_description=x', 'error_description'],
    ['https://app.test/cb?error_uri=x', 'error_uri'],
    ['https://app.test/cb?response=x', 'response'],
    ['http://127.0.0.1/cb?code=x', 'code'],
    ['com.example.app:/cb?code=x', 'code'],
    ['com.example.app://cb?state=x', 'state'],
    ['https://app.test/cb?a;code=1', 'code'],
    ['https://app.test/cb?+code=1', 'code'],
    ['https://app.test/cb?a=1;%20state%20=1', 'state'],
  ])('F7: %s has %s in its query', (uri, name) => {
    expect(redirectUriProblem(uri)).toMatchObject({
      code: 'uri_parameter',
      values: { uri, parameter: name },
    });
    expect(logoutUriProblem(uri) === null).toBe(name !== 'state');
  });

  it('F7: 2,048 characters are accepted, and not one more', () => {
    for (const problem of [redirectUriProblem, logoutUriProblem]) {
      expect(problem(`https://app.test/${'a'.repeat(2_032)}`)).toMatchObject({
        code: 'too_long',
        values: { most: 2_048 },
      });
      expect(problem(`https://app.test/${'a'.repeat(3_000)}`)).toMatchObject({
        code: 'too_long',
        values: { most: 2_048 },
      });
    }
  });

  it.each([
    ['http://app.test/cb', 'uses http, which is allowed only for 127.0.0.1, [::1] and localhost'],
    ['http://localhost.evil.test/cb', 'uses http, which is allowed only for 127.0.0.1, [::1] and localhost'],
    ['http://127.0.0.1?x=1', 'uses http, which is allowed only for 127.0.0.1, [::1] and localhost'],
    ['https://*.app.test/cb', 'has a wildcard'],
    ['https://app.test/*', 'has a wildcard'],
    ['https://app.test/cb#f', 'has a fragment'],
    ['https://app.test/cb#', 'has a fragment'],
    ['javascript:x', 'uses a scheme that is neither https nor a reversed domain name'],
    ['javascript://app.test/%0aalert(1)', 'uses a scheme that is neither https nor a reversed domain name'],
    ['data:text/html,x', 'uses a scheme that is neither https nor a reversed domain name'],
    ['com.example.app:///cb', 'uses a scheme that is neither https nor a reversed domain name'],
    ['myapp://cb', 'uses a scheme that is neither https nor a reversed domain name'],
    ['com.example.app://user@cb', 'has credentials'],
    ['https://app..test/cb', 'has a host that is no host name'],
    ['myapp:/cb', 'uses a scheme that is neither https nor a reversed domain name'],
    ['/cb', 'is not an absolute URI'],
    ['cb', 'is not an absolute URI'],
    ['//app.test/cb', 'is not an absolute URI'],
    ['https:app.test/cb', 'is not an absolute URI'],
    ['https:///app.test/cb', 'is not an absolute URI'],
    ['', 'is not an absolute URI'],
    ['https://member:secret@app.test/cb', 'has credentials'],
    ['https://member@app.test/cb', 'has credentials'],
    // Browsers take such hosts, and no Content-Security-Policy can name them.
    ['https://a;b.test/cb', 'has a host that is no host name'],
    ["https://app.test,'self'/cb", 'has a host that is no host name'],
    ['https://app.test/c b', 'has white space, a backslash or a control character'],
    ['https://app.test/cb\n', 'has white space, a backslash or a control character'],
    ['https://evil.test\\@app.test/cb', 'has white space, a backslash or a control character'],
    ['https://app.test/ø', 'has a character that must be percent-encoded'],
    ['https://日本.test/cb', 'has a character that must be percent-encoded'],
    ['https://app.test/"><script>', 'has a character that must be percent-encoded'],
    ['https://app.test/{tenant}', 'has a character that must be percent-encoded'],
    ['https://app.test/cb\u0000', 'has white space, a backslash or a control character'],
  ])('R18: %j %s', (uri, problem) => {
    for (const found of [redirectUriProblem(uri), logoutUriProblem(uri)]) {
      expect(found === null ? null : told([found])).toEqual([`"${uri}" ${problem}`]);
    }
  });

  it('what is registered as it may be, is found as it is', () => {
    const uri = 'https://app.test:8443/cb?tenant=1';
    expect(findRedirectUri([uri], uri)).toBe(uri);
  });
});
