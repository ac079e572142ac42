// Reads what a device says of itself.
import { deviceDescriptionLength } from '../limits.ts';

/**
 * What must not stand in a name that a member reads before approving: controls, formats, surrogates, private
 * and unassigned code points, line and paragraph separators, everything invisible, and the blank Braille
 * pattern (decision 33).
 */
const unfit = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * Reads device_name or device_model (contract, "POST /api/oidc/device/auth").
 *
 * @returns the text, null for none or only spaces, or undefined if it is to be refused
 */
export function readDeviceDescription(sent: string | undefined): string | null | undefined {
  if (sent === undefined) return null;
  if ([...sent].length > deviceDescriptionLength || unfit.test(sent)) return undefined;
  return sent.trim() === '' ? null : sent;
}
