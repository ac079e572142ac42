// The operations by which a file of members is uploaded, and what is done with it then: the service checks it, and takes it in
// once that is said.
import { importFormats, readHead } from '../../../core/import/format.ts';
import { firebaseParameters } from '../../../core/import/formats/firebase.ts';
import { columnProblems } from '../../../core/import/formats/table.ts';
import { existingWays, fileNameProblems, type Import, phaseOf } from '../../../core/import/import.ts';
import { headBytes, importPartBytes, uploadBytes, uploadMemory } from '../../../core/import/limits.ts';
import { fileBodyBytes } from '../../../core/limits.ts';
import { problem } from '../../../core/problem.ts';
import { findImport, insertImport, moveImport } from '../../../storage/imports/import.ts';
import { deletePartsBefore, findUpload, insertPart } from '../../../storage/imports/upload.ts';
import { wakeAfterCommit } from '../../../storage/operators/audited.ts';
import * as s from '../../json-schema.ts';
import { conflict, invalid, OperationRefused, refuseIfAny, unknown } from '../../refusal.ts';
import { type OnTenant, onTenant } from '../define.ts';
import type { Operation, OperationContext } from '../operation.ts';
import type { Thing } from '../portal-face.ts';
import { actorIn, columnsField } from './imports.ts';
import { importAnswer, importIdField, importSchema } from './list.ts';

const nameField = s.held(s.text('What the file is called', 'members.csv'), s.lineRule(255));

const sendingField = s.held(
  s.text(
    'Any name for this sending of the file, the same with each part: what another sender sends meanwhile never comes between',
    '0f8fad5b-d9cb-469f-a165-70867728950e',
  ),
  { maxLength: 64, pattern: '^[\\w-]+$' },
);

type Context = OnTenant<OperationContext>;

const created = onTenant({
  name: 'imports.create',
  summary: 'Begin to upload a file of members; no member moves in before the import is started',
  permission: 'members:write',
  route: 'POST /imports',
  portal: {
    page: 'imports.list',
    label: 'Import members',
    lands: 'imports.upload',
    done: 'Import ready for its file',
    groups: [
      { name: 'import', fields: ['format', 'existing', 'mail'] },
      { name: 'columns', fields: ['columns', 'slowHashes'], isFolded: true },
    ],
  },
  optional: {
    name: { ...nameField, default: 'members' } as s.Defaulted<string>,
    format: s.oneOf('ImportFormat', 'What wrote it; told from the file where it is left out', importFormats),
    existing: {
      ...s.oneOf('ExistingMembers', 'What becomes of members who are there already', existingWays),
      default: 'skip',
    } as s.Defaulted<(typeof existingWays)[number]>,
    mail: s.option('Invite new members without a password by mail to choose one'),
    slowHashes: s.option('Take hashes that make each sign-in at the tenant slow'),
    columns: { ...columnsField, default: {}, examples: [{ Kunde: 'externalId' }] } as s.Defaulted<
      Import['options']['columns']
    >,
  },
  output: importSchema,
  made: 'importId',
  run: async ({ tx, tenant, random, now }, { name, format = null, existing, mail, slowHashes, columns }) => {
    refuseIfAny([...fileNameProblems('name', name), ...columnProblems(columns)]);
    const known = await findUpload(tx, tenant.id);
    if (known !== null) {
      if (!wasLeft(known, now)) throw conflict([], 'import_under_way');
      const over = { endedAt: now, work: 'none', failure: problem([], 'import_file_gone') } as const;
      await moveImport(tx, known, over);
    }
    const counts = { added: 0, changed: 0, skipped: 0, refused: 0, invited: 0 };
    // How long it is shows when all of it is here.
    const file = {
      fileName: name,
      fileHash: '',
      fileBytes: uploadBytes + 1,
      received: 0,
      sending: null,
      head: null,
    };
    const times = { createdAt: now, startedAt: null, endedAt: null, failure: null };
    const place = { readTo: 0, line: 1, work: 'receive', trial: null } as const;
    const options = { format, existing, mail, slowHashes, columns, firebase: null };
    const facts = { id: random.id(now), tenantId: tenant.id, ...file, ...place, options };
    const one: Import = { ...facts, ...counts, ...actorIn(tx), ...times };
    await insertImport(tx, one);
    return importAnswer(one);
  },
});

