// Changes a member's own details as they were sent in a form.
import { fullNameProblem, textProblem } from './details.ts';
import { memberTextLength } from './limits.ts';
import type { Address, Member } from './member.ts';

/** The lines of a postal address that a member fills in. */
export const addressLines = ['name', 'line1', 'postCode', 'postOffice', 'city'] as const;

/** What a member says of themselves, as it was read from the form; an empty text takes a detail away. */
export interface Details {
  readonly fullName: string;
  readonly nickName: string;
  /** E.164 with its `+`, or empty; null if it was not understood. */
  readonly phone: string | null;
  readonly address: Readonly<Record<(typeof addressLines)[number], string>>;
  /** ISO 3166-1, or empty; null if it was not understood. */
  readonly country: string | null;
  /** One of our languages; null is what the browser asks for. */
  readonly locale: string | null;
}

/** A field that was not taken, and why: the last part of the text's key. */
export interface DetailProblem {
  readonly field: string;
  readonly problem: 'missing' | 'long' | 'unfit' | 'malformed' | 'unknown';
}

export type ChangedDetails =
  | { readonly kind: 'changed'; readonly member: Member }
  | { readonly kind: 'refused'; readonly problems: readonly DetailProblem[] };

/** Decides a change of a member's details: all of it, or none with every problem (pages 6, 18). */
export function changeDetails(member: Member, details: Details, now: number): ChangedDetails {
  const { fullName, nickName, phone, country, locale } = details;
  const checked: readonly { field: string; problem: DetailProblem['problem'] | null }[] = [
    { field: 'fullName', problem: fullNameProblem(fullName) },
    { field: 'nickName', problem: textProblem(nickName, memberTextLength.nickName) },
    { field: 'phone', problem: phone === null ? 'malformed' : null },
    ...addressLines.map((field) => ({
      field,
      problem: textProblem(details.address[field], memberTextLength.line),
    })),
    { field: 'country', problem: country === null ? 'unknown' : null },
  ];
  const problems = checked.flatMap(({ field, problem }) => (problem === null ? [] : [{ field, problem }]));
  if (problems.length > 0 || phone === null || country === null) return { kind: 'refused', problems };
  const address: Address = {
    ...member.address,
    ...linesOf(details),
    country: country === '' ? null : country,
  };
  return {
    kind: 'changed',
    member: {
      ...member,
      fullName: fullName.trim(),
      nickName: nickName.trim(),
      phone,
      // A new number is not known to be the member's until it is verified.
      phoneVerified: member.phoneVerified && phone === member.phone,
      locale,
      address,
      updatedAt: now,
    },
  };
}

function linesOf({ address }: Details): Pick<Address, (typeof addressLines)[number]> {
  const line = (text: string) => text.trim() || null;
  return {
    name: line(address.name),
    line1: line(address.line1),
    postCode: line(address.postCode),
    postOffice: line(address.postOffice),
    city: line(address.city),
  };
}
