import { operate } from '../../../src/cli/commands/operate.ts';
import { connect } from '../../../src/cli/connection.ts';
import { exitCode, WrongUsage } from '../../../src/cli/terminal.ts';
import { operations } from '../../../src/operations/admin/index.ts';

/** How a command ended, and what it said. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command on a data folder as the process would, through the socket of the service that runs there. */
export async function command(folder: string, words: readonly string[], input = ''): Promise<Said> {
  const said = { out: '', err: '' };
  const terminal = {
    out: (text: string) => {
      said.out += text;
    },
    err: (text: string) => {
      said.err += text;
    },
    readInput: async () => input,
  };
  const noService = () => {
    throw new Error('no service runs on this folder');
  };
  try {
    const code = await operate(operations, words, () => connect(folder, noService), terminal);
    return { code, ...said };
  } catch (error) {
    if (!(error instanceof WrongUsage)) throw error;
    return { code: exitCode.misused, out: said.out, err: error.problems.join('\n') };
  }
}
