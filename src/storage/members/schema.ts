// The rows of members, of what they sign in with, and of the mail to them.
import type { Generated } from 'kysely';
import type { Member } from '../../core/members/member.ts';
import type { SignInFailures } from '../../core/members/member-limits.ts';
import type { Passkey } from '../../core/members/passkey.ts';
import type { SecondFactor } from '../../core/members/second-factor.ts';
import type { Stored } from '../stored.ts';

export interface MemberRow extends Stored<Omit<Member, 'address'>, never, 'emailVerified' | 'phoneVerified'> {
  normalisedEmail: string;
  /** Since when the member has the address; 0 where that is not known. */
  emailSince: number;
  passwordHash: string;
  /** What it takes to check (`keptWork`): in our own unit, or in that of the system that made it. */
  passwordWork: number;
  oldHashUnit: string | null;
  oldHashWork: number | null;
  /** When it was chosen: 0 where that is not known, null where it was never chosen. */
  passwordSince: number | null;
  /** When the personal data of a deleted member were erased. */
  erasedAt: number | null;
  addressLine1: string | null;
  addressCity: string | null;
  addressPostCode: string | null;
  addressPostOffice: string | null;
  addressCountry: string | null;
  addressName: string | null;
  addressEmail: string | null;
}

export type PasskeyRow = Stored<Passkey, never, 'isSynced' | 'isBackedUp'>;

/** An address that a member had before, so that what belongs to it can be erased with the member. */
export interface FormerAddressRow {
  memberId: string;
  /** Normalised. */
  email: string;
  givenUpAt: number;
}

export interface WrongUserCodeRow {
  tenantId: string;
  memberId: string;
  /** The address it was entered from: IPv4, or the /64 of IPv6. */
  address: string;
  /** Keyed hash of the code, and SHA-256 of the browser's cookie; empty where no code was entered. */
  userCodeHash: string;
  browserHash: string;
  enteredAt: number;
}

export interface MailRow {
  id: Generated<number>;
  tenantId: string;
  /** Which of our mails it is. */
  name: string;
  /** Hash of the address that it is to, while it waits. */
  recipientHash: string | null;
  /** The member that it is to; null where the address has no account, and of mails from before this was kept. */
  memberId: string | null;
  /** JSON of recipient, subject and bodies, encrypted; null once it was sent or given up. */
  message: Buffer | null;
  state: 'waiting' | 'sent' | 'failed';
  attempts: number;
  nextAttemptAt: number;
  lastError: string | null;
  createdAt: number;
  sentAt: number | null;
}

export interface SignInFailureRow extends SignInFailures {
  tenantId: string;
  emailHash: string;
  /** How many of the failures are guesses that were counted and are not judged yet. */
  underWay: Generated<number>;
}

/** The hashes are a JSON list. */
export type SecondFactorRow = Stored<SecondFactor, 'recoveryHashes'>;

export interface KnownBrowserRow {
  memberId: string;
  /** SHA-256 of the browser's cookie. */
  browserHash: string;
  firstSeenAt: number;
  lastSeenAt: number;
  /** Until when it is trusted without the member's second factor (ms); null where it is not. */
  trustedUntil: number | null;
}
