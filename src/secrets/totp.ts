// Digits that an app makes from a shared secret and the time (RFC 6238), and the picture that an app reads the secret from.
import { totp as numbers } from '../core/members/limits.ts';
import type { Random } from '../system/random.ts';

/** What reads and makes them: the libraries are loaded when a member first has a use for them. */
export interface Totp {
  /** A new shared secret, in base32. */
  newSecret(random: Pick<Random, 'secret'>): string;
  /** The address that an app reads (`otpauth:`). */
  addressOf(secret: string, label: { readonly issuer: string; readonly account: string }): string;
  /** The step of time whose digits these are, among those that hold now; null if they are of none. */
  stepOf(secret: string, digits: string, now: number): number | null;
  /** A picture of a text: the path that its dark modules make in a square of so many, with the quiet zone around it. */
  pictureOf(text: string): { readonly path: string; readonly size: number };
}

/** Loads the libraries, once: not in a transaction (architecture, rule 11). */
export async function loadTotp(): Promise<Totp> {
  const [{ Secret, TOTP }, { encode }] = await Promise.all([import('otpauth'), import('uqr')]);
  const { stepSeconds, digits, window, secretBytes } = numbers;
  const facts = { algorithm: 'SHA1', digits, period: stepSeconds } as const;
  return {
    newSecret: (random) => {
      const bytes = Buffer.from(random.secret(), 'base64url').subarray(0, secretBytes);
      return new Secret({ buffer: new Uint8Array(bytes).buffer }).base32;
    },
    addressOf: (secret, { issuer, account }) =>
      // Without what every app takes for granted: the picture has fewer modules, and is read from further away.
      new TOTP({ ...facts, issuer, label: account, secret: Secret.fromBase32(secret) })
        .toString()
        .replace(/&(?:algorithm|digits|period)=[^&]*/g, ''),
    stepOf: (secret, token, now) => {
      const one = new TOTP({ ...facts, secret: Secret.fromBase32(secret) });
      const delta = one.validate({ token, timestamp: now, window });
      return delta === null ? null : one.counter({ timestamp: now }) + delta;
    },
    pictureOf: (text) => {
      const { data, size } = encode(text, { ecc: 'L', border: quietZone });
      return { path: data.map(rowPath).join(''), size };
    },
  };
}

/** ISO/IEC 18004 §5.3.8 asks for four modules around. */
const quietZone = 4;

/** The dark runs of a row, as strokes along it. */
function rowPath(row: readonly boolean[], y: number): string {
  const text = row
    .map((isDark) => (isDark ? '1' : '0'))
    .join('')
    .replace(/0+$/, '');
  const runs = text.match(/0+|1+/g) ?? [];
  const path = runs.map((run) => (run.startsWith('1') ? `h${run.length}` : `m${run.length} 0`)).join('');
  return path === '' ? '' : `M0 ${y}${path}`;
}
