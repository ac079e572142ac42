import { runApply } from '../../../src/cli/commands/apply.ts';
import { runExport } from '../../../src/cli/commands/export.ts';
import { connect } from '../../../src/cli/connection.ts';
import { exitCode, type Terminal, WrongUsage } from '../../../src/cli/terminal.ts';
import type { Said } from './command.ts';

/** Runs a part of the command with a terminal of the test's own. */
export async function saidBy(work: (terminal: Terminal) => Promise<number>, input = ''): Promise<Said> {
  const said = { out: '', err: '' };
  const terminal: Terminal = {
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    readInput: async () => input,
  };
  try {
    return { code: await work(terminal), ...said };
  } catch (error) {
    if (!(error instanceof WrongUsage)) throw error;
    return { code: exitCode.misused, out: said.out, err: error.problems.join('\n') };
  }
}

const noService = () => {
  throw new Error('no service runs on this folder');
};

/** `memberdoor apply -` with a text, for the service that runs on a folder. */
export function applied(
  folder: string,
  text: string,
  options: readonly string[] = ['--yes'],
  environment: Readonly<Record<string, string>> = {},
): Promise<Said> {
  const words = ['-', ...options];
  return saidBy((terminal) => runApply(words, () => connect(folder, noService), terminal, environment), text);
}

/** `memberdoor export`. @returns the text @throws if it was refused */
export async function exported(folder: string, options: readonly string[] = []): Promise<string> {
  const said = await saidBy((terminal) => runExport(options, () => connect(folder, noService), terminal));
  if (said.code !== 0) throw new Error(said.err);
  return said.out;
}