/** Whether it was left alone for as long as its file is kept. */
const wasLeft = ({ work, createdAt }: Import, now: number) =>
  createdAt < now - uploadMemory && work !== 'check' && work !== 'take';

async function importIn({ tx, tenant }: Context, id: string, ...works: readonly Import['work'][]) {
  const found = await findImport(tx, tenant.id, id);
  if (found === null) throw unknown('import');
  if (found.endedAt !== null || !works.includes(found.work)) {
    throw conflict([], 'import_phase', { phase: phaseOf(found) });
  }
  return found;
}

const uploaded = onTenant({
  name: 'imports.upload',
  summary: 'Upload the next part of a file of members; with the last one the service begins to check it',
  permission: 'members:write',
  route: 'POST /imports/{importId}/parts',
  isStep: true,
  portal: {
    page: 'imports.read',
    label: 'Upload file',
    isMain: true,
    fits: (thing) => isIn('receiving')(thing),
  },
  bodyBytes: fileBodyBytes,
  fields: {
    importId: importIdField,
    start: s.numberFrom(0, uploadBytes, 'Where in the file it begins, in bytes', 0),
    content: s.held(s.text('Its bytes, in base64', 'eyJlbWFpbCI6ImFkYUBleGFtcGxlLmNvbSJ9Cg=='), {
      maxLength: Math.ceil(importPartBytes / 3) * 4,
      pattern: '^[\\w+/]+={0,2}$',
    }),
    last: s.flag('Whether it is the last one'),
  },
  optional: { name: nameField, sending: sendingField },
  output: importSchema,
  run: async (context, { importId, start, content, last, name, sending = null }) => {
    const { tx, tenant, vault } = context;
    refuseIfAny(fileNameProblems('name', name));
    const one = await importIn(context, importId, 'receive');
    if (start !== one.received && start !== 0)
      throw conflict('start', 'import_elsewhere', { at: one.received });
    // Another sender may have begun anew, and be at the same place of another file.
    if (start !== 0 && sending !== one.sending) throw conflict('sending', 'import_other_sending');
    const bytes = Buffer.from(content, 'base64');
    if (!last && bytes.length < headBytes)
      throw invalid('content', 'upload_part_small', { least: headBytes });
    const received = start + bytes.length;
    if (received > uploadBytes) {
      throw invalid('content', 'upload_too_large', { most: uploadBytes / 1_024 ** 2 });
    }
    // From the beginning it is sent anew.
    if (start === 0) await deletePartsBefore(tx, importId, one.received);
    const begun = start === 0 ? beginningOf(bytes, one) : {};
    await insertPart(tx, { importId, start, sealed: vault.encrypt(bytes, tenant.id) });
    const whole = last ? ({ work: 'check', fileBytes: received } as const) : {};
    const called = name === undefined ? {} : { fileName: name };
    const changes = { received, sending, ...begun, ...whole, ...called };
    await moveImport(tx, one, changes);
    if (last) wakeAfterCommit(tx, 'imports');
    return importAnswer({ ...one, ...changes });
  },
});

/** What the first part says of the file. @throws OperationRefused */
function beginningOf(bytes: Buffer, { options }: Import) {
  const found = readHead(bytes.subarray(0, headBytes), options.format, options);
  if (!found.ok) throw new OperationRefused('invalid', [found.problem]);
  const { head } = found;
  return { head, readTo: head.begins.offset, line: head.begins.line };
}

const isIn =
  (...phases: readonly unknown[]) =>
  ({ phase }: Thing) =>
    phases.includes(phase);

