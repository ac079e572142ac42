import { beforeAll, describe, expect, it } from 'vitest';
import { codeOf, runProgram } from '../../support/documents/documents.ts';
import { apps, claimsOf, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'development' });

// The library reads the time of tokens by the machine's clock.
beforeAll(() => service.clock.set(Date.now()));

describe('what the documents tell an API of the operator', () => {
  it('to run checks an access token, and refuses an id_token', async () => {
    const code = codeOf('resource-servers.md', 'js').find((program) => program.includes('claimsOf')) ?? '';
    const host = `localhost:${service.port}`;
    const tokens = await tokensOf(service, host, apps.spa, { email: 'ada@example.com' });
    const said = async (token: string) => {
      const ask = `console.log(JSON.stringify(await claimsOf('${token}').catch(({ code }) => code)));`;
      const program = runProgram(`${code}\n${ask}`, { 'http://localhost:3000': `http://${host}` });
      const [line] = await program.says(/.*/);
      await program.stop();
      return JSON.parse(line) as unknown;
    };
    expect(await said(tokens.access_token)).toEqual(claimsOf(tokens.access_token));
    expect(await said(tokens.id_token)).toBe('ERR_JWT_CLAIM_VALIDATION_FAILED');
  });
});
