// Folds lines between words, so that they fit the terminal.

/** Narrower than this a terminal is not taken at its word: every line would be a word. */
const narrowest = 20;

/** The least that the second of two columns needs to be read beside the first. */
const leastBeside = 30;

/**
 * A line as lines that are no longer than the terminal is wide. A word that is longer stays whole, so that an
 * address can be copied. The first line keeps its own indent.
 *
 * @param width in characters; null where there is no terminal, and then nothing is folded
 * @param indent stands before every line but the first
 */
export function fold(line: string, width: number | null, indent: string): string {
  if (width === null || line.length <= width) return line;
  const most = Math.max(width, narrowest);
  const lines: string[] = [];
  let current = '';
  for (const piece of line.match(/^\s*\S*|\s+\S+/g) ?? []) {
    const isFirst = current === '' || current === indent;
    if (isFirst || current.length + piece.length <= most) {
      current += isFirst && lines.length > 0 ? piece.trimStart() : piece;
      continue;
    }
    lines.push(current);
    current = indent + piece.trimStart();
  }
  return [...lines, current].join('\n');
}

/**
 * Two columns: what is explained, and what it means, folded below itself. On a terminal that leaves the second one
 * too little, it stands on lines of its own.
 *
 * @param width null where there is no terminal: then each row is one line
 * @param before spaces before every row
 */
export function columns(
  rows: readonly (readonly [left: string, right: string])[],
  before: string,
  width: number | null,
): string {
  const leftWidth = Math.max(0, ...rows.map(([left]) => left.length));
  const indent = ' '.repeat(before.length + leftWidth + 2);
  const isNarrow = width !== null && width - indent.length < leastBeside;
  return rows
    .map(([left, right]) => {
      if (!isNarrow)
        return `${fold(`${before}${`${left.padEnd(leftWidth)}  ${right}`.trimEnd()}`, width, indent)}\n`;
      const below = `${before}    `;
      return `${fold(before + left, width, `${before}  `)}\n${right === '' ? '' : `${fold(`${below}${right}`, width, below)}\n`}`;
    })
    .join('');
}
