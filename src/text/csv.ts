// Comma-separated values (RFC 4180), written so that no spreadsheet takes a text for a formula.

/**
 * Where a spreadsheet would begin to calculate, or run, what stands there: at the beginning of a cell, behind spaces too.
 * Where a country writes lists with semicolons, a spreadsheet parts cells at these, and at line breaks, whatever the quotes.
 */
const formula = /(^|[;\t\r\n])(?=\s*[=+\-@＝＋－＠])|^(?=[\t\r\n])/g;

/** A cell: an apostrophe before what looks like a formula, and quotes around what has a mark of the format in it. */
function cellText(value: string): string {
  const harmless = value.replaceAll(formula, (_, before: string | undefined) => `${before ?? ''}'`);
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** A line with its end. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cellText).join(',')}\r\n`;
