// The thread that reads a tenant file: one answer to each file of `readAside`.
import { parentPort } from 'node:worker_threads';
import { type ReadRequest, readTenantFile } from './read.ts';
import { lookUpIn } from './references.ts';

parentPort?.on('message', ({ text, references }: ReadRequest) => {
  parentPort?.postMessage(readTenantFile(text, lookUpIn(references)));
});
// From here on the time counts: on a busy machine loading all of this takes longer than reading a file.
parentPort?.postMessage('ready');
