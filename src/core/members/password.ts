// The rules for a new password.
import { passwordBytes } from '../limits.ts';
import { memberTextLength, passwordEstimated, passwordGuesses, passwordLength } from './limits.ts';
import { normaliseEmail } from './member.ts';

/** Why a password is not taken; the last part of the text's key. */
type PasswordProblem = 'missing' | 'short' | 'long' | 'common' | 'address';

/** How many guesses an attacker needs for a text, trying these words first. */
export type GuessesTo = (text: string, words: readonly string[]) => number;

/** What a new password is held against. */
interface PasswordRules {
  /** Code points, as the tenant sets it. */
  readonly least: number;
  /** The address of the account: it is the first thing an attacker tries. */
  readonly email: string;
  /** Names that an attacker tries then: the member's and the tenant's. */
  readonly names: readonly string[];
  readonly guessesTo: GuessesTo;
}

/**
 * Checks a new password (security, Defaults; NIST SP 800-63B §3.1.1.2): long enough, not guessed soon, not the
 * address; no rules of composition.
 *
 * @returns what is wrong with it, or null
 */
export function passwordProblem(password: string, rules: PasswordRules): PasswordProblem | null {
  if (password === '') return 'missing';
  const text = password.normalize('NFC');
  if (Buffer.byteLength(text) > passwordBytes) return 'long';
  const codePoints = [...text];
  if (codePoints.length < Math.max(rules.least, passwordLength.least)) return 'short';
  const plain = text.toLowerCase();
  const email = normaliseEmail(rules.email);
  if (plain === email || plain === email.split('@')[0]) return 'address';
  // A tenant that takes eight characters takes eight by chance: each stands for ten guesses.
  const needed = Math.min(passwordGuesses, 10 ** codePoints.length);
  const estimated = codePoints.slice(0, passwordEstimated).join('');
  return rules.guessesTo(estimated, wordsOf(rules)) < needed ? 'common' : null;
}

/** The address and the names, as they are, in one piece, and part by part. */
function wordsOf({ email, names }: PasswordRules): readonly string[] {
  const address = normaliseEmail(email);
  const whole = [address, address.split('@')[0] ?? '', ...names].map((text) =>
    text.slice(0, memberTextLength.email).normalize('NFC').toLowerCase(),
  );
  const parts = whole.map((text) => text.split(/[^\p{L}\p{N}]+/u));
  return [...new Set([...whole, ...parts.map((some) => some.join('')), ...parts.flat()])].filter(Boolean);
}
