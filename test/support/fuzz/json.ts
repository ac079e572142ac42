import fc from 'fast-check';

/** How one writes JSON that another would write otherwise. */
interface Hand {
  readonly space: string;
  /** Whether characters of texts are escaped, one after the other. */
  readonly escapes: readonly boolean[];
}

const hand: fc.Arbitrary<Hand> = fc.record({
  space: fc.constantFrom('', ' ', '\n\t', '\r '),
  escapes: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
});

/** A JSON text of a value, in any of the ways in which it can be written. */
export function writtenJson(values: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return fc.tuple(values, hand).map(([value, by]) => write(value, by));
}

/** An object as its members, in their order: a name may stand there twice. */
export type Members = readonly (readonly [string, unknown])[];

/** A JSON text of an object that is given by its members. */
export const writtenMembers = (members: fc.Arbitrary<Members>): fc.Arbitrary<string> =>
  fc.tuple(members, hand).map(([all, by]) => writeMembers(all, by));

function write(value: unknown, by: Hand): string {
  if (typeof value === 'string') return writeText(value, by);
  if (Array.isArray(value)) return `[${value.map((one) => by.space + write(one, by)).join(',')}${by.space}]`;
  if (typeof value === 'object' && value !== null) return writeMembers(Object.entries(value), by);
  return `${by.space}${JSON.stringify(value) ?? 'null'}`;
}

function writeMembers(members: Members, by: Hand): string {
  const { space } = by;
  const written = members.map(
    ([name, value]) => `${space}${writeText(name, by)}${space}:${write(value, by)}`,
  );
  return `{${written.join(',')}${space}}`;
}

/** Each character as itself or as \uXXXX; what must be escaped always is (RFC 8259 §7). */
function writeText(text: string, { escapes }: Hand): string {
  const written = Array.from(text, (character, index) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    const must = /[\x00-\x1f"\\\ud800-\udfff]/u.test(character);
    return must || escapes[index % escapes.length] ? escaped(character) : character;
  });
  return `"${written.join('')}"`;
}

/** One escape for each UTF-16 unit. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
