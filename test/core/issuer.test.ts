import { describe, expect, it } from 'vitest';
import { readIssuer } from '../../src/core/tenant.ts';

describe('the public address of a tenant', () => {
  it.each([
    ['https://login.example.com', 'https://login.example.com', 'login.example.com'],
    [' https://LOGIN.example.com/ ', 'https://login.example.com', 'login.example.com'],
    ['https://login.example.com:8443', 'https://login.example.com:8443', 'login.example.com:8443'],
    ['https://login.example.com:443', 'https://login.example.com', 'login.example.com'],
    ['https://login.example.com.', 'https://login.example.com', 'login.example.com'],
    ['https://LOGIN.example.com.:443/', 'https://login.example.com', 'login.example.com'],
    ['http://localhost.:3000', 'http://localhost:3000', 'localhost:3000'],
    ['https://ærlig.no', 'https://xn--rlig-uoa.no', 'xn--rlig-uoa.no'],
    ['http://localhost:3000', 'http://localhost:3000', 'localhost:3000'],
    ['http://acme.localhost:3000', 'http://acme.localhost:3000', 'acme.localhost:3000'],
    ['http://127.0.0.1', 'http://127.0.0.1', '127.0.0.1'],
    ['http://[::1]:3000', 'http://[::1]:3000', '[::1]:3000'],
  ])('decision 4: %s is %s, and its Host %s', (text, issuer, host) => {
    expect(readIssuer(text)).toEqual({ issuer, host });
  });

  it.each([
    '',
    'login.example.com',
    'http://login.example.com',
    'http://127.0.0.1.example.com',
    'ftp://login.example.com',
    'https://login.example.com/door',
    'https://login.example.com/?',
    'https://login.example.com?x=1',
    'https://login.example.com#x',
    'https://user@login.example.com',
    'https://user:secret@login.example.com',
    'https://login example.com',
    'https://*.example.com',
    'https://login..example.com',
    'https://login.example.com..',
    'https://.',
    'https://login.example.com;x',
    'javascript:alert(1)',
  ])('decision 4: %j is none', (text) => {
    expect(readIssuer(text)).toBeNull();
  });
});
