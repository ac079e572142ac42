/**
 * Cuts a file into the pieces that describe one member each, however it arrives: byte by byte if need be. A piece that is
 * too long is let go of while it goes by, and the next one is read as if nothing had been.
 */
import { entryBytes } from './limits.ts';

/** One member's part of a file. */
export interface Piece {
  /** Where it begins, as editors count. */
  readonly line: number;
  /** Behind its last byte, and what ends it: where reading goes on. */
  readonly end: number;
  /** The line that reading goes on in. */
  readonly nextLine: number;
  /** null if it is too long. */
  readonly bytes: Buffer | null;
}

/** Where a file is read from: its beginning, or behind a piece. */
export interface Place {
  readonly offset: number;
  readonly line: number;
}

/** How a file is cut: a JSON object a line; the records of a table, parted by this byte; the entries of a list in JSON. */
export type Layout =
  | { readonly kind: 'lines' }
  | { readonly kind: 'records'; readonly delimiter: number }
  | { readonly kind: 'elements' };

export interface Splitter {
  /** Takes the next bytes of the file. @returns the pieces that are whole with them */
  push(bytes: Buffer): readonly Piece[];
  /** There are no more. @returns what is left, which may be half a piece */
  end(): readonly Piece[];
}

const code = (letter: string) => letter.charCodeAt(0);
const [newLine, quote, backslash, comma] = [code('\n'), code('"'), code('\\'), code(',')];
const openers = new Set(['{', '['].map(code));
const closers = new Set(['}', ']'].map(code));
const blanks = new Set([' ', '\t', '\n', '\r'].map(code));

/** What a splitter knows while it reads: where it is, and what it keeps of the piece under way. */
function pieces(from: Place) {
  let kept: Buffer[] = [];
  let length = 0;
  let { offset, line } = from;
  let begun = line;
  let isBlank = true;
  const keep = (bytes: Buffer) => {
    length += bytes.length;
    // Of one that is too long nothing is kept.
    if (length > entryBytes) kept = [];
    else kept.push(bytes);
  };
  return {
    /** Whether there is nothing in it so far: until then it is taken line by line, to know which one it begins in. */
    get isBlank() {
      return isBlank;
    },
    /** Whether it is too long with so many bytes that are not taken yet. */
    isLongWith: (more: number) => length + more > entryBytes,
    /** Takes bytes into the piece. */
    take(bytes: Buffer, isOnlyBlank: boolean): void {
      if (isBlank && !isOnlyBlank) begun = line;
      isBlank &&= isOnlyBlank;
      // What stands before it is no part of it.
      if (!isBlank) keep(bytes);
      offset += bytes.length;
    },
    /** Passes by what parts two pieces. */
    skip(count: number): void {
      offset += count;
    },
    /** A line of the file ends here. */
    countLine(): void {
      line += 1;
    },
    /** Ends the piece. @returns none where there was nothing in it */
    close(): readonly Piece[] {
      const bytes = length > entryBytes ? null : Buffer.concat(kept);
      const piece = { line: begun, end: offset, nextLine: line, bytes };
      const isNothing = isBlank;
      kept = [];
      length = 0;
      isBlank = true;
      begun = line;
      return isNothing ? [] : [piece];
    },
  };
}

const isOnlyBlank = (bytes: Buffer): boolean => bytes.every((byte) => blanks.has(byte));

/** Cuts a file from a place on. */
export function splitter(layout: Layout, from: Place): Splitter {
  switch (layout.kind) {
    case 'lines':
      return lines(from);
    case 'records':
      return records(from, layout.delimiter);
    case 'elements':
      return elements(from);
  }
}

function lines(from: Place): Splitter {
  const under = pieces(from);
  return {
    push(bytes) {
      const found: Piece[] = [];
      let at = 0;
      for (;;) {
        const end = bytes.indexOf(newLine, at);
        const part = bytes.subarray(at, end === -1 ? bytes.length : end + 1);
        under.take(part, isOnlyBlank(part));
        if (end === -1) return found;
        at = end + 1;
        under.countLine();
        found.push(...under.close());
      }
    },
    end: under.close,
  };
}

/** Records (RFC 4180): a line end within quotes belongs to a cell. */
function records(from: Place, delimiter: number): Splitter {
  const under = pieces(from);
  let isQuoted = false;
  let isCellStart = true;
  return {
    push(bytes) {
      const found: Piece[] = [];
      let at = 0;
      for (let next = 0; next < bytes.length; next += 1) {
        const byte = bytes[next];
        if (byte === quote && (isQuoted || isCellStart)) isQuoted = !isQuoted;
        if (byte === newLine) {
          // A quote that was never closed would take the rest of the file with it.
          if (under.isLongWith(next + 1 - at)) isQuoted = false;
          if (!isQuoted || under.isBlank) {
            const part = bytes.subarray(at, next + 1);
            under.take(part, isOnlyBlank(part));
            at = next + 1;
          }
          under.countLine();
          if (!isQuoted) found.push(...under.close());
        }
        // Behind a quote that closes, another one opens again: it stands for itself.
        isCellStart = !isQuoted && (byte === delimiter || byte === quote || byte === newLine);
      }
      const rest = bytes.subarray(at);
      under.take(rest, isOnlyBlank(rest));
      return found;
    },
    end: under.close,
  };
}

/** The entries of a list, from behind its bracket or one of its commas on. */
function elements(from: Place): Splitter {
  const under = pieces(from);
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  let isOver = false;
  return {
    push(bytes) {
      const found: Piece[] = [];
      if (isOver) return found;
      let at = 0;
      const takeTo = (end: number) => {
        const part = bytes.subarray(at, end);
        under.take(part, isOnlyBlank(part));
        at = end;
      };
      for (let next = 0; next < bytes.length; next += 1) {
        const byte = bytes[next] ?? 0;
        if (byte === newLine) {
          if (under.isBlank) takeTo(next + 1);
          under.countLine();
        }
        if (isText) {
          if (isEscaped) isEscaped = false;
          else if (byte === backslash) isEscaped = true;
          else if (byte === quote) isText = false;
        } else if (byte === quote) isText = true;
        else if (openers.has(byte)) depth += 1;
        else if (closers.has(byte)) depth -= 1;
        isOver = depth < 0;
        if (!isOver && (isText || depth > 0 || byte !== comma)) continue;
        takeTo(next);
        // Reading goes on behind the comma, and at the bracket that ends the list.
        found.push(...under.close().map((piece) => ({ ...piece, end: piece.end + (isOver ? 0 : 1) })));
        if (isOver) return found;
        under.skip(1);
        at = next + 1;
      }
      takeTo(bytes.length);
      return found;
    },
    end: () => (isOver ? [] : under.close()),
  };
}
