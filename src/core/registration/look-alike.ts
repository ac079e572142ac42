// Tells whether a name that proves nothing may be taken for one that members know.

/** Letters of other scripts, and digits and signs, each with the Latin letter that it is read as. */
const readAs: ReadonlyMap<string, string> = new Map(
  [
    'аa вb сc ԁd еe ѕs һh іi јj кk ӏl мm нh оo рp ԛq тt уy ԝw хx ѵv гr пn',
    'αa βb εe ηn ιi κk νv οo ρp τt υu χx ωw γy σo',
    '0o 1l 3e 4a 5s 7t 8b |l !l $s @a ıi łl øo đd ßb',
  ].flatMap((pairs) => pairs.split(' ').map(([from, to]) => [from, to] as [string, string])),
);

/** Below this length one name stands in others by chance. */
const tellingLength = 4;

/** A name as it is seen at a glance: without case, accents, spaces and signs, each letter as the one it is read as. */
function glance(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '');
  const letters = [...plain].map((letter) => readAs.get(letter) ?? letter).join('');
  return letters
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll(/[il]/g, 'l');
}

/**
 * Whether a name may be taken for a known one: it looks the same at a glance, or has it within. What mixes scripts
 * within one name is taken for anything.
 */
export function looksLike(name: string, known: readonly string[]): boolean {
  const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];
  if (scripts.filter((script) => script.test(name)).length > 1) return true;
  const seen = glance(name);
  return known.some((one) => {
    const other = glance(one);
    return seen === other || (other.length >= tellingLength && seen.includes(other));
  });
}
