// Comma-separated values (RFC 4180), of which no spreadsheet takes a text for a formula.

/** What a spreadsheet would calculate, or run: the text of a cell that begins like this. */
const formula = /^[=+\-@\t\r]/;

/** A cell: an apostrophe before what looks like a formula, and quotes around what has a mark of the format in it. */
function cellText(value: string): string {
  const harmless = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** A line with its end. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cellText).join(',')}\r\n`;
