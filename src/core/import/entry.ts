/** What a line of a file says of a member who moves in, as far as it can be read without the tenant. */
import type { CustomPropertyValues } from '../access/custom-property.ts';
import type { ForeignPassword } from '../hashes/foreign-hash.ts';
import type { Address } from '../members/member.ts';
import type { Problem } from '../problem.ts';

/** A subscription that a member had elsewhere. Times are ms since the epoch; what is left out is not known. */
export interface ImportedSubscription {
  /** Its name, or its id. */
  readonly package: string;
  readonly createdAt?: number | undefined;
  readonly activatedAt?: number | undefined;
  readonly expiresAt?: number | undefined;
  readonly cancelledAt?: number | undefined;
  readonly endedAt?: number | undefined;
  readonly properties: CustomPropertyValues;
}

/** An answer to a consent that was given elsewhere. */
export interface ImportedConsent {
  readonly id: string;
  readonly status: 'accepted' | 'withdrawn';
  /** ms; left out where it is not known */
  readonly changedAt?: number | undefined;
}

/** An account of another provider that a member signed in with elsewhere. */
export interface ImportedAccount {
  /** A key of the tenant, or what kind of provider it is. */
  readonly provider: string;
  /** That of the provider here unless said. */
  readonly issuer?: string | undefined;
  readonly subject: string;
}

/** A member as a file describes one; what is left out is not said. */
export interface ImportedMember {
  readonly email: string;
  readonly fullName?: string | undefined;
  readonly nickName?: string | undefined;
  readonly phone?: string | undefined;
  /** BCP 47, of which we may have none. */
  readonly language?: string | undefined;
  readonly avatar?: string | undefined;
  readonly address?: Partial<Address> | undefined;
  readonly externalId?: string | undefined;
  readonly memberNumber?: number | undefined;
  readonly emailVerified?: boolean | undefined;
  readonly phoneVerified?: boolean | undefined;
  readonly isDisabled?: boolean | undefined;
  /** ms */
  readonly createdAt?: number | undefined;
  /** null where the member had none, or chooses a new one. */
  readonly password: ForeignPassword | null;
  readonly subscriptions: readonly ImportedSubscription[];
  readonly consents: readonly ImportedConsent[];
  readonly accounts: readonly ImportedAccount[];
}

/** A line that was read: a member, or everything that is wrong with it. */
export type ReadEntry =
  | { readonly ok: true; readonly member: ImportedMember }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** What a file is, and how its lines are read. */
export interface ReadingOptions {
  /** What its columns, or the names in its objects, are called here: `consent:ID` and `property:KEY` too. */
  readonly columns: Readonly<Record<string, string>>;
  /** What a Firebase project hashed with; null of other files. */
  readonly firebase: FirebaseParameters | null;
}

/** The parameters of a Firebase project's hashes, as its console shows them. */
export interface FirebaseParameters {
  /** SHA-256 of the signer key, in base64: the key itself is not kept. */
  readonly signerHash: string;
  /** Base64. */
  readonly saltSeparator: string;
  readonly rounds: number;
  readonly memoryCost: number;
}

/** Reads one object of a file. */
export type EntryReader = (record: FileRecord, options: ReadingOptions) => ReadEntry;

/**
 * What a system calls the values that it has, by our names; where it has several names, the first that says something
 * holds. What stands within another value has its way to it, with dots.
 */
export type FieldNames = Readonly<Record<string, readonly string[]>>;

/** An object of a file: of JSON as it was parsed, of CSV with texts alone. */
export type FileRecord = Readonly<Record<string, unknown>>;
