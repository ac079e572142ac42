import { describe, expect, it } from 'vitest';
import { accessTokenAlgorithm } from '../../../src/core/grants/tokens.ts';
import { clientRecord } from '../../support/records/records.ts';

describe('what signs an access token', () => {
  it('decision 42: is ES256, unless its client or its audience asks for RS256', () => {
    const client = clientRecord({ accessTokenAlgorithm: 'ES256' });
    expect(accessTokenAlgorithm(client, 'ES256')).toBe('ES256');
    expect(accessTokenAlgorithm(client, 'RS256')).toBe('RS256');
    expect(accessTokenAlgorithm(clientRecord({ accessTokenAlgorithm: 'RS256' }), 'ES256')).toBe('RS256');
  });

  it('FA9: is ES256 for a client with the profile, whatever its audience asks for', () => {
    expect(accessTokenAlgorithm(clientRecord({ profile: 'fapi2' }), 'RS256')).toBe('ES256');
  });
});
