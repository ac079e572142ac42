/** What a member may do beyond being one (decision 37). */
export type UserType = 'member' | 'tenant_admin' | 'system_admin';

/** The address of a member who has given none. */
export const noAddress = {
  line1: null,
  city: null,
  postCode: null,
  postOffice: null,
  /** Two-letter country code (ISO 3166-1). */
  country: null,
  name: null,
  email: null,
};

/** A postal address; its fields may be null (contract, "Member profile"). */
export type Address = Readonly<Record<keyof typeof noAddress, string | null>>;

/** A member of one tenant. Times are ms since the epoch. */
export interface Member {
  /** UUIDv7; `sub` in every token (decision 37). */
  readonly id: string;
  readonly tenantId: string;
  readonly userId: number;
  readonly memberNumber: number;
  /** What another system of the tenant's calls the member; null where that is not known. */
  readonly externalId: string | null;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly fullName: string;
  /** May be empty. */
  readonly nickName: string;
  /** International format, starting with `+`; empty if not given. */
  readonly phone: string;
  readonly phoneVerified: boolean;
  /** Address of a picture. */
  readonly avatar: string | null;
  /** BCP 47 tag of the language the member chose. */
  readonly locale: string | null;
  readonly userType: UserType;
  readonly status: 'active' | 'disabled';
  readonly address: Address;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** From when on the account is gone, if its member asked for that. */
  readonly deletionDueAt: number | null;
}

/** A member with no facts yet: the facts are laid over this. */
export function blankMember(tenantId: string, now: number): Member {
  return {
    id: '',
    tenantId,
    userId: 0,
    memberNumber: 0,
    externalId: null,
    email: '',
    emailVerified: false,
    fullName: '',
    nickName: '',
    phone: '',
    phoneVerified: false,
    avatar: null,
    locale: null,
    userType: 'member',
    status: 'active',
    address: noAddress,
    createdAt: now,
    updatedAt: now,
    deletionDueAt: null,
  };
}

/**
 * Whether a member may sign in and stay signed in (decision 28; A14, T19). A deletion needs no job to take
 * hold: once it is due, the member is gone.
 */
export function maySignIn(member: Member | null, now: number): member is Member {
  return member !== null && member.status === 'active' && !isGone(member, now);
}

/** Whether the account was deleted, even if its data are still to be erased. */
export function isGone({ deletionDueAt }: Pick<Member, 'deletionDueAt'>, now: number): boolean {
  return deletionDueAt !== null && now >= deletionDueAt;
}

/** The form in which addresses are compared: trimmed, NFC, lower case. One account per address and tenant. */
export function normaliseEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase();
}

/**
 * A member asks to be deleted: the account stays as it is until the cooling-off time is over, and is gone
 * from then on by the clock alone (pages 18). Asking again does not put it off.
 *
 * @returns the member as it is from now on, or null if nothing changes
 */
export function requestDeletion(member: Member, coolingOff: number, now: number): Member | null {
  if (member.deletionDueAt !== null) return null;
  return { ...member, deletionDueAt: now + coolingOff, updatedAt: now };
}

/** A member keeps the account after all. @returns null if nothing changes: none was asked for */
export function cancelDeletion(member: Member, now: number): Member | null {
  return member.deletionDueAt === null ? null : { ...member, deletionDueAt: null, updatedAt: now };
}

/** The words of a text as members are searched by them: "Åse Müller-Berg" is ase, muller, berg. */
export function searchWords(text: string): readonly string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return [...new Set(plain.match(/[\p{L}\p{N}]+/gu) ?? [])];
}

/** The shortest part of a telephone number that finds its member. */
const leastDigits = 5;

/**
 * The digits of a number in international format as members are searched by them: with the calling code, which has one
 * to three of them, and without. The sign tells them from a word of a name.
 */
export function phoneWords(phone: string): readonly string[] {
  const parts = [1, 2, 3, 4].map((from) => phone.slice(from));
  return parts.filter(({ length }) => length >= leastDigits).map((digits) => `+${digits}`);
}

/** The start of a text that may be a telephone number, however it is written; null for any other text. */
export function phoneWord(text: string): string | null {
  if (!/^[+\d\s()./-]+$/.test(text)) return null;
  // What a country dials before its own numbers, or before the calling code of another, is in no stored number.
  const digits = text.replaceAll(/\D/g, '').replace(/^0+/, '');
  return digits.length >= leastDigits ? `+${digits}` : null;
}
