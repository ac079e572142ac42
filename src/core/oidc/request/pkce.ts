// Checks PKCE: challenges and verifiers.
import { equalInConstantTime, sha256 } from '../../hash.ts';
import { codeChallengeLength, codeVerifierLength } from '../../limits.ts';

const challengePattern = new RegExp(`^[A-Za-z0-9_-]{${codeChallengeLength}}$`);

/** RFC 7636 §4.1 names the unreserved set; `+`, `/` and `=` are tolerated (decision 19). */
const verifierPattern = new RegExp(
  `^[A-Za-z0-9._~+/=-]{${codeVerifierLength.least},${codeVerifierLength.most}}$`,
);

/** Whether a code_challenge can be the S256 of anything: 43 base64url characters (RFC 7636 §4.2). */
export function isCodeChallenge(text: string): boolean {
  return challengePattern.test(text);
}

/** Whether the verifier is well formed and its SHA-256 is the challenge (RFC 7636 §4.6). */
export function verifierMatches(verifier: string | undefined, challenge: string): boolean {
  return (
    verifier !== undefined &&
    verifierPattern.test(verifier) &&
    equalInConstantTime(sha256(verifier), challenge)
  );
}
