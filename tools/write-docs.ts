import { writeFileSync } from 'node:fs';
import { openApiDocument } from '../src/http/api/openapi.ts';
import { statesDocument } from './state-tables.ts';

const write = (name: string, text: string) =>
  writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);

write('states.md', statesDocument());
write('openapi.json', JSON.stringify(openApiDocument(), null, 2));
