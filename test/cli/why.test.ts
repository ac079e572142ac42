import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalSocket, openSocket } from '../../src/http/admin/socket.ts';
import { operations } from '../../src/operations/admin/index.ts';
import { hosts } from '../support/fixtures.ts';
import { command } from '../support/operators/command.ts';
import { apps, refreshAs } from '../support/tokens.ts';
import { useService } from '../support/use-service.ts';

const service = useService({ data: 'security' });
let socket: LocalSocket | null;

beforeAll(async () => {
  socket = await openSocket(service.folder, operations, service.deps, service.app.log);
});
afterAll(async () => {
  await socket?.close();
});

const why = (...words: string[]) => command(service.folder, ['why', ...words]);

describe('memberdoor why', () => {
  it('says why a request was refused, on whichever tenant that was', async () => {
    const answer = await refreshAs(service, hosts.b, apps.pub1, 'none of ours');
    const told = await why(String(answer.headers['request-id']));
    expect(told).toMatchObject({ code: 0, err: '' });
    const [first = ''] = told.out.split('\n');
    expect(first).toMatch(/^b\.test, .*\(pub1\), \d{4}-.*Z, from 127\.0\.0\.1$/);
    expect(told.out).toContain('This is no refresh token that the tenant gave');
    expect(told.out).toContain('In the words of the audit: this is no refresh token of the tenant\n');
    expect(told.out).toContain('What to do: Store the token whole');
    expect(told.out).toContain('The client was told: invalid_grant\n');
    expect(told.out).toContain('docs/errors.md#invalid_grant');
    expect(told.out).toContain('What was sent is not kept');
  });

  it('prints JSON, and ends with 1 where nothing is known', async () => {
    const answer = await refreshAs(service, hosts.a, { ...apps.conf1, secret: 'wrong' }, 'x');
    const reference = String(answer.headers['request-id']);
    const { out } = await why(reference, '--json', '--tenant', hosts.a);
    expect(JSON.parse(out)).toMatchObject({ clientId: 'conf1', reasons: [{ rule: 'client_secret_wrong' }] });
    expect((await why(reference, '--tenant', hosts.b)).code).toBe(1);
    expect(await why('zzzzzzzz')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/Nothing is known of zzzzzzzz/),
    });
  });
});
