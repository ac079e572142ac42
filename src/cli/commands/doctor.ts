// The commands `init`, `doctor` and `healthcheck`: of the service as a whole.
import { isIP } from 'node:net';
import { readiness } from '../../doctor/call.ts';
import { examine } from '../../doctor/examine.ts';
import type { Finding } from '../../doctor/finding.ts';
import { openService } from '../../operations/service/service.ts';
import { systemClock } from '../../system/clock.ts';
import { systemRandom } from '../../system/random.ts';
import { defineCommand, migrateOption } from '../command.ts';
import { exitCode, fold, shown, tellProblems, WrongUsage } from '../terminal.ts';

export const init = defineCommand({
  name: 'init',
  summary: 'make the database of a new production service',
  options: { migrate: migrateOption },
  run: async ({ migrate }, { terminal, configuration }) => {
    const config = configuration();
    const { store } = await openService(config, { initialise: true, migrate });
    await store.close();
    const where = config.databaseUrl === null ? `in ${config.dataFolder}` : 'that the settings name';
    terminal.out(`The database ${where} is ready.\n`);
    return exitCode.done;
  },
});

export const healthcheck = defineCommand({
  name: 'healthcheck',
  summary: 'whether the service is ready',
  run: async (_input, { terminal, configuration }) => {
    const answer = await readiness(configuration());
    if (answer === null) return exitCode.done;
    tellProblems([`The service is not ready: ${answer}.`], terminal);
    return exitCode.failed;
  },
});

/** Says what is wrong with this machine and with the way to it, and ends with 1 if anything is. */
export const doctor = defineCommand({
  name: 'doctor',
  summary: 'find what is wrong here and on the way to here',
  options: { at: { value: 'ADDRESS[:PORT]', text: 'where to call, before the DNS leads here' } },
  run: async ({ at }, { terminal, configuration }) => {
    const route = routeTo(at);
    const findings = await examine({
      config: configuration(),
      clock: systemClock,
      random: systemRandom,
      ...route,
    });
    for (const finding of findings) terminal.out(textOf(finding, terminal.outWidth));
    const ill = findings.filter(({ isWell }) => !isWell).length;
    terminal.out(ill === 0 ? 'All is well.\n' : `${ill} of ${findings.length} are wrong.\n`);
    return ill === 0 ? exitCode.done : exitCode.failed;
  },
});

/** Where to call: where the name service leads, or, before it does, at an address. */
function routeTo(at: string | undefined) {
  if (at === undefined) return { at: null, plainAt: 'by name' } as const;
  const [, host = '', port] = /^(.*?)(?::(\d{1,5}))?$/.exec(isIP(at) === 6 ? `[${at}]` : at) ?? [];
  const address = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) === 0) throw new WrongUsage(['--at must be an address, with a port or without.']);
  return {
    at: { host: address, port: Number(port ?? '443') },
    plainAt: port === undefined ? { host: address, port: 80 } : null,
  };
}

/**
 * One line, and below it what mends it. What came from elsewhere must not steer the terminal.
 *
 * @param width of the terminal, which lines to copy are not folded at
 */
export function textOf({ where, isWell, what, advice, mend }: Finding, width: number | null): string {
  const folded = (line: string) => `${fold(line, width, '       ')}\n`;
  if (isWell) return folded(`ok     ${shown(`${where}: ${what}`)}`);
  // Why a start fails is a sentence already.
  const found = what.endsWith('.') ? what : `${what}.`;
  const first = folded(`wrong  ${shown(`${where}: ${found} What to do: ${advice ?? ''}`)}.`);
  if (mend === null) return first;
  const lines = [
    ...mend.nginx.map((line, index) => (index === 0 ? `nginx:  ${line}` : `        ${line}`)),
    ...mend.caddy.map((line, index) => (index === 0 ? `Caddy:  ${line}` : `        ${line}`)),
  ];
  return first + lines.map((line) => `         ${shown(line)}\n`).join('');
}
