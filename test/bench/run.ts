/**
 * `npm run bench`: the service beside oidc-provider, both with the same durability, on this machine and in
 * this run. What is to be reached stands in `rows.ts`.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/service.ts';
import { lineOf } from './figures.ts';
import { openMachine } from './machine/machine.ts';
import { placement } from './machine/process.ts';
import { type Bench, measureRow, peerSide, serviceSide } from './measure.ts';
import { paceOf, readOptions } from './options.ts';
import { rows } from './rows.ts';
import { makeServiceFolder } from './service/folder.ts';

const options = readOptions(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), 'memberdoor-bench-'));
const placed = await placement(options.twoCores);
const machine = await openMachine(folder, placed);
try {
  mkdirSync(join(folder, 'base'));
  const base = await makeServiceFolder(join(folder, 'base', 'data'), await freePort());
  const bench: Bench = { folder, base, machine, placement: placed, pace: paceOf(options), slowDisk: null };
  for (const [index, row] of rows.entries()) {
    if (options.only !== null && !row.name.startsWith(options.only)) continue;
    const measured = await measureRow(bench, `row-${index}`, serviceSide(row), peerSide(row));
    const line = lineOf(row, measured, {
      target: row.target,
      againstPeer: true,
      againstLimit: row === rows[0],
    });
    console.info(line);
  }
} finally {
  machine.close();
  rmSync(folder, { recursive: true, force: true });
}
