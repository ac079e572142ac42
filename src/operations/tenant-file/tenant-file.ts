// The types of a tenant file.
import type { CustomProperty, CustomPropertyValues } from '../../core/access/custom-property.ts';
import type { Period, Price } from '../../core/access/package.ts';
import type { Client } from '../../core/client.ts';
import type { Address, UserType } from '../../core/members/member.ts';
import type { ClientInput } from '../admin/clients/client-answer.ts';
import type { TenantInput } from '../admin/tenant-answer.ts';

/**
 * What a tenant file says. What names an entry must be there, and what it cannot be without; whatever else is
 * left out stays as it is, or has its default where the entry is new.
 */
export interface TenantFile {
  readonly tenants: readonly FileTenant[];
}

/** A tenant, named by its issuer. A section that is left out is not the file's business. */
export interface FileTenant extends Omit<TenantInput, 'name'> {
  readonly issuer: string;
  readonly name: string;
  /** Whether it is of a development service, where secrets may stand in the file itself. */
  readonly development?: boolean;
  readonly logoFile?: string;
  /** Its host or its issuer; null for none. */
  readonly stageTenant?: string | null;
  readonly disabled?: boolean;
  readonly properties?: readonly CustomProperty[];
  readonly products?: readonly string[];
  readonly packages?: readonly FilePackage[];
  readonly channels?: readonly FileChannel[];
  readonly consents?: readonly FileConsent[];
  readonly clients?: readonly FileClient[];
  readonly members?: readonly FileMember[];
}

export interface FilePackage {
  readonly name: string;
  readonly description?: string;
  readonly price: Price;
  readonly period: Period;
  readonly payment: string;
  readonly needsAddress?: boolean;
  readonly offered?: boolean;
  /** The names of the products it opens. */
  readonly products: readonly string[];
}

export interface FileChannel {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** The names of the products that open it. */
  readonly products: readonly string[];
}

export interface FileConsent {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly atSignUp?: boolean;
  readonly atCheckout?: boolean;
  /** Whether it is asked for no more. */
  readonly retired?: boolean;
}

/** One or several of something. */
export type OneOrMore = string | readonly string[];

export interface FileClient extends Omit<ClientInput, 'name'>, Pick<Client, 'clientId' | 'name' | 'type'> {
  readonly logoFile?: string;
  readonly deviceFlow?: boolean;
  readonly disabled?: boolean;
  /** Its secrets, as SHA-256 in base64url. */
  readonly secretHash?: OneOrMore;
  /** Files that hold one each. */
  readonly secretFile?: OneOrMore;
  /** Variables of the environment that hold one each. */
  readonly secretEnv?: OneOrMore;
  /** In clear, on a development tenant alone. */
  readonly secret?: OneOrMore;
}

/** A member; id, numbers, password and times count when the member is made, and stay from then on. */
export interface FileMember {
  readonly email: string;
  readonly fullName: string;
  readonly id?: string;
  readonly userId?: number;
  readonly memberNumber?: number;
  readonly createdAt?: string;
  /** PHC string (argon2id). */
  readonly passwordHash?: string;
  /** In clear, on a development tenant alone. */
  readonly password?: string;
  readonly emailVerified?: boolean;
  readonly phoneVerified?: boolean;
  readonly userType?: UserType;
  readonly disabled?: boolean;
  readonly nickName?: string;
  readonly phone?: string;
  readonly avatar?: string | null;
  readonly language?: string | null;
  readonly address?: Partial<Address>;
  readonly subscriptions?: readonly FileSubscription[];
}

/** A subscription; one that is there keeps its times, which renewals and cancellations move. */
export interface FileSubscription {
  /** The name of the package. */
  readonly package: string;
  readonly createdAt?: string;
  /** Now where it is left out; null while it waits for a payment. */
  readonly activatedAt?: string | null;
  /** One period of the package later where it is left out. */
  readonly expiresAt?: string | null;
  readonly cancelledAt?: string | null;
  readonly endedAt?: string | null;
  readonly properties?: CustomPropertyValues;
}

/** Facts of an entry, by the names that they have in the file. */
export type Facts = Readonly<Record<string, unknown>>;

/** The entries of a field that takes one or several. */
export function each(value: OneOrMore | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
