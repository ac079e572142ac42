// The thread that reads a tenant file.
import { parentPort } from 'node:worker_threads';
import type { ReadRequest, ReadResult } from './read.ts';
import { readTenantFile } from './read.ts';
import { lookUpIn } from './references.ts';

// The thread of `readAside`: one answer to each file.
parentPort?.on('message', ({ text, references }: ReadRequest) => {
  const read = readTenantFile(text, lookUpIn(references));
  const result: ReadResult = read.ok
    ? { ok: true, file: read.file, positions: read.source.positions }
    : { ok: false, problems: read.problems };
  parentPort?.postMessage(result);
});
// From here on the time counts: on a busy machine loading all of this takes longer than reading a file.
parentPort?.postMessage('ready');
