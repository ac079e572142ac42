import { describe, expect, it } from 'vitest';
import {
  type ClientKind,
  clientIdOf,
  clientKinds,
  followingFrom,
} from '../../../../src/core/oidc/client/kind.ts';

/** What follows, or the code of what is wrong. */
function following(kind: ClientKind, address = '') {
  const found = followingFrom(kind, address);
  return found.ok ? found.settings : [found.problem.path.join('.'), found.problem.code];
}

describe('what follows from a kind and an address (contract, "OIDC client")', () => {
  it('a website keeps a secret, and its scripts read nothing', () => {
    expect(following('website', 'https://shop.example.com')).toMatchObject({
      type: 'confidential',
      redirectUris: ['https://shop.example.com/callback'],
      postLogoutRedirectUris: ['https://shop.example.com/'],
      webOrigins: [],
    });
  });

  it('a single-page app is public, its origin may read, and its sign-ins last as long as a browser’s session', () => {
    const day = 24 * 60 * 60_000;
    expect(following('single_page_app', 'https://reader.example.com/app/')).toMatchObject({
      type: 'public',
      redirectUris: ['https://reader.example.com/app/callback'],
      postLogoutRedirectUris: ['https://reader.example.com/app/'],
      webOrigins: ['https://reader.example.com'],
      refreshTokenIdle: 14 * day,
      refreshTokenAbsolute: 90 * day,
    });
  });

  it.each([
    ['reader.example.com', 'https://reader.example.com/callback'],
    [' https://Reader.example.com:443/ ', 'https://reader.example.com/callback'],
    ['https://reader.example.com/#/home?x=1', 'https://reader.example.com/callback'],
    ['localhost:5173', 'http://localhost:5173/callback'],
    ['http://[::1]:3000', 'http://[::1]:3000/callback'],
    ['bücher.example', 'https://xn--bcher-kva.example/callback'],
  ])('an address is taken as people write it: %s', (address, redirectUri) => {
    expect(following('single_page_app', address)).toMatchObject({ redirectUris: [redirectUri] });
  });

  it.each([
    ['', 'http://127.0.0.1/callback', 'http://127.0.0.1/'],
    ['com.example.app', 'com.example.app:/callback', 'com.example.app:/'],
    ['com.Example.App://', 'com.example.app:/callback', 'com.example.app:/'],
    ['com.example.app:/back', 'com.example.app:/back', 'com.example.app:/'],
    ['https://app.example.com/open', 'https://app.example.com/open', 'https://app.example.com/'],
    ['http://localhost', 'http://localhost/callback', 'http://localhost/'],
  ])(
    'RFC 8252 §7: an app comes back to its own scheme, to a link, or to this machine: %s',
    (address, to, after) => {
      expect(following('native_app', address)).toMatchObject({
        type: 'public',
        redirectUris: [to],
        postLogoutRedirectUris: [after],
      });
    },
  );

  it('a TV app has the device flow, a server job tokens of its own, and neither an address', () => {
    for (const address of ['', 'https://left.over.example']) {
      expect(following('tv_app', address)).toMatchObject({
        type: 'public',
        deviceFlow: true,
        redirectUris: [],
      });
      expect(following('server_job', address)).toMatchObject({
        type: 'confidential',
        clientCredentials: true,
        redirectUris: [],
      });
    }
  });

  it('decision 14: an assistant asks each member, and comes back where its maker says', () => {
    const to = 'https://assistant.example.com/api/mcp/callback';
    expect(following('assistant', to)).toMatchObject({
      type: 'public',
      thirdParty: true,
      redirectUris: [to],
      postLogoutRedirectUris: [],
      refreshTokenAbsolute: 30 * 24 * 60 * 60_000,
    });
    expect(following('assistant')).toMatchObject({ redirectUris: ['http://127.0.0.1/callback'] });
  });

  it.each([
    ['website', '', 'missing'],
    ['website', 'two words', 'not_a_place'],
    ['website', 'ftp://files.example.com', 'not_a_place'],
    ['website', 'javascript:alert(1)', 'not_a_place'],
    ['website', 'https://user:pass@app.example.com', 'not_a_place'],
    ['website', 'http://app.example.com', 'uri_http'],
    ['single_page_app', 'https://*.example.com', 'uri_wildcard'],
    ['native_app', 'myapp', 'uri_scheme'],
    ['native_app', 'javascript:alert(1)', 'uri_scheme'],
    ['assistant', 'https://a;b/', 'uri_host'],
    ['assistant', 'data:text/html,x', 'not_a_place'],
  ] as const)('R18: %s at "%s" is refused at its address', (kind, address, code) => {
    expect(following(kind, address)).toEqual(['address', code]);
  });

  it('no kind but one on a server keeps a secret', () => {
    const settings = clientKinds.map((kind) => [kind, following(kind, 'https://app.example.com')] as const);
    const confidential = settings.filter(([, one]) => 'type' in one && one.type === 'confidential');
    expect(confidential.map(([kind]) => kind)).toEqual(['website', 'server_job']);
  });
});

describe('the client_id that a name suggests', () => {
  it.each([
    ['Acme Reader', 1, 'acme-reader'],
    ['  Acme Läser & Co. ', 1, 'acme-laser-co'],
    ['Acme Reader', 3, 'acme-reader-3'],
    ['قارئ', 1, 'app'],
    ['x'.repeat(60), 2, `${'x'.repeat(40)}-2`],
  ])('%s, number %i', (name, number, clientId) => {
    expect(clientIdOf(name, number)).toBe(clientId);
  });
});
