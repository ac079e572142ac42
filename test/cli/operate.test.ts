import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalSocket, openSocket } from '../../src/http/admin/socket.ts';
import { operations } from '../../src/operations/admin/index.ts';
import { command } from '../support/operators/command.ts';
import { useService } from '../support/use-service.ts';

const service = useService({ data: 'nothing' });
let socket: LocalSocket | null;

beforeAll(async () => {
  socket = await openSocket(service.folder, operations, service.deps, service.app.log);
});
afterAll(async () => {
  await socket?.close();
});

const run = (...words: string[]) => command(service.folder, words);
const create = (name: string) => run('tenants', 'create', '--name', name, '--issuer', `https://${name}.test`);

describe('a command for the running service', () => {
  it('says that there is no tenant yet where one is needed', async () => {
    expect(await run('tenants', 'read')).toEqual({ code: 2, out: '', err: 'There is no tenant yet.' });
  });

  it('need not name the tenant while there is one', async () => {
    expect((await create('one')).code).toBe(0);
    const read = await run('tenants', 'read');
    expect(read.code).toBe(0);
    expect(read.out).toMatch(/^host +one\.test$/m);
    const changed = await run('tenants', 'change', '--languages', 'nb', '--languages', 'da', '--json');
    expect(JSON.parse(changed.out)).toMatchObject({ host: 'one.test', languages: ['nb', 'da'] });
    expect(service.tenants.byHost('one.test')?.languages).toEqual(['nb', 'da']);
  });

  it('has to name it when there are two, and is told which', async () => {
    await create('two');
    expect(await run('tenants', 'read')).toEqual({
      code: 2,
      out: '',
      err: '--tenant is missing: there are one.test, two.test.',
    });
    expect((await run('tenants', 'read', '--tenant', 'two.test')).out).toMatch(/^name +two$/m);
  });

  it('lists in a table, and as JSON', async () => {
    const { out } = await run('tenants', 'list');
    expect(out.split('\n')[0]).toMatch(/^id +name +issuer/);
    expect(out.split('\n')).toHaveLength(4);
    const { tenants } = JSON.parse((await run('tenants', 'list', '--json')).out);
    expect(tenants).toMatchObject([{ name: 'one' }, { name: 'two' }]);
  });

  it('tells each problem of what was refused by its option, and ends with 1', async () => {
    const refused = await run('tenants', 'change', '--tenant', 'one.test', '--password-length', 'x');
    expect({ code: refused.code, out: refused.out }).toEqual({ code: 1, out: '' });
    expect(refused.err).toBe('memberdoor: --password-length must be a whole number\n');
    const taken = await create('one');
    expect(taken).toMatchObject({ code: 1, out: '' });
    expect((await run('tenants', 'read', '--tenant', 'no.test')).err).toBe(
      'memberdoor: there is no such tenant\n',
    );
  });

  it('that was not understood does nothing, proposes what was meant, and ends with 2', async () => {
    for (const [words, problem] of [
      [['tenant', 'list'], 'There is no command "tenant". Did you mean "tenants"?'],
      [['tenants', 'lst'], 'There is no "tenants lst". Did you mean "list"?'],
      [['tenants', 'read', '--tenat', 'x'], 'There is no --tenat here. Did you mean "--tenant"?'],
      [['tenants', 'create', '--name', 'x'], '--issuer TEXT is missing.'],
    ] as const) {
      const said = await run(...words);
      expect({ code: said.code, first: said.err.split('\n')[0] }).toEqual({ code: 2, first: problem });
    }
  });

  it('explains nouns and verbs without a service', async () => {
    for (const words of [['tenants'], ['tenants', 'help'], ['tenants', '--help']]) {
      const said = await command('/nowhere', words);
      expect(said).toMatchObject({ code: 0, err: '' });
      expect(said.out).toContain('  memberdoor tenants set-stage');
    }
    expect((await command('/nowhere', ['tenants', 'create', '--help'])).out).toContain('--brand-color TEXT');
  });
});
