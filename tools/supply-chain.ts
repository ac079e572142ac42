/** What package.json says, as far as it is checked here. */
export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

/** A package of package-lock.json. */
export interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  /** Of a package that is installed under another name. */
  readonly name?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface LockFile {
  readonly lockfileVersion: number;
  /** By their folder; the one without a name is the project. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** The files that say what is installed. */
export interface SupplyChain {
  readonly manifest: Manifest;
  readonly lock: LockFile;
  /** The text of .npmrc. */
  readonly npmrc: string;
}

/** The oldest versions without a known hole of consequence (security, W14); of jose, its last major version. */
export const oldestVersions: Readonly<Record<string, string>> = {
  fastify: '5.12.1',
  kysely: '0.28.17',
  eta: '2.0.0',
  '@fastify/proxy-addr': '5.1.1',
  jose: '6.0.0',
};

/** Licences that ask for a notice and nothing else: these may run in the service. */
const licencesToRun = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0'];

/** What builds and tests may use beside them: it is not handed on. */
const licencesToDevelop = [
  'MIT OR Apache-2.0',
  '(MIT OR CC0-1.0)',
  'MPL-2.0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
];

/** Biome for other machines: the lock file was made where the registry had these not, so their hashes are not known. */
const withoutIntegrity = /^node_modules\/@biomejs\/cli-(?:android|darwin|win32|linux-\w+-musl)/;

const registry = 'https://registry.npmjs.org/';

/**
 * Checks what is installed, without a network.
 *
 * @returns what is wrong, each in one line; none if all is well
 */
export function supplyChainProblems({ manifest, lock, npmrc }: SupplyChain): readonly string[] {
  const locked = Object.entries(lock.packages).filter(([path]) => path !== '');
  return [
    ...manifestProblems(manifest),
    ...(lock.lockfileVersion === 3 ? [] : [`package-lock.json has version ${lock.lockfileVersion}, not 3`]),
    ...(/^ignore-scripts=true$/m.test(npmrc) ? [] : ['.npmrc does not say ignore-scripts=true']),
    ...directProblems(manifest, lock),
    ...locked.flatMap(([path, entry]) => packageProblems(path, entry, manifest)),
    ...Object.entries(oldestVersions).flatMap(([name, oldest]) => ageProblems(locked, name, oldest)),
  ];
}

const exactVersion = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

/** A package that is installed under a name of its own, such as a second version of one: `npm:typescript@5.9.3`. */
const alias = /^npm:(?:@[^@/]+\/)?[^@/]+@(?<version>.+)$/;

function directDependencies(manifest: Manifest): readonly (readonly [string, string])[] {
  const { dependencies = {}, devDependencies = {}, optionalDependencies = {} } = manifest;
  return [dependencies, devDependencies, optionalDependencies].flatMap(Object.entries);
}

function manifestProblems(manifest: Manifest): readonly string[] {
  const loose = directDependencies(manifest).filter(
    ([, version]) => !exactVersion.test(alias.exec(version)?.groups?.version ?? version),
  );
  const scripts = Object.entries(manifest.allowScripts ?? {}).filter(([, isAllowed]) => isAllowed);
  return [
    ...loose.map(([name, version]) => `package.json: ${name} is ${version}, which is no exact version`),
    ...scripts.map(([name]) => `package.json: ${name} may run install scripts`),
  ];
}

function directProblems(manifest: Manifest, { packages }: LockFile): readonly string[] {
  return directDependencies(manifest).flatMap(([name, version]) => {
    const { name: meant, version: found } = packages[`node_modules/${name}`] ?? {};
    const locked = meant === undefined ? found : `npm:${meant}@${found}`;
    if (locked === version) return [];
    return [`package-lock.json: ${name} is ${locked ?? 'not there'}, and ${version} in package.json`];
  });
}

function packageProblems(
  path: string,
  entry: LockedPackage,
  { allowScripts = {} }: Manifest,
): readonly string[] {
  const { integrity, resolved, license = 'none', dev = false, optional = false } = entry;
  const problems: string[] = [];
  const mayLack = dev && optional && withoutIntegrity.test(path);
  if (entry.link === true) problems.push('is a link');
  if (integrity === undefined && !mayLack) problems.push('has no integrity');
  if (integrity !== undefined && !integrity.startsWith('sha512-')) problems.push('has no SHA-512');
  if (resolved !== undefined && !resolved.startsWith(registry)) problems.push(`comes from ${resolved}`);
  // A package that only tests use, and that is refused its script by name, does without: a program of ours does the work.
  const isRefused = dev && allowScripts[path.replace(/^.*node_modules\//, '')] === false;
  if (entry.hasInstallScript === true && !isRefused)
    problems.push('wants to run a script when it is installed');
  const licences = dev ? [...licencesToRun, ...licencesToDevelop] : licencesToRun;
  if (!licences.includes(license)) problems.push(`has the licence ${license}`);
  return problems.map((problem) => `package-lock.json: ${path} ${problem}`);
}

function ageProblems(
  locked: readonly (readonly [string, LockedPackage])[],
  name: string,
  oldest: string,
): readonly string[] {
  const copies = locked.filter(
    ([path]) => path === `node_modules/${name}` || path.endsWith(`/node_modules/${name}`),
  );
  if (copies.length === 0) return [`package-lock.json: ${name} is not there`];
  return copies.flatMap(([path, { version = '' }]) => {
    const isOld = version.localeCompare(oldest, 'en', { numeric: true }) < 0 || version.includes('-');
    return isOld ? [`package-lock.json: ${path} is ${version}, older than ${oldest}`] : [];
  });
}
