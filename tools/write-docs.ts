// Writes the generated documents: npm run docs.
import { writeFileSync } from 'node:fs';
import { openApiDocument } from '../src/http/admin/api-openapi.ts';
import { interoperabilityDocument } from './interop-table.ts';
import { securityCasesDocument } from './security-table.ts';
import { statesDocument } from './state-tables.ts';

const write = (name: string, text: string) =>
  writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);

write('states.md', statesDocument());
write('security-cases.md', securityCasesDocument());
write('interoperability.md', interoperabilityDocument());
write('openapi.json', JSON.stringify(openApiDocument(), null, 2));
