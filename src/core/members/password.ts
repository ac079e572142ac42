// The rules for a new password.
import { passwordBytes } from '../limits.ts';
import { passwordLength } from './limits.ts';
import { normaliseEmail } from './member.ts';

/** Why a password is not taken; the last part of the text's key. */
type PasswordProblem = 'missing' | 'short' | 'long' | 'common' | 'address';

/** What a new password is held against. */
interface PasswordRules {
  /** Code points, as the tenant sets it. */
  readonly least: number;
  /** The address of the account: it is the first thing an attacker tries. */
  readonly email: string;
  /** Whether a lower-case text is on the list of common passwords. */
  readonly isCommon: (text: string) => boolean;
}

/**
 * Checks a new password (security, Defaults; NIST SP 800-63B §3.1.1.2): long enough, not common, not the
 * address; no rules of composition.
 *
 * @returns what is wrong with it, or null
 */
export function passwordProblem(password: string, rules: PasswordRules): PasswordProblem | null {
  if (password === '') return 'missing';
  const text = password.normalize('NFC');
  if (Buffer.byteLength(text) > passwordBytes) return 'long';
  if ([...text].length < Math.max(rules.least, passwordLength.least)) return 'short';
  const plain = text.toLowerCase();
  const email = normaliseEmail(rules.email);
  if (plain === email || plain === email.split('@')[0]) return 'address';
  return rules.isCommon(plain) || isCommonRepeated(plain, rules) ? 'common' : null;
}

/** "abcabcabcabc" is as easy to guess as "abc": what is repeated must be good enough by itself. */
function isCommonRepeated(text: string, { isCommon }: PasswordRules): boolean {
  const part = /^(.+?)\1+$/su.exec(text)?.[1];
  return part !== undefined && ([...part].length < passwordLength.least || isCommon(part));
}

const argon2id = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),/;

/**
 * The work of a PHC string: its memory in KiB, times its passes. argon2id takes time in that proportion.
 *
 * @returns 0 for what is no hash, such as that of an erased member
 */
export function hashWork(phc: string): number {
  const [, memory = 0, passes = 0] = argon2id.exec(phc) ?? [];
  return Number(memory) * Number(passes);
}
