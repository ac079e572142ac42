import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../../../src/core/decision.ts';
import { sha256 } from '../../../../src/core/hash.ts';
import {
  authenticateClient,
  type ClientCredentials,
} from '../../../../src/core/oidc/client/client-authentication.ts';
import { clientRecord } from '../../../support/records/records.ts';

const confidential = clientRecord();
const publicClient = clientRecord({ type: 'public', secrets: [] });

const post = (secret: string): ClientCredentials => ({ method: 'post', clientId: 'client-1', secret });
const basic = (secret: string): ClientCredentials => ({ method: 'basic', clientId: 'client-1', secret });
const none: ClientCredentials = { method: 'none', clientId: 'client-1', secret: null };

const invalidClient = { kind: 'refusal', error: 'invalid_client' };

describe('client authentication (decision 15; RFC 6749 §2.3)', () => {
  it.each([
    ['client_secret_post', post('the secret')],
    ['client_secret_basic', basic('the secret')],
  ])('a confidential client is known by its secret, by %s', (_method, credentials) => {
    expect(authenticateClient(confidential, credentials)).toBe(confidential);
  });

  it.each([
    ['no secret', none],
    ['a wrong secret', post('another secret')],
    ['the beginning of its secret', post('the secre')],
    ['its secret in another case', post('The secret')],
    ['the stored hash of its secret', post(sha256('the secret'))],
  ])('T10: a confidential client that sends %s is invalid_client', (_what, credentials) => {
    expect(authenticateClient(confidential, credentials)).toMatchObject(invalidClient);
  });

  it('each of two live secrets is right, so that one can follow the other', () => {
    const secrets = ['the secret', 'the next secret'].map((secret) => ({
      hash: sha256(secret),
      createdAt: 1,
    }));
    const rotating = clientRecord({ secrets });
    expect(authenticateClient(rotating, post('the secret'))).toBe(rotating);
    expect(authenticateClient(rotating, post('the next secret'))).toBe(rotating);
    expect(authenticateClient(rotating, post('the last secret'))).toMatchObject(invalidClient);
  });

  it('a public client is known without a secret', () => {
    expect(authenticateClient(publicClient, none)).toBe(publicClient);
  });

  it('T11: a public client that sends a secret is invalid_client', () => {
    expect(authenticateClient(publicClient, post('x'))).toMatchObject(invalidClient);
  });

  it('an unknown client is invalid_client, with a secret and without', () => {
    expect(authenticateClient(null, post('the secret'))).toMatchObject(invalidClient);
    expect(authenticateClient(null, none)).toMatchObject(invalidClient);
  });
});

describe('client authentication where the secret is optional (decision 35)', () => {
  it('a confidential client that presents none is served', () => {
    expect(authenticateClient(confidential, none, true)).toBe(confidential);
  });

  it('one that presents a wrong one is not', () => {
    expect(authenticateClient(confidential, post('another secret'), true)).toMatchObject(invalidClient);
  });

  it('a public client that presents one is not', () => {
    expect(authenticateClient(publicClient, post('x'), true)).toMatchObject(invalidClient);
  });
});

describe('what a refused client reads', () => {
  it('never repeats what it sent', () => {
    const answers = [
      authenticateClient(null, post('sent-secret')),
      authenticateClient(confidential, post('sent-secret')),
      authenticateClient(publicClient, post('sent-secret')),
    ];
    expect(answers.every(isRefusal)).toBe(true);
    expect(JSON.stringify(answers)).not.toContain('sent-secret');
  });
});
