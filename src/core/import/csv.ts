/** The cells of a record of a table (RFC 4180). */

/**
 * Parts a record into its cells. What our own tables put before a text that a spreadsheet would take for a formula is taken
 * away again.
 */
export function cellsOf(record: string, delimiter: string): readonly string[] {
  const text = record.replace(/\r?\n$/, '');
  const cells: string[] = [];
  let at = 0;
  do {
    const quoted = text[at] === '"' ? quotedEnd(text, at) : at;
    const end = text.indexOf(delimiter, quoted);
    const cell = text.slice(at, end === -1 ? text.length : end);
    cells.push(withoutGuard(cell.startsWith('"') ? unquoted(cell) : cell));
    at = end === -1 ? text.length + 1 : end + 1;
  } while (at <= text.length);
  return cells;
}

/** The place behind the quote that ends a cell. */
function quotedEnd(text: string, from: number): number {
  let at = from + 1;
  for (;;) {
    const end = text.indexOf('"', at);
    if (end === -1) return text.length;
    if (text[end + 1] !== '"') return end + 1;
    at = end + 2;
  }
}

/** A cell without its quotes; what stands behind the last of them is kept. */
const unquoted = (cell: string) => {
  const end = quotedEnd(cell, 0);
  const inner = cell.slice(1, cell[end - 1] === '"' && end > 1 ? end - 1 : end);
  return inner.replaceAll('""', '"') + cell.slice(end);
};

/** The inverse of what `text/csv.ts` does to a cell. */
const withoutGuard = (cell: string) =>
  cell.replaceAll(/(^|[;\t\r\n])'(?=\s*[=+\-@＝＋－＠])/g, '$1').replace(/^'(?=[\t\r\n])/, '');
