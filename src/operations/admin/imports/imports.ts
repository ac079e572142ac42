// The operations by which the command takes members in: a file goes through it piece by piece.

import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import type { FirebaseParameters } from '../../../core/import/entry.ts';
import { type FileHead, importFormats } from '../../../core/import/format.ts';
import { columnProblems } from '../../../core/import/formats/table.ts';
import {
  existingWays,
  fileNameProblems,
  type Import,
  type ImportOptions,
  phaseOf,
} from '../../../core/import/import.ts';
import { importBatch, importFileBytes, refusedMost } from '../../../core/import/limits.ts';
import {
  findImport,
  findOpenImport,
  insertImport,
  insertRefusals,
  moveImport,
} from '../../../storage/imports/import.ts';
import { sourceIn } from '../../../storage/operators/audited.ts';
import type { Tx } from '../../../storage/store.ts';
import { auditDeed } from '../../audit/audit.ts';
import * as s from '../../json-schema.ts';
import { problemText } from '../../problem-text.ts';
import { conflict, refuseIfAny, unknown } from '../../refusal.ts';
import { type OnTenant, onTenant } from '../define.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { countsOf, importEntries, invitedOf, refusedOf } from './entries.ts';
import { membersExported } from './export.ts';
import { refusals } from './list.ts';
import { notTakenOf, prepareEntries } from './reading.ts';

/** No document shows what they answer: the command alone calls them. */
const output = { type: 'object' };

const most = Number.MAX_SAFE_INTEGER;
const count = (description: string) => s.numberFrom(0, most, description, 0);

const place = { readTo: count('How far the file was read, in bytes'), line: count('The line that follows') };

const headField: s.Schema<FileHead> = {
  type: 'object',
  description: 'What the beginning of the file says',
  properties: {
    format: s.oneOf('ImportFormat', 'What wrote it', importFormats),
    layout: s.oneOf('ImportLayout', 'How it is cut', ['lines', 'records', 'elements']),
    delimiter: s.text('What parts its cells', ','),
    columns: s.list('What its columns are called', s.text('One', 'email')),
    begins: { type: 'object' },
  },
  required: ['format', 'layout', 'delimiter', 'columns', 'begins'],
  additionalProperties: false,
};

const firebaseField: s.Schema<FirebaseParameters | null> = {
  type: ['object', 'null'],
  description: 'The hash parameters of a Firebase project',
  properties: {
    signerHash: { ...s.text('SHA-256 of its signer key', ''), pattern: '^[\\w+/]{43}=?$' },
    saltSeparator: { ...s.text('In base64', 'Bw=='), pattern: '^[\\w+/]{0,64}=*$' },
    rounds: s.numberFrom(1, 64, 'Of scrypt: r', 8),
    memoryCost: s.numberFrom(1, 20, 'Of scrypt: the logarithm of N', 14),
  },
  required: ['signerHash', 'saltSeparator', 'rounds', 'memoryCost'],
  additionalProperties: false,
};

export const columnsField: s.Schema<ImportOptions['columns']> = {
  type: 'object',
  description: 'What its columns are here',
  additionalProperties: { type: 'string', maxLength: 128 },
};

/** How its lines are read, and what is done with them. */
const reading = {
  head: headField,
  columns: columnsField,
  firebase: firebaseField,
  existing: s.oneOf('ExistingMembers', 'What becomes of members who are there', existingWays),
  mail: s.flag('Whether new members without a password are invited by mail'),
  slowHashes: s.flag('Whether hashes are taken that make sign-ins slow'),
};

const entriesField: s.Schema<readonly { readonly line: number; readonly text: string | null }[]> = {
  type: 'array',
  description: 'The pieces of the file that follow; null is one that is too long',
  maxItems: importBatch.entries,
  items: {
    type: 'object',
    properties: { line: { type: 'integer' }, text: { type: ['string', 'null'] } },
    required: ['line', 'text'],
    additionalProperties: false,
  },
};

function answerOf(one: Import) {
  const { id, fileName, fileBytes, readTo, line, added, changed, skipped, refused, invited } = one;
  const times = { createdAt: isoTime(one.createdAt), endedAt: isoTimeOrNull(one.endedAt) };
  return {
    id,
    fileName,
    fileBytes,
    phase: phaseOf(one),
    readTo,
    line,
    added,
    changed,
    skipped,
    refused,
    invited,
    ...times,
  };
}

/** One act, whatever it brought. */
export function auditEnd(tx: Tx, { tenantId, id: target, ...one }: Import): Promise<void> {
  const { added, changed, skipped, refused, invited } = one;
  const counts = `${added} added, ${changed} changed, ${skipped} skipped, ${refused} refused`;
  const reason = `imports.end: ${counts}, ${invited} invited`;
  return auditDeed(tx, { event: 'admin_acted', operation: 'imports.end', tenantId, target, reason });
}

async function importFor({ tx, tenant }: OnTenant<OperationContext>, id: string): Promise<Import> {
  const found = await findImport(tx, tenant.id, id);
  if (found === null) throw unknown('import');
  return found;
}

/** The actor who begins it, as the audit names them. */
export function actorIn(tx: Tx): Pick<Import, 'actorKind' | 'actorId' | 'actorAddress'> {
  const { actorKind, actorId, address } = sourceIn(tx) ?? {
    actorKind: 'operator',
    actorId: null,
    address: null,
  };
  return { actorKind, actorId, actorAddress: address };
}

