// What a command reads and writes, how it ends, and what may stand on a terminal.
import { fold } from './fold.ts';

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
