// Writes the generated documents, and the tables of a new database: npm run docs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { openApiDocument } from '../src/http/admin/api-openapi.ts';
import { eventsDocument } from './events-document.ts';
import { interoperabilityDocument } from './interop-table.ts';
import { schemaOfMigrations } from './schema.ts';
import { securityCasesDocument } from './security-table.ts';
import { stateCharts, statesDocument } from './state-tables.ts';

const write = (name: string, text: string) =>
  writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);

mkdirSync(new URL('../docs/images/states', import.meta.url), { recursive: true });
write('states.md', statesDocument());
for (const { file, svg } of stateCharts()) write(`images/states/${file}`, svg);
write('events.md', eventsDocument());
write('security-cases.md', securityCasesDocument());
write('interoperability.md', interoperabilityDocument());
write('openapi.json', JSON.stringify(openApiDocument(), null, 2));
writeFileSync(new URL('../db/schema.sql', import.meta.url), await schemaOfMigrations());
