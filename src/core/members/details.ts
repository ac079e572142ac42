// The rules for names, texts and addresses, and how members change their own.
import { type Problem, problem } from '../problem.ts';
import { brandNameLength, memberTextLength } from './limits.ts';
import { type Member, normaliseEmail } from './member.ts';

/** What must not stand in a text that members give of themselves: controls and what is invisible. */
const unfit = /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** What shows nothing, or looks like what is not there. */
const hidden =
  /(?![\ufe0f\u200d])\p{Default_Ignorable_Code_Point}|\u2800|(?<!\p{Extended_Pictographic})\ufe0f(?!\u20e3)|(?<!\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d|\u200d(?!\p{Extended_Pictographic})/gu;

/** Why a name is not taken, or null. */
export function fullNameProblem(fullName: string): 'missing' | 'long' | 'unfit' | null {
  if (!/[^\s\p{Default_Ignorable_Code_Point}]/u.test(fullName)) return 'missing';
  if ([...fullName].length > memberTextLength.fullName) return 'long';
  return unfit.test(fullName) ? 'unfit' : null;
}

/** Why a free text of at most so many characters is not taken, or null; it may be empty. */
export function textProblem(text: string, most: number): 'long' | 'unfit' | null {
  if ([...text].length > most) return 'long';
  return unfit.test(text) ? 'unfit' : null;
}

/** What is wrong with the name of a tenant, a client or a token, or null. */
export const nameProblem = (name: string): Problem | null => lineProblem('name', name, brandNameLength);

/** The same of another line that members read, of at most so many characters. */
export function lineProblem(field: string, line: string, most: number): Problem | null {
  const isSeen = /[^\s\p{Default_Ignorable_Code_Point}]/u.test(line);
  const found = isSeen ? (textProblem(line, most) ?? hiddenProblem(line)) : 'missing';
  switch (found) {
    case null:
      return null;
    case 'long':
      return problem(field, 'too_long', { most });
    case 'unfit':
      return problem(field, 'unfit_name');
    case 'hidden':
      return problem(field, 'unfit');
    case 'missing':
      return problem(field, 'missing');
  }
}

/** Two names that look the same must be the same (F7). The joiners within an emoji are part of how it looks. */
function hiddenProblem(name: string): 'hidden' | null {
  return name.search(hidden) === -1 ? null : 'hidden';
}

/**
 * A name for a page that members trust. It may be older than `nameProblem`: what would turn the text around it,
 * break the line or hide is shown as U+FFFD, and what is too long is cut.
 */
export function shownName(name: string): string {
  const letters = [...name.replaceAll(hidden, '\ufffd')].map((letter) =>
    unfit.test(letter) ? '\ufffd' : letter,
  );
  if (letters.length <= brandNameLength) return letters.join('');
  return `${letters.slice(0, brandNameLength - 1).join('')}…`;
}

/**
 * Why an e-mail address is not taken, or null. Whether it exists only a mail can tell; what is held here is
 * that a mail server would understand it (RFC 5321 §4.5.3.1).
 */
export function emailProblem(email: string): 'missing' | 'malformed' | null {
  const text = email.trim();
  if (text === '') return 'missing';
  if (Buffer.byteLength(text) > memberTextLength.email) return 'malformed';
  // What cannot be seen would make two addresses that look the same.
  if (unfit.test(text) || /\p{Default_Ignorable_Code_Point}/u.test(text)) return 'malformed';
  // A letter that becomes another one when addresses are compared would be another person's mailbox.
  if (plainLetters(normaliseEmail(text)) !== plainLetters(text)) return 'malformed';
  return /^[^\s@<>()[\],;:\\"]{1,64}@[^\s@<>()[\],;:\\"]+\.[^\s@.<>()[\],;:\\"]{2,}$/.test(text)
    ? null
    : 'malformed';
}

/** How many characters of a text are ASCII. */
function plainLetters(text: string): number {
  return [...text].filter((letter) => letter < '\u0080').length;
}

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

type ChangedDetails =
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
  const lines = Object.fromEntries(addressLines.map((line) => [line, details.address[line].trim() || null]));
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
      address: { ...member.address, ...lines, country: country || null },
      updatedAt: now,
    },
  };
}
