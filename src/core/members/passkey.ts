/**
 * Passkeys: keys of members that stay with their devices, or in what keeps passwords for them. We have the public half
 * (WebAuthn Level 3).
 */
import type { Factor } from '../strength.ts';
import { shownName } from './details.ts';

/** A passkey of a member. Times are ms since the epoch. */
export interface Passkey {
  /** Public: what the account page, the portal and the audit name it by. */
  readonly id: string;
  readonly tenantId: string;
  readonly memberId: string;
  /** What its authenticator calls it, in base64url: unique within the tenant. */
  readonly credentialId: string;
  /** COSE_Key in base64url (RFC 9052 §7). */
  readonly publicKey: string;
  /** How often its authenticator has signed; 0 forever where it does not count. */
  readonly counter: number;
  /** Whether it may be on several devices, and whether it is kept elsewhere (the flags BE and BS; §6.1.3). */
  readonly isSynced: boolean;
  readonly isBackedUp: boolean;
  /** How a browser may reach it, with spaces between: `internal hybrid`. */
  readonly transports: string;
  /** What made it; zeros where that is not told. */
  readonly aaguid: string;
  readonly name: string;
  readonly createdAt: number;
  /** When it was last used, in which browser and from where; never used, when and where it was made. */
  readonly lastUsedAt: number | null;
  readonly userAgent: string;
  readonly ipAddress: string;
}

/** What an authenticator said when it signed. */
export interface Signed {
  readonly counter: number;
  readonly isSynced: boolean;
  readonly isBackedUp: boolean;
}

/** Where a passkey is used. */
export interface UsedFrom {
  readonly userAgent: string;
  readonly ipAddress: string;
}

/** Why a passkey whose signature is right does not let its member in. */
export type PasskeyRefusal = 'counter_went_back' | 'kind_changed';

/**
 * Judges a signature that is right: the counter goes on, where there is one, and a key of one device does not become one
 * of several (§7.2, steps 17 and 22). A counter that stands still or goes back tells that two devices have the key, of
 * which one was not meant to.
 *
 * @returns the passkey as it is from now on, or why it is refused
 */
export function usePasskey(
  passkey: Passkey,
  { counter, isSynced, isBackedUp }: Signed,
  from: UsedFrom,
  now: number,
): { readonly passkey: Passkey } | { readonly refused: PasskeyRefusal } {
  if (isSynced !== passkey.isSynced) return { refused: 'kind_changed' };
  const counts = counter > 0 || passkey.counter > 0;
  if (counts && counter <= passkey.counter) return { refused: 'counter_went_back' };
  return { passkey: { ...passkey, counter, isBackedUp, lastUsedAt: now, ...from } };
}

/** What its use proves (RFC 8176 §2): a key that stays in its device or does not, and that its user was verified there. */
export const factorsOfPasskey = ({ isSynced }: Pick<Passkey, 'isSynced'>): readonly Factor[] => [
  isSynced ? 'swk' : 'hwk',
  'user',
];

/** What keeps passkeys, by the AAGUID that it says (the list of passkeydeveloper, for its names alone). */
const keepers: Readonly<Partial<Record<string, string>>> = {
  '08987058-cadc-4b81-b6e1-30de50dcbe96': 'Windows Hello',
  '50726f74-6f6e-5061-7373-50726f746f6e': 'Proton Pass',
  '531126d6-e717-415c-9320-3d9aa6981239': 'Dashlane',
  '53414d53-554e-4700-0000-000000000000': 'Samsung Pass',
  '6028b017-b1d4-4c02-b4b3-afcdafc96bb2': 'Windows Hello',
  '9ddd1817-af5a-4672-a2b9-3e3dd95000a9': 'Windows Hello',
  'adce0002-35bc-c60a-648b-0b25f1f05503': 'Chrome on Mac',
  'b84e4048-15dc-4dd0-8640-f4f60813c8af': 'NordPass',
  'bada5566-a7aa-401f-bd96-45619a55120d': '1Password',
  'd548826e-79b4-db40-a3d8-11116f7e8349': 'Bitwarden',
  'dd4ec289-e01d-41c9-bb89-70fa845d4bf2': 'iCloud Keychain',
  'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4': 'Google Password Manager',
  'fbfc3007-154e-4ecc-8c0b-6e020557d7bd': 'iCloud Keychain',
  'fdb141b2-5d84-443e-8a35-4698c205a502': 'KeePassXC',
};

/** What a new passkey is called: by what keeps it, else by the browser that it was made in. */
export const nameOfPasskey = (aaguid: string, browser: string): string =>
  shownName(keepers[aaguid] ?? browser);

/**
 * The domain that passkeys of a tenant are for (RP ID, §5.1.2); null where there can be none: an address in numbers is
 * no domain.
 */
export function passkeyDomain({ issuer, passkeys }: PasskeyTenant): string | null {
  const { hostname } = new URL(issuer);
  const isAddress = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
  return passkeys === 'off' || isAddress ? null : hostname;
}

/** What of a tenant says whether there are passkeys. */
export interface PasskeyTenant {
  readonly issuer: string;
  readonly passkeys: 'off' | 'on';
}