const hashesRead = onTenant({
  name: 'imports.setHashParameters',
  summary: 'Say by which parameters the hashes in a file of Firebase are checked; the file is checked again',
  permission: 'members:write',
  route: 'POST /imports/{importId}/set-hash-parameters',
  portal: {
    titledFor: true,
    page: 'imports.read',
    reads: 'imports.read',
    label: 'Set hash parameters',
    done: 'Hash parameters saved',
    fits: (thing) => isIn('receiving', 'checked')(thing) && thing.format === 'firebase',
  },
  fields: {
    importId: importIdField,
    hashParameters: s.asSecret(
      s.held(
        s.text(
          'Paste the “Password hash parameters” of the Firebase console (Authentication, Users). Of the key, only its SHA-256 is kept',
          'hash_config { algorithm: SCRYPT, base64_signer_key: bm90IGEgcmVhbCBrZXk=, base64_salt_separator: Bw==, rounds: 8, mem_cost: 14 }',
        ),
        { maxLength: 2_000 },
      ),
    ),
  },
  output: importSchema,
  run: async (context, { importId, hashParameters }) => {
    const one = await importIn(context, importId, 'receive', 'checked');
    const firebase = firebaseParameters(hashParameters.slice(0, 2_000));
    if (firebase === null) throw invalid('hashParameters', 'firebase_parameters_unread');
    const again = one.work === 'checked' ? ({ work: 'check', trial: null } as const) : {};
    const changes = { options: { ...one.options, firebase }, ...again };
    await moveImport(context.tx, one, changes);
    wakeAfterCommit(context.tx, 'imports');
    return importAnswer({ ...one, ...changes });
  },
});

const started = onTenant({
  name: 'imports.start',
  summary: 'Start an import that was checked, or go on with one that was stopped',
  permission: 'members:write',
  route: 'POST /imports/{importId}/start',
  portal: {
    page: 'imports.read',
    label: 'Start import',
    isMain: true,
    done: 'Import started',
    atOnce: true,
    fits: isIn('checked', 'stopped'),
  },
  fields: { importId: importIdField },
  output: importSchema,
  run: async (context, { importId }) => {
    const { tx, now } = context;
    const one = await importIn(context, importId, 'checked', 'stopped');
    const changes = { work: 'take', startedAt: one.startedAt ?? now } as const;
    await moveImport(tx, one, changes);
    wakeAfterCommit(tx, 'imports');
    return importAnswer({ ...one, ...changes });
  },
});

const stopped = onTenant({
  name: 'imports.stop',
  summary: 'Stop an import where it is; it can go on within a day',
  permission: 'members:write',
  route: 'POST /imports/{importId}/stop',
  portal: {
    page: 'imports.read',
    label: 'Stop import',
    done: 'Import stopped',
    atOnce: true,
    fits: (thing) => isIn('running')(thing) && thing.isUpload === true,
  },
  fields: { importId: importIdField },
  output: importSchema,
  run: async (context, { importId }) => {
    const one = await importIn(context, importId, 'take');
    const changes = { work: 'stopped' } as const;
    await moveImport(context.tx, one, changes);
    return importAnswer({ ...one, ...changes });
  },
});

const cancelled = onTenant({
  name: 'imports.cancel',
  summary: 'Cancel an import and delete its file; members who moved in already stay',
  permission: 'members:write',
  route: 'POST /imports/{importId}/cancel',
  portal: {
    page: 'imports.read',
    label: 'Cancel import',
    done: 'Import cancelled',
    fits: isIn('receiving', 'checking', 'checked', 'stopped'),
  },
  fields: { importId: importIdField },
  output: importSchema,
  run: async (context, { importId }) => {
    const { tx, now } = context;
    const one = await importIn(context, importId, 'receive', 'check', 'checked', 'take', 'stopped');
    const changes = { work: 'none', endedAt: now } as const;
    await moveImport(tx, one, changes);
    // The file goes part by part, so that no request waits for it.
    wakeAfterCommit(tx, 'imports');
    return importAnswer({ ...one, ...changes });
  },
});

export const uploadOperations: readonly Operation[] = [
  created,
  uploaded,
  hashesRead,
  started,
  stopped,
  cancelled,
];
