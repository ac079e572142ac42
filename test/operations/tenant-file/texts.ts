import { sha256 } from '../../../src/core/hash.ts';
import { problemLine, readTenantFile } from '../../../src/operations/tenant-file/read.ts';
import { lookUpIn } from '../../../src/operations/tenant-file/references.ts';

export const hash = sha256('a secret');
export const known = lookUpIn({
  'secretFile web.secret': hash,
  'secretEnv WEB': hash,
  'logoFile bad.svg': 'data:image/svg+xml;base64,PHN2Zy8+',
});

/** What is told of a file, `line:column: text`. */
export function problemsOf(text: string): readonly string[] {
  const read = readTenantFile(text, known);
  return read.ok ? [] : read.problems.map(problemLine);
}

/** A text, and the place in it that a § marks. */
export function marked(text: string): { readonly text: string; readonly place: string } {
  const [before = '', ...after] = text.split('§');
  const lines = before.split('\n');
  return { text: [before, ...after].join(''), place: `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}` };
}

export const tenant = (lines: string) => `tenants:\n  - issuer: https://a.test\n    name: A\n    ${lines}\n`;
export const client = (fields: string) => tenant(`clients:\n      - { clientId: c, name: C, ${fields} }`);
export const member = (fields: string) => tenant(`members: [{ email: a@b.test, fullName: A, ${fields} }]`);
export const plan = (fields: string) =>
  tenant(`packages: [{ name: P, products: [], period: { unit: month, count: 1 }, ${fields} }]`);
export const subscription = (fields: string) => member(`subscriptions: [{ package: P, ${fields} }]`);
export const development = (lines: string) =>
  `tenants:\n  - issuer: http://localhost:3000\n    name: A\n    development: true\n    ${lines}\n`;
