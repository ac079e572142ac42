// Asks the running service whether it is ready.
import { request } from 'node:http';
import type { Config } from '../config.ts';
import { healthcheckTime } from '../core/operators/limits.ts';

/** Asks `/readyz` on the port of this configuration. @returns null if it is ready, else why not in a word */
export function readiness({ host, port }: Pick<Config, 'host' | 'port'>): Promise<string | null> {
  return new Promise((resolve) => {
    const asked = request(
      { host: reachable(host), port, path: '/readyz', timeout: healthcheckTime },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => {
          text = (text + chunk).slice(0, 100);
        });
        answer.on('end', () => resolve(answer.statusCode === 200 ? null : text.trim()));
        answer.on('error', () => resolve('its answer was cut off'));
      },
    );
    asked.on('timeout', () => asked.destroy(new Error('no answer in time')));
    asked.on('error', (error: Error & { code?: string }) => resolve(error.code ?? error.message));
    asked.end();
  });
}

/** Who listens on every address listens on loopback. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
