// Asks the person at the terminal, or whatever is piped in, one line at a time.
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

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
