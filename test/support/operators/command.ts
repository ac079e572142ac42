import { Readable } from 'node:stream';
import type { CommandContext } from '../../../src/cli/command.ts';
import { commands } from '../../../src/cli/commands/index.ts';
import { connect } from '../../../src/cli/connection.ts';
import { runWords } from '../../../src/cli/run.ts';
import { askerOf, exitCode, type Terminal, WrongUsage } from '../../../src/cli/terminal.ts';
import { operations } from '../../../src/operations/admin/index.ts';

/** How a command ended, and what it said. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What a command meets here: what it may use where the test says so, and nothing else. */
export interface Here extends Partial<Omit<CommandContext, 'terminal'>> {
  /** The standard input. */
  readonly input?: string;
  /** Hears each text when it is printed. */
  readonly heard?: (text: string) => void;
  /** Of the terminal; none by default. */
  readonly width?: number | null;
}

const notHere = (what: string) => () => {
  throw new Error(`${what} is not to be asked for`);
};

/** Runs words as the process would, with a terminal of the test's own. */
export async function commandHere(words: readonly string[], here: Here = {}): Promise<Said> {
  const { input = '', heard = () => {}, width = null, ...context } = here;
  const said = { out: '', err: '' };
  const asked = askerOf(Readable.from([input]), (text) => {
    said.err += text;
  });
  const terminal: Terminal = {
    out: (text) => {
      said.out += text;
      heard(text);
      return true;
    },
    err: (text) => {
      said.err += text;
    },
    outWidth: width,
    errWidth: width,
    readInput: async () => input,
    ask: asked.ask,
  };
  const nothing: CommandContext = {
    terminal,
    folder: '/nowhere',
    environment: {},
    configuration: notHere('the configuration'),
    connect: notHere('the service'),
    serve: notHere('a start'),
  };
  try {
    return { code: await runWords({ commands, operations }, words, { ...nothing, ...context }), ...said };
  } catch (error) {
    if (!(error instanceof WrongUsage)) throw error;
    return { code: exitCode.misused, out: said.out, err: error.problems.join('\n') };
  }
}

const noService = () => {
  throw new Error('no service runs on this folder');
};

/** Runs words on a data folder as the process would, through the socket of the service that runs there. */
export function command(folder: string, words: readonly string[], here: Here = {}): Promise<Said> {
  return commandHere(words, {
    connect: (mayMigrate) => connect(folder, noService, mayMigrate, 'olga'),
    ...here,
  });
}
