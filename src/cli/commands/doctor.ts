import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { systemClock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { examine } from '../../doctor/examine.ts';
import type { Finding } from '../../doctor/finding.ts';
import { systemRandom } from '../../random.ts';
import { shown, WrongUsage } from '../terminal.ts';

/**
 * `memberdoor doctor [--at ADDRESS[:PORT]]`: says what is wrong with this machine and with the way to it.
 *
 * @returns the exit code: 1 if anything is wrong. @throws WrongUsage
 */
export async function runDoctor(words: readonly string[], config: Config): Promise<number> {
  const route = routeOf(words);
  const findings = await examine({ config, clock: systemClock, random: systemRandom, ...route });
  for (const finding of findings) process.stdout.write(textOf(finding));
  const ill = findings.filter(({ isWell }) => !isWell).length;
  process.stdout.write(ill === 0 ? 'All is well.\n' : `${ill} of ${findings.length} are wrong.\n`);
  return ill === 0 ? 0 : 1;
}

/** Where to call: where the name service leads, or, before it does, at an address. */
function routeOf(words: readonly string[]) {
  let at: string | undefined;
  try {
    at = parseArgs({ args: [...words], options: { at: { type: 'string' } } }).values.at;
  } catch {
    throw new WrongUsage(['memberdoor doctor takes --at ADDRESS[:PORT] alone.']);
  }
  if (at === undefined) return { at: null, plainAt: 'by name' } as const;
  const [, host = '', port] = /^(.*?)(?::(\d{1,5}))?$/.exec(isIP(at) === 6 ? `[${at}]` : at) ?? [];
  const address = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) === 0) throw new WrongUsage(['--at must be an address, with a port or without.']);
  return {
    at: { host: address, port: Number(port ?? '443') },
    plainAt: port === undefined ? { host: address, port: 80 } : null,
  };
}

/** One line, and below it what mends it. What came from elsewhere must not steer the terminal. */
export function textOf({ where, isWell, what, advice, mend }: Finding): string {
  if (isWell) return `ok     ${shown(`${where}: ${what}`)}\n`;
  const first = `wrong  ${shown(`${where}: ${what}. What to do: ${advice ?? ''}`)}.\n`;
  if (mend === null) return first;
  const lines = [
    ...mend.nginx.map((line, index) => (index === 0 ? `nginx:  ${line}` : `        ${line}`)),
    ...mend.caddy.map((line, index) => (index === 0 ? `Caddy:  ${line}` : `        ${line}`)),
  ];
  return first + lines.map((line) => `         ${shown(line)}\n`).join('');
}
