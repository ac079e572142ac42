import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apps, claimsOf, tokensOf } from '../support/tokens.ts';
import { useService } from '../support/use-service.ts';

// Below the project, so that what runs there finds the libraries.
const folder = fileURLToPath(new URL('../output/documents/', import.meta.url));
const document = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

const service = useService({ data: 'development' });

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  // The library reads the time of tokens by the machine's clock.
  service.clock.set(Date.now());
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('what the documents tell an API of the operator', () => {
  it('to run checks an access token, and refuses an id_token', async () => {
    const code = /```js\n([\s\S]*?)\n```/.exec(document('resource-servers.md'))?.[1] ?? '';
    expect(code).toContain('http://localhost:3000');
    const host = `localhost:${service.port}`;
    const tokens = await tokensOf(service, host, apps.spa, { email: 'ada@example.com' });
    const file = `${folder}api.mjs`;
    const ask = 'console.log(JSON.stringify(await claimsOf(process.env.TOKEN).catch(({ code }) => code)));';
    writeFileSync(file, `${code.replace('http://localhost:3000', `http://${host}`)}\n${ask}\n`);
    const said = async (token: string) => {
      const env = { ...process.env, TOKEN: token };
      const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
      return JSON.parse(stdout) as unknown;
    };
    expect(await said(tokens.access_token)).toEqual(claimsOf(tokens.access_token));
    expect(await said(tokens.id_token)).toBe('ERR_JWT_CLAIM_VALIDATION_FAILED');
  });
});
