import type { Config } from '../../config.ts';
import { readiness } from '../../doctor/readiness.ts';

/** `memberdoor healthcheck`: whether the service of this configuration is ready. @returns the exit code */
export async function runHealthcheck(_words: readonly string[], config: Config): Promise<number> {
  const answer = await readiness(config);
  if (answer === null) return 0;
  process.stderr.write(`memberdoor: The service is not ready: ${answer}.\n`);
  return 1;
}
