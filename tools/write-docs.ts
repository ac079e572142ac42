import { writeFileSync } from 'node:fs';
import { statesDocument } from './state-tables.ts';

writeFileSync(new URL('../docs/states.md', import.meta.url), statesDocument());
