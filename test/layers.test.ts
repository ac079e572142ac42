import { describe, expect, it } from 'vitest';
import { circlesOf, type SourceFile, sources } from './support/sources.ts';

/** What may import what. A part that is named nowhere may be imported by none; `*` is every part. */
type Arrows = Readonly<Record<string, readonly string[]>>;

/** The files at the root of src that are no layer of their own: where the process begins. */
const starts = ['cli.ts', 'main.ts'];

/** The folders of src, and the configuration beside them (ARCHITECTURE.md, "Which may import which"). */
const layers: Arrows = {
  core: [],
  system: ['core'],
  text: [],
  secrets: ['core', 'system'],
  migrations: [],
  storage: ['core', 'migrations', 'system'],
  config: ['core', 'secrets', 'system', 'text'],
  log: ['config', 'core', 'secrets', 'storage', 'system'],
  operations: ['config', 'core', 'log', 'secrets', 'storage', 'system', 'text'],
  doctor: ['config', 'core', 'operations', 'storage', 'system'],
  http: ['config', 'core', 'doctor', 'log', 'operations', 'secrets', 'storage', 'system', 'text'],
  testing: ['bin', 'operations'],
  cli: ['config', 'core', 'doctor', 'operations', 'secrets', 'storage', 'system', 'text'],
  start: ['cli', 'config', 'core', 'http', 'log', 'operations', 'storage', 'system'],
};

/** The folders of http among one another; what stands in http itself is there for all of them. */
const httpParts: Arrows = {
  server: [],
  pages: [],
  upkeep: [],
  oidc: ['pages'],
  members: ['oidc', 'pages'],
  api: ['oidc'],
  admin: ['api', 'oidc', 'pages'],
  rehearsal: ['members', 'oidc', 'pages'],
  setup: ['pages'],
  parts: ['admin', 'api'],
};

const first = (path: string) => path.split('/')[0] ?? '';

/** The layer of a file below src. */
function layerOf(path: string): string {
  if (path.startsWith('../db/migrations/')) return 'migrations';
  if (path.startsWith('../bin/')) return 'bin';
  if (path.includes('/')) return first(path);
  return starts.includes(path) ? 'start' : path.replace(/\.ts$/, '');
}

/** The folder of http that a file stands in, or null. */
function httpPartOf(path: string): string | null {
  const [folder, part, file] = path.split('/');
  return folder === 'http' && part !== undefined && file !== undefined ? part : null;
}

type PartOf = (path: string) => string | null;

/** The arrows from part to part, each with the imports that make it. */
function arrowsOf(files: readonly SourceFile[], partOf: PartOf): ReadonlyMap<string, readonly string[]> {
  const arrows = new Map<string, string[]>();
  for (const { name, imports } of files) {
    for (const imported of imports) {
      const [from, to] = [partOf(name), partOf(imported)];
      if (from === null || to === null || from === to) continue;
      const arrow = `${from} -> ${to}`;
      arrows.set(arrow, [...(arrows.get(arrow) ?? []), `${name} imports ${imported}`]);
    }
  }
  return arrows;
}

const written = (arrows: Arrows) =>
  Object.entries(arrows).flatMap(([from, parts]) => parts.map((to) => `${from} -> ${to}`));

/** The imports that no arrow of the table allows. */
function forbidden(table: Arrows, files: readonly SourceFile[], partOf: PartOf): readonly string[] {
  const allowed = new Set(written(table));
  return [...arrowsOf(files, partOf)].flatMap(([arrow, imports]) => (allowed.has(arrow) ? [] : imports));
}

/** The arrows of the table that no import needs. */
function superfluous(table: Arrows, files: readonly SourceFile[], partOf: PartOf): readonly string[] {
  const used = arrowsOf(files, partOf);
  return written(table).filter((arrow) => !used.has(arrow));
}

const circles = (table: Arrows) =>
  circlesOf(new Map(Object.entries(table).map(([from, parts]) => [from, new Set(parts)])));

describe.each<[string, Arrows, PartOf]>([
  ['the folders of src', layers, layerOf],
  ['the folders of src/http', httpParts, httpPartOf],
])('%s', (_folder, table, partOf) => {
  it('import only what the table allows', () => {
    expect(forbidden(table, sources, partOf)).toEqual([]);
  });

  it('need every arrow of the table', () => {
    expect(superfluous(table, sources, partOf)).toEqual([]);
  });

  it('are in no circle', () => {
    expect(circles(table)).toEqual([]);
  });

  it('are all in the table', () => {
    const parts = new Set(sources.flatMap(({ name }) => partOf(name) ?? []));
    expect([...parts].filter((part) => table[part] === undefined)).toEqual([]);
  });
});

describe.each([
  'cli',
  'core',
  'doctor',
  'http',
  'log',
  'operations',
  'secrets',
  'storage',
  'system',
  'testing',
  'text',
])('the files of src/%s', (layer) => {
  it('are in no circle', () => {
    const files = sources.filter(({ name }) => layerOf(name) === layer);
    expect(circlesOf(new Map(files.map(({ name, imports }) => [name, new Set(imports)])))).toEqual([]);
  });
});

