// The words of a chart, in lines, and how wide they are about: nothing here can measure letters.
import type { Arrow, State } from './graph.ts';

export interface WordLine {
  readonly text: string;
  readonly kind: 'name' | 'stays' | 'event' | 'condition';
}

/** How much a chart says: in its whole width what each arrow hangs on too. */
export type Detail = 'whole' | 'small';

export const lineHeight = 15;
const sizes: Readonly<Record<WordLine['kind'], number>> = { name: 13, stays: 11, event: 12, condition: 11 };
const longest: Readonly<Record<Detail, number>> = { whole: 150, small: 92 };

/** Widths of letters as parts of the size, as most fonts of systems have them. */
const widthOf = (letter: string): number => {
  if (/[iljtfr.,' ]/.test(letter)) return 0.32;
  if (/[mwMW↻]/.test(letter)) return 0.86;
  return 0.57;
};

function textWidth({ text, kind }: WordLine): number {
  const heavy = kind === 'name' ? 1.06 : 1;
  return [...text].reduce((sum, letter) => sum + widthOf(letter), 0) * sizes[kind] * heavy;
}

export const widest = (lines: readonly WordLine[]) => Math.max(0, ...lines.map(textWidth));

/** What stands in the box of a state. */
export function stateLines({ name, stays }: State, detail: Detail): readonly WordLine[] {
  const remaining = stays.length === 0 ? [] : wrapped(`↻ ${stays.join(', ')}`, 'stays', longest[detail]);
  return [{ text: name, kind: 'name' }, ...remaining];
}

/** What stands on an arrow. */
export function arrowLines({ causes }: Arrow, detail: Detail): readonly WordLine[] {
  if (detail === 'small') {
    const events = [...new Set(causes.flatMap((cause) => cause.events))];
    return wrapped(events.join(', '), 'event', longest[detail]);
  }
  return causes.flatMap(({ events, condition }) => [
    ...wrapped(events.join(', '), 'event', longest[detail]),
    ...(condition === null ? [] : wrapped(`if ${condition}`, 'condition', longest[detail])),
  ]);
}

/** Words in lines of at most this width, as far as single words allow. */
function wrapped(text: string, kind: WordLine['kind'], width: number): readonly WordLine[] {
  const lines: WordLine[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const longer: WordLine = { text: last === undefined ? word : `${last.text} ${word}`, kind };
    if (last !== undefined && textWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push({ text: word, kind });
  }
  return lines;
}
