// What a command reads and writes, how it ends, and what may stand on a terminal.
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** What a command reads and writes: the process's own streams, or a test's. */
export interface Terminal {
  /** @returns whether what reads it is still there, as far as it is known by now */
  out(text: string): boolean;
  err(text: string): void;
  /** In characters; null where the output is no terminal, and lines stay as they are. */
  readonly outWidth: number | null;
  readonly errWidth: number | null;
  /** All of the standard input. */
  readInput(): Promise<string>;
  /** Asks for a line of the standard input; null at its end. */
  ask(question: string): Promise<string | null>;
}

/**
 * How a command ends: well, in failure, because it was not understood, with a difference that it only showed, or
 * because what read its output went away, as a shell says it of a program that a closed pipe ended.
 */
export const exitCode = { done: 0, failed: 1, misused: 2, differs: 3, unread: 141 } as const;

/** A command that was written wrongly; nothing was done. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join(' '));
    this.problems = problems;
  }
}

/** Says each line on the error output, folded where that is a terminal. */
export function tell(lines: readonly string[], terminal: Terminal): void {
  for (const line of lines) terminal.err(`${fold(shown(line), terminal.errWidth, '  ')}\n`);
}

/** Says what the command itself has to say. */
export function tellProblems(problems: readonly string[], terminal: Terminal): void {
  const named = problems.map((problem) => `memberdoor: ${problem}`);
  tell(named, terminal);
}

/**
 * A text for a terminal: what members and clients call themselves must not steer it, nor turn the text
 * around it.
 */
export function shown(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (letter) => {
    const hex = letter.codePointAt(0)?.toString(16) ?? '';
    return `\\u{${hex}}`;
  });
}

/** JSON for a terminal: the same JSON, with what would steer it or turn the text around it written as escapes. */
export function shownJson(value: object | string): string {
  return JSON.stringify(value, null, 2).replaceAll(/[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/gu, escapes);
}

/** JSON has escapes of four digits alone: what lies beyond takes two. */
function escapes(letter: string): string {
  return Array.from(
    { length: letter.length },
    (_, index) => `\\u${letter.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}

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

/** Questions to one input. */
export interface Asker {
  /** @returns the line, without white space around it; null at the end of the input */
  ask(question: string): Promise<string | null>;
  /** Lets go of the input, which would keep the process from ending. */
  close(): void;
}

/** @param say writes the question */
export function askerOf(input: Readable, say: (text: string) => void): Asker {
  let reader: ReturnType<typeof createInterface> | null = null;
  let lines: AsyncIterator<string> | null = null;
  return {
    ask: async (question) => {
      reader ??= createInterface({ input });
      lines ??= reader[Symbol.asyncIterator]();
      say(question);
      const { value, done } = await lines.next();
      return done === true ? null : value.trim();
    },
    close: () => reader?.close(),
  };
}
