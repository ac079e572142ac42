/** What a command reads and writes: the process's own streams, or a test's. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** All of the standard input. */
  readInput(): Promise<string>;
}

/** How a command ends: well, in failure, or because it was not understood. */
export const exitCode = { done: 0, failed: 1, misused: 2 } as const;

/** A command that was written wrongly; nothing was done. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join(' '));
    this.problems = problems;
  }
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
export function shownJson(value: object): string {
  return JSON.stringify(value, null, 2).replaceAll(/[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/gu, escapes);
}

/** JSON has escapes of four digits alone: what lies beyond takes two. */
function escapes(letter: string): string {
  return Array.from(
    { length: letter.length },
    (_, index) => `\\u${letter.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}
