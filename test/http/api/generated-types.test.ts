import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openApiDocument } from '../../../src/http/admin/api-openapi.ts';
import { memberDocument } from '../../../src/http/api/openapi.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../../..', import.meta.url));
const inProject = (path: string) => join(project, path);

/** Runs a program of the development packages on our Node. @throws with what it said, if it fails */
async function runProgram(folder: string, ...words: readonly string[]): Promise<void> {
  await run(process.execPath, words, { cwd: folder }).catch(
    (error: { readonly stdout: string; readonly stderr: string }) => {
      throw new Error(`${error.stdout}${error.stderr}`);
    },
  );
}

/** Calls as a developer writes them: the compiler must refuse what the documents do not allow. */
const calls = `
import type { components, paths } from './whole';
import type { paths as memberPaths } from './member';

type Json<Part> = Part extends { content: { 'application/json': infer Body } } ? Body : never;
type Answer<Operation> = Operation extends { responses: { 200: infer Ok } } ? Json<Ok> : never;
type Body<Operation> = Operation extends { requestBody?: infer Sent } ? Json<NonNullable<Sent>> : never;
type Parameters<Operation> = Operation extends { parameters: infer Given } ? Given : never;

declare function patch<Path extends keyof paths>(
  path: Path,
  sent: { params: Parameters<paths[Path]['patch']>; body: Body<paths[Path]['patch']> },
): Promise<Answer<paths[Path]['patch']>>;

const client = '/api/v1/admin/tenants/{tenant}/clients/{clientId}';
const path = { tenant: 'login.example.com', clientId: 'web' };
export const changed = await patch(client, { params: { path }, body: { name: 'Web', logo: null } });
export const secretIds: readonly string[] = changed.secrets.map(({ secretId }) => secretId);
export const disabledAt: string | null = changed.disabledAt;
// @ts-expect-error a name is a text
await patch(client, { params: { path }, body: { name: 1 } });
// @ts-expect-error there is no such field
await patch(client, { params: { path }, body: { nam: 'Web' } });
// @ts-expect-error it is of a client
await patch(client, { params: { path: { tenant: 'login.example.com' } }, body: {} });

// What a list has, a read answers and a change answers is of one type.
type Schemas = components['schemas'];
const whole = '/api/v1/admin/tenants/{tenant}';
export const changedTenant: Schemas['Tenant'] = await patch(whole, {
  params: { path: { tenant: 'login.example.com' } },
  body: { languages: ['nb'] satisfies Schemas['Language'][] },
});
export const readTenant = (tenant: Answer<paths[typeof whole]['get']>): Schemas['Tenant'] => tenant;
export const listed = (page: Answer<paths['/api/v1/admin/tenants']['get']>): readonly Schemas['Tenant'][] => page.tenants;
export const created: (client: Schemas['NewClient']) => Schemas['Client'] = (client) => client;
// @ts-expect-error a tenant is no client
export const other: Schemas['Client'] = changedTenant;

const profile = '/api/v1/members/profile/info-with-active-subscriptions';
type Profile = Answer<memberPaths[typeof profile]['get']>;
export const valueOf = (member: Profile, name: string): number | string | undefined =>
  member.subscriptions[0]?.customPropertyValues[name];
// @ts-expect-error a value may be a number
export const textOf = (member: Profile): string => member.subscriptions[0].customPropertyValues.campaign;

type Exported = paths['/api/v1/admin/tenants/{tenant}/file']['get']['responses'][200]['content'];
export const issuerOf = (file: Exported['application/json; charset=utf-8']): string => file.tenants[0]?.issuer ?? '';
export const sameOf = (file: Exported['application/yaml; charset=utf-8']): components['schemas']['TenantFile'] => file;
`;

it('both documents make types with openapi-typescript that take a right call and refuse wrong ones', async () => {
  const folder = temporaryFolder();
  const documents = { whole: openApiDocument(), member: memberDocument() };
  await Promise.all(
    Object.entries(documents).map(async ([name, document]) => {
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(document));
      const generator = inProject('node_modules/openapi-typescript/bin/cli.js');
      const hook = inProject('test/support/process/typescript-5.ts');
      await runProgram(folder, '--import', hook, generator, `${name}.json`, '-o', `${name}.d.ts`);
    }),
  );
  writeFileSync(join(folder, 'calls.ts'), calls);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'preserve',
    target: 'esnext',
    // That of browsers takes longer to read than both documents.
    lib: ['esnext'],
    skipDefaultLibCheck: true,
    noUncheckedIndexedAccess: true,
    types: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['calls.ts'] }));
  await expect(runProgram(folder, inProject('node_modules/typescript/bin/tsc'))).resolves.toBeUndefined();
});

it('no schema of them leaves several types to a list, which generators for Go do not read', () => {
  const unions: string[] = [];
  const walk = (value: unknown, place: string) => {
    if (typeof value !== 'object' || value === null) return;
    const { type } = value as { readonly type?: unknown };
    if (Array.isArray(type) && type.filter((one) => one !== 'null').length > 1) unions.push(place);
    for (const [name, part] of Object.entries(value)) walk(part, `${place}/${name}`);
  };
  walk(openApiDocument(), '');
  walk(memberDocument(), '');
  expect(unions).toEqual([]);
});
