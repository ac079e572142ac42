import { command, type Said } from './command.ts';

/** `memberdoor apply -` with a text, for the service that runs on a folder. */
export function applied(
  folder: string,
  text: string,
  options: readonly string[] = ['--yes'],
  environment: Readonly<Record<string, string>> = {},
): Promise<Said> {
  return command(folder, ['apply', '-', ...options], { environment, input: text });
}

/** `memberdoor export`. @returns the text @throws if it was refused */
export async function exported(folder: string, options: readonly string[] = []): Promise<string> {
  const said = await command(folder, ['export', ...options]);
  if (said.code !== 0) throw new Error(said.err);
  return said.out;
}
