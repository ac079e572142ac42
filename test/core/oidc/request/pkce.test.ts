import { describe, expect, it } from 'vitest';
import { isCodeChallenge, verifierMatches } from '../../../../src/core/oidc/request/pkce.ts';

// The pair of RFC 7636, appendix B.
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

describe('PKCE', () => {
  it('the verifier of RFC 7636 appendix B matches its challenge', () => {
    expect(verifierMatches(verifier, challenge)).toBe(true);
  });

  it.each([
    ['missing', undefined],
    ['of 42 characters', verifier.slice(1)],
    ['of 129 characters', 'a'.repeat(129)],
    ['with a space', `${verifier} `],
    ['another one', verifier.replace('d', 'e')],
  ])('a verifier that is %s does not match', (_what, sent) => {
    expect(verifierMatches(sent, challenge)).toBe(false);
  });

  it('decision 19: padded standard base64 is tolerated as a verifier', async () => {
    const { sha256 } = await import('../../../../src/core/hash.ts');
    const padded = `${'ab+/'.repeat(11)}=`;
    expect(verifierMatches(padded, sha256(padded))).toBe(true);
  });

  it('decision 19: a challenge is exactly 43 base64url characters', () => {
    expect(isCodeChallenge(challenge)).toBe(true);
    for (const text of [challenge.slice(1), `${challenge}A`, challenge.replace('-', '+')]) {
      expect(isCodeChallenge(text)).toBe(false);
    }
  });
});