const begun = onTenant({
  name: 'imports.begin',
  summary: 'Begin to take the members of a file in; one that was cut off goes on where it was',
  permission: 'members:write',
  route: 'POST /imports/begin',
  fields: {
    fileName: { ...s.text('What the file is called', 'members.csv'), maxLength: 255 },
    fileHash: { ...s.text('Its SHA-256 in base64url', ''), pattern: '^[\\w-]{43}$' },
    fileBytes: s.numberFrom(1, importFileBytes, 'Its length', 1),
    ...reading,
  },
  output,
  made: 'id',
  run: async ({ tx, tenant, random, now }, { fileName, fileHash, fileBytes, head, ...said }) => {
    refuseIfAny([...fileNameProblems('fileName', fileName), ...columnProblems(said.columns)]);
    const { firebase, ...rest } = said;
    const options: ImportOptions = { ...rest, format: head.format, firebase };
    const known = await findOpenImport(tx, tenant.id, fileHash);
    // The same file with something else said of it is another import.
    if (known !== null && JSON.stringify(known.options) === JSON.stringify(options)) return answerOf(known);
    const counts = { added: 0, changed: 0, skipped: 0, refused: 0 };
    const file = { fileName, fileHash, fileBytes, received: fileBytes, sending: null };
    const from = { readTo: head.begins.offset, line: head.begins.line };
    const times = { createdAt: now, startedAt: now, endedAt: null, failure: null };
    const ofCommand = { work: 'none', trial: null, invited: 0 } as const;
    const facts = { id: random.id(now), tenantId: tenant.id, ...file, options, head, ...from };
    const one: Import = { ...facts, ...counts, ...actorIn(tx), ...times, ...ofCommand };
    await insertImport(tx, one);
    return answerOf(one);
  },
});

const sent = onTenant({
  name: 'imports.send',
  summary: 'Take the next pieces of a file in',
  permission: 'members:write',
  route: 'POST /imports/{importId}/entries',
  isStep: true,
  bodyBytes: importBatch.bodyBytes,
  fields: {
    importId: s.text('Which import', ''),
    from: count('Where the first of them begins'),
    ...place,
    ...reading,
    entries: entriesField,
  },
  output,
  prepare: ({ entries, ...said }, context) => prepareEntries(entries, said, context),
  run: async (context, { importId, from, readTo, line, ...said }, prepared) => {
    const { tx } = context;
    const one = await importFor(context, importId);
    // An answer that was lost: what was sent is in already.
    if (one.endedAt !== null || one.readTo !== from)
      throw conflict([], 'import_elsewhere', { at: one.readTo });
    const outcomes = await importEntries(context, { options: { ...one.options, ...said } }, prepared);
    const counts = countsOf(outcomes);
    await insertRefusals(tx, one.id, refusedOf(outcomes));
    const changes = {
      readTo,
      line,
      added: one.added + counts.added,
      changed: one.changed + counts.changed,
      skipped: one.skipped + counts.skipped,
      refused: one.refused + counts.refused,
      invited: one.invited + invitedOf(outcomes),
    };
    if (changes.refused > refusedMost) throw conflict([], 'too_many_refused', { most: refusedMost });
    await moveImport(tx, one, changes);
    const left = outcomes.flatMap((line) => line.left);
    return {
      ...answerOf({ ...one, ...changes }),
      left,
      notTaken: notTakenOf(prepared, said.head, said.columns),
    };
  },
});

const checked = onTenant({
  name: 'imports.check',
  summary: 'Say what would become of pieces of a file, and do none of it',
  permission: 'members:write',
  route: 'POST /imports/check',
  isTrial: true,
  bodyBytes: importBatch.bodyBytes,
  fields: { ...reading, entries: entriesField },
  output,
  prepare: ({ entries, ...said }, context) => prepareEntries(entries, said, context),
  run: async (context, { head, columns, existing, slowHashes }, prepared) => {
    refuseIfAny(columnProblems(columns));
    const said = { existing, mail: false, slowHashes };
    const outcomes = await importEntries(context, { options: said }, prepared);
    return {
      notTaken: notTakenOf(prepared, head, columns),
      outcomes: outcomes.map(({ problems, ...one }) => ({
        ...one,
        reasons: problems.map((found) => problemText(found)),
      })),
    };
  },
});

const ended = onTenant({
  name: 'imports.end',
  summary: 'End an import: all of its file was read',
  permission: 'members:write',
  route: 'POST /imports/{importId}/end',
  isStep: true,
  fields: { importId: s.text('Which import', '') },
  output,
  run: async (context, { importId }) => {
    const { tx, now } = context;
    const one = await importFor(context, importId);
    if (one.endedAt !== null) return answerOf(one);
    await moveImport(tx, one, { endedAt: now, readTo: one.fileBytes });
    await auditEnd(tx, one);
    return answerOf({ ...one, endedAt: now, readTo: one.fileBytes });
  },
});

/** What the command needs to take members in. */
export const imports = { begin: begun, send: sent, check: checked, end: ended, refusals } as const;

/** Open to the command alone, through the local socket or the data folder. */
export const importOperations: readonly Operation[] = [begun, sent, checked, ended, membersExported];
