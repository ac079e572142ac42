// How an id is written that the service draws: of a member, a sign-in, a seat or a token.

/** A UUID in lower case, as decision 37 has it; for schemas, which take the pattern as text. */
export const idPattern = '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

const id = new RegExp(idPattern);

/** Whether a text is an id: it tells people nothing. */
export const isId = (text: string): boolean => id.test(text);

/** The id that a person or a client may have written in upper case; null where the text is none. */
export function idIn(text: string): string | null {
  const lower = text.toLowerCase();
  return isId(lower) ? lower : null;
}
