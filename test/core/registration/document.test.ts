import { describe, expect, it } from 'vitest';
import { type DocumentPolicy, readClientAddress } from '../../../src/core/registration/document.ts';

const tenant: DocumentPolicy = {
  issuer: 'https://login.test',
  host: 'login.test',
  development: false,
  clientRegistration: 'off',
  clientMetadataDocuments: 'any',
  clientMetadataHosts: ['listed.test'],
  unverifiedOfflineAccess: false,
};

describe('the address of a document', () => {
  it.each([
    'https://app.test/client',
    'https://app.test:8443/client.json',
    'https://app.test/client?version=1',
    'https://xn--bcher-kva.test/client',
    'https://app.test/a%20b',
  ])('I62: %s may be a client_id', (address) => {
    expect(readClientAddress(address, tenant)?.href).toBe(address);
  });

  it.each([
    ['no path', 'https://app.test/'],
    ['nothing behind the host', 'https://app.test'],
    ['a fragment', 'https://app.test/client#x'],
    ['an empty fragment', 'https://app.test/client#'],
    ['user info', 'https://user@app.test/client'],
    ['empty user info', 'https://@app.test/client'],
    ['a password', 'https://u:p@app.test/client'],
    ['dot segments', 'https://app.test/a/../client'],
    ['a dot segment', 'https://app.test/./client'],
    ['encoded dot segments', 'https://app.test/a/%2e%2E/client'],
    ['an uppercase host', 'https://App.test/client'],
    ['an uppercase scheme', 'HTTPS://app.test/client'],
    ['letters that are not ASCII', 'https://bücher.test/client'],
    ['a port that need not be said', 'https://app.test:443/client'],
    ['a dot behind the host', 'https://app.test./client'],
    ['http', 'http://app.test/client'],
    ['http on this machine', 'http://127.0.0.1/client'],
    ['another scheme', 'ftp://app.test/client'],
    ['an address for a host', 'https://192.0.2.1/client'],
    ['an address in hexadecimal', 'https://0x7f.1/client'],
    ['an address of IPv6', 'https://[2001:db8::1]/client'],
    ['a backslash', 'https://app.test\\client'],
    ['a space', 'https://app.test/client '],
    ['a line break', 'https://app.test/cl\nient'],
    ['the tenant’s own host', 'https://login.test/client'],
    ['another port of the tenant’s own host', 'https://login.test:8443/client'],
    ['256 characters', `https://app.test/${'x'.repeat(239)}`],
    ['no scheme', 'app.test/client'],
  ])('UR19: one with %s may not', (_what, address) => {
    expect(readClientAddress(address, tenant)).toBeNull();
  });

  it('I62: a tenant that lists hosts takes those alone, and one that is off takes none', () => {
    const listed = { ...tenant, clientMetadataDocuments: 'listed' } as const;
    expect(readClientAddress('https://listed.test/client', listed)).not.toBeNull();
    for (const other of ['https://app.test/c', 'https://sub.listed.test/c', 'https://listed.test:8443/c']) {
      expect(readClientAddress(other, listed)).toBeNull();
    }
    const off = { ...tenant, clientMetadataDocuments: 'off' } as const;
    expect(readClientAddress('https://listed.test/client', off)).toBeNull();
  });

  it('I62: on a development tenant it may be http on a loopback address', () => {
    const development = { ...tenant, development: true };
    expect(readClientAddress('http://127.0.0.1:3000/client', development)).not.toBeNull();
    expect(readClientAddress('http://localhost:3000/client', development)).not.toBeNull();
    expect(readClientAddress('http://app.test/client', development)).toBeNull();
  });

  it('I62: on a development tenant another port of its own host is another party', () => {
    const development = {
      ...tenant,
      development: true,
      issuer: 'http://localhost:3000',
      host: 'localhost:3000',
    };
    expect(readClientAddress('https://localhost:4000/client', development)).not.toBeNull();
    expect(readClientAddress('http://localhost:4000/client', development)).not.toBeNull();
    expect(readClientAddress('http://localhost:3000/client', development)).toBeNull();
  });
});
