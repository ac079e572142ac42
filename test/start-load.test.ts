import { describe, expect, it, onTestFinished } from 'vitest';
import { project } from './support/process/built.ts';
import { startProcess } from './support/process/started.ts';
import { temporaryFolder } from './support/records/temporary-folder.ts';
import { loadedWith } from './support/sources.ts';

/** What the process of the service has loaded when it answers, whatever it is asked for later. */
const start = loadedWith('cli.ts', 'cli/commands/service.ts', 'main.ts');

describe('a start', () => {
  it('loads these packages of others and no more: what few requests need comes with the first of them', () => {
    expect(start.packages.filter((name) => !name.startsWith('node:'))).toEqual([
      '@fastify/cookie',
      '@fastify/formbody',
      '@fastify/view',
      'better-sqlite3',
      'bowser',
      'eta',
      'fastify',
      'helmet',
      'intl-messageformat',
      'jose',
      'kysely',
      'negotiator',
      'pino',
      'xstate',
    ]);
  });

  it('loads neither the operations of the table nor what is made of them: that comes when they are asked for', () => {
    const ofOperators =
      /^(?:operations\/(?:admin|tenant-file)|http\/(?:admin|api|parts)|doctor|storage\/(?:postgres|move))\//;
    expect(start.files.filter((file) => ofOperators.test(file))).toEqual([
      // What the doctor asks of the running service.
      'doctor/nonce.ts',
      // Tokens of the admin API ask for introspection too.
      'http/admin/api-token.ts',
      'http/admin/socket.ts',
      'http/api/resource-metadata.ts',
      'http/parts/late.ts',
      'operations/admin/operation.ts',
      'operations/admin/providers/provider.ts',
    ]);
  });

  it('in production loads nothing of the rehearsal room', () => {
    expect(start.files.filter((file) => file.includes('rehearsal'))).toEqual([]);
  });

  it('in development loads with the rehearsal room no operations either, and no package', () => {
    const room = loadedWith('http/rehearsal/rehearsal.ts');
    const besides = room.files.filter((file) => !start.files.includes(file));
    expect(besides.filter((file) => /^operations\/(?!schema-(?:fits|problems))/.test(file))).toEqual([]);
    const packages = room.packages.filter((name) => /^[@a-z]/.test(name) && !name.startsWith('node:'));
    expect(packages.filter((name) => !start.packages.includes(name))).toEqual([]);
  });

  it('with a tenant file that is right compiles no schema, and makes no format of a language', async () => {
    const tenants = [
      {
        issuer: 'http://localhost',
        name: 'Shop',
        development: true,
        clients: [{ clientId: 'spa', name: 'App', type: 'public', redirectUris: ['http://localhost:5173/'] }],
        members: [{ email: 'ada@example.com', fullName: 'Ada', password: 'memberdoor-development' }],
      },
    ];
    const started = startProcess({
      settings: {},
      from: project,
      folder: temporaryFolder(),
      words: ['dev', '--memory', '--port', '0', '--json', '--file', '-'],
      input: JSON.stringify({ tenants }),
      options: ['--import', tellingDear],
    });
    onTestFinished(() => started.kill());
    await started.ready;
    expect(await started.stop()).toBe(0);
    expect(started.errorLines()).toEqual(['dear: ']);
  });
});

/** Says at the end what of this the process had: each takes as long as a good part of a start. */
const tellingDear = `data:text/javascript,${encodeURIComponent(`
  import { createRequire } from 'node:module';
  const dear = new Set();
  const { NumberFormat } = Intl;
  Intl.NumberFormat = function (...given) { dear.add('NumberFormat'); return new NumberFormat(...given); };
  const { toLocaleString } = Number.prototype;
  Number.prototype.toLocaleString = function (...given) { dear.add('toLocaleString'); return toLocaleString.apply(this, given); };
  process.on('exit', () => {
    const loaded = Object.keys(createRequire('file:///').cache);
    if (loaded.some((file) => /node_modules.ajv.dist.2020\\.js$/.test(file))) dear.add('ajv');
    console.error('dear: ' + [...dear].join(', '));
  });
`)}`;
