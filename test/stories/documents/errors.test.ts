import { beforeAll, describe, expect, it } from 'vitest';
import { errorCodes } from '../../../src/core/refusals/rule.ts';
import { documentText, tableRows } from '../../support/documents/documents.ts';
import { hosts } from '../../support/fixtures.ts';
import { mayPush } from '../../support/requests/push.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security' });

// What is listed where a client uses it alone.
beforeAll(() => mayPush(service, hosts.a, 'pub1', 'allowed'));

/** What an API is told, which is no error of the protocol's endpoints (RFC 6750 §3.1). */
const ofBearer = ['invalid_token', 'insufficient_scope'];

describe('the catalogue of errors', () => {
  it('has every error that the protocol answers, in alphabetical order, and no other', () => {
    const listed = tableRows('errors.md').flatMap(
      ([first = '']) => /^(?:<a id="\w+"><\/a>)?`([a-z_]+)`$/.exec(first)?.[1] ?? [],
    );
    expect(listed).toEqual([...errorCodes, ...ofBearer].sort());
  });

  it('tells of each address which origins may read it, as its preflight does', async () => {
    const table = documentText('errors.md').split('## What a script in a browser may read')[1] ?? '';
    const rows = [...table.matchAll(/^\| (`.*) \| (.*) \|$/gm)];
    const allowed = async (path: string, origin: string) => {
      const headers = { origin, 'access-control-request-method': 'GET' };
      const answer = await service.http(hosts.a, path, { method: 'OPTIONS', headers });
      return answer.headers['access-control-allow-origin'] !== undefined;
    };
    const said: Record<string, string> = {};
    const found: Record<string, string> = {};
    for (const [, addresses = '', origins = ''] of rows) {
      for (const [, path = ''] of addresses.matchAll(/`(\/[^`]*)`/g)) {
        said[path] = origins;
        const address = path.replace('/…', '/profile/info-with-active-subscriptions');
        const known = await allowed(address, 'https://pub1.test');
        const any = await allowed(address, 'https://elsewhere.test');
        found[path] = any ? 'all' : known ? "the web origins of the tenant's clients" : 'none';
      }
    }
    expect(Object.keys(said).length).toBeGreaterThan(9);
    expect(found).toEqual(said);
  });
});
