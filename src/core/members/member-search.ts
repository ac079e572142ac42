/** What is left of a text where case, accents and width do not count. */
function plain(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** The words of a text as members are searched by them: "Åse Müller-Berg" is ase, muller, berg. */
export function searchWords(text: string): readonly string[] {
  return [...new Set(plain(text).match(/[\p{L}\p{N}]+/gu) ?? [])];
}