describe('the folders of src/operations', () => {
  it('are in no circle; a tenant file is a part of the table, as a row and as a face of it', () => {
    const files = sources.filter(({ name }) => layerOf(name) === 'operations');
    const folderOf = (path: string) => {
      const [layer, folder = '', file] = path.replace('/tenant-file/', '/admin/').split('/');
      return layer === 'operations' && file !== undefined ? folder : null;
    };
    const arrows = [...arrowsOf(files, folderOf).keys()].map((arrow) => arrow.split(' -> '));
    const table = Object.groupBy(arrows, ([from = '']) => from);
    const folders = Object.entries(table).map(([from, found = []]) => [from, found.map(([, to = '']) => to)]);
    expect(circles(Object.fromEntries(folders))).toEqual([]);
  });
});

/** Whether a file is a part of the rehearsal room: in a folder of that name, whatever the layer. */
const isOfRoom = (path: string) => /(?:^|\/)rehearsal\//.test(path);

describe('the rehearsal room', () => {
  it('RR1: is loaded by one import in a development start, and by nothing else', () => {
    const loading = sources
      .filter(({ name }) => !isOfRoom(name))
      .flatMap(({ name, imports }) =>
        imports.filter(isOfRoom).map((imported) => `${name} imports ${imported}`),
      );
    expect(loading).toEqual(['main.ts imports http/rehearsal/rehearsal.ts']);
    const main = sources.find(({ name }) => name === 'main.ts')?.code;
    expect(main).toMatch(/'production' \? null : await import\('\.\/http\/rehearsal\/rehearsal\.ts'\)/);
  });
});

/** What few requests need and takes long to load: it is loaded by the first of them, and Node's HTTP as `require` has it. */
const loadedLate =
  /^import (?!type\b)[^;]*\bfrom '(@zxcvbn-ts\/\w[\w-]*|libphonenumber-js\/min|maxmind|node:http|nodemailer|openid-client|pg|postal-mime|prom-client)'/gm;

it('a start does not wait for libraries that few requests need', () => {
  const early = sources.flatMap(({ name, code }) =>
    [...code.matchAll(loadedLate)].map(([, library]) => `${name} imports ${library}`),
  );
  // These are loaded late themselves.
  expect(early).toEqual([
    'http/upkeep/prometheus.ts imports prom-client',
    'storage/postgres/client.ts imports pg',
    'storage/postgres/move.ts imports pg',
    // It runs in the tests of other projects.
    'testing/ask.ts imports node:http',
  ]);
});

/** What each file asks the process for; main.ts and cli.ts may ask for anything. */
const ofProcess: Readonly<Record<string, readonly string[]>> = {
  'doctor/machine.ts': ['platform'],
  'http/admin/socket.ts': ['platform'],
  'http/upkeep/prometheus.ts': ['versions'],
  'secrets/vault.ts': ['platform'],
  'storage/sqlite/check.ts': ['availableMemory'],
  'storage/postgres/transaction/batches.ts': ['nextTick'],
  'system/files.ts': ['getuid', 'platform'],
  'testing/process.ts': ['env', 'versions'],
};

/** What a file asks the process for. */
function askedOfProcess({ code }: Pick<SourceFile, 'code'>): readonly string[] {
  const imported = /from\s*['"](?:node:)?process['"]/.test(code) ? ['an import'] : [];
  const members = [...code.matchAll(/(?<![\w./])process\.(\w+)|=\s*process\b(?!\.)/g)];
  const asked = members.map(([, member]) => member ?? 'all of it');
  return [...new Set([...imported, ...asked])].sort();
}

describe('the process', () => {
  it('is asked where it begins, and elsewhere only for what is named', () => {
    const asking = sources
      .filter(({ name }) => !starts.includes(name))
      .map((file) => [file.name, askedOfProcess(file)] as const)
      .filter(([, asked]) => asked.length > 0);
    expect(Object.fromEntries(asking)).toEqual(ofProcess);
  });
});

describe('the check itself', () => {
  const file = (name: string, ...imports: string[]): SourceFile => ({ name, code: '', imports });

  it('sees an arrow that is not allowed, and names the import', () => {
    const wrong = file('storage/client.ts', 'core/client.ts', 'operations/client/client.ts');
    expect(forbidden(layers, [wrong], layerOf)).toEqual([
      'storage/client.ts imports operations/client/client.ts',
    ]);
  });

  it('sees a file at the root of src that has no place', () => {
    expect(forbidden(layers, [file('http/app.ts', 'odds.ts')], layerOf)).toEqual([
      'http/app.ts imports odds.ts',
    ]);
  });

  it('sees a circle', () => {
    expect(circles({ a: ['b'], b: ['c'], c: ['a', 'd'], d: [] })).toEqual([['a', 'b', 'c']]);
    expect(circles({ a: ['b', 'c'], b: ['c'], c: [] })).toEqual([]);
  });

  it.each([
    ['process.env.HOME', ['env']],
    ["import { env } from 'node:process';", ['an import']],
    ['const { env } = process;', ['all of it']],
    ["import { startProcess } from './process.ts';", []],
    ['processes.length', []],
  ])('sees what is asked of the process: %s', (code, asked) => {
    expect(askedOfProcess({ code })).toEqual(asked);
  });
});
