// The operations that tell of files of members on their way in, and of those that came in lately.
import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { importFormats } from '../../../core/import/format.ts';
import {
  type Import,
  type ImportTrial,
  importPhases,
  phaseOf,
  type RefusedLine,
} from '../../../core/import/import.ts';
import { exportPart } from '../../../core/operators/limits.ts';
import { findImport, listImports, listRefusals } from '../../../storage/imports/import.ts';
import type { Tx } from '../../../storage/store.ts';
import * as s from '../../json-schema.ts';
import { problemText } from '../../problem-text.ts';
import { unknown } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import { keyedList } from '../list.ts';
import type { FileAnswer, Operation } from '../operation.ts';

export const importIdField = s.named(
  'ImportId',
  s.text('The id of the import', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a31'),
);

const checkSchema = s.exactly('What would become of its lines, before it starts', {
  added: s.wholeNumber('Members who would be new', 39_812),
  changed: s.wholeNumber('Members who are there, and would change', 0),
  skipped: s.wholeNumber('Lines that would change nothing', 120),
  refused: s.wholeNumber('Lines that would be refused', 68),
  withoutPassword: s.wholeNumber('New members who bring no password, and choose one when they come', 12),
  notTaken: s.list(
    'What its columns or fields are called that mean nothing here: what they say is not taken',
    s.text('One', 'salary'),
  ),
  refusedLines: s.list(
    'The first lines that would be refused',
    s.exactly('One of them', {
      line: s.wholeNumber('Which line it is', 7),
      reason: s.text('What is wrong with it', 'email is missing'),
    }),
  ),
});

export const importSchema = s.resource('Import', 'A file of members that came in, or is on its way', {
  importId: importIdField,
  name: s.text('What the file is called', 'members.csv'),
  format: s.orNull(s.oneOf('ImportFormat', 'What wrote it', importFormats), 'not known yet'),
  hasHashParameters: s.flag(
    'Whether it has the parameters by which hashes in a file of Firebase are checked',
  ),
  phase: s.oneOf('ImportPhase', 'Where it is', importPhases),
  isUpload: s.flag('Whether it was uploaded, so that the service takes it in; the command does otherwise'),
  percent: s.wholeNumber('How much of it was read, in percent', 100),
  added: s.wholeNumber('Members who are new', 39_812),
  changed: s.wholeNumber('Members who were there, and changed', 0),
  skipped: s.wholeNumber('Lines that changed nothing', 120),
  refused: s.wholeNumber('Lines that were refused', 68),
  invited: s.wholeNumber('New members who were mailed an invitation', 0),
  createdAt: s.time('When it began'),
  endedAt: s.timeOrNull('When it was done; null while it is on its way', null),
  failure: s.orNull(
    s.text('Why it was given up', 'it cannot be told what kind of file this is: say the format'),
  ),
  check: s.orNull(checkSchema, 'not checked'),
});

export const importAnswer = ({
  id,
  fileName,
  options,
  head,
  createdAt,
  endedAt,
  failure,
  trial,
  ...one
}: Import) =>
  s.pick(importSchema, {
    ...one,
    hasHashParameters: options.firebase !== null,
    importId: id,
    name: fileName,
    format: head?.format ?? options.format,
    phase: phaseOf({ ...one, endedAt, failure }),
    isUpload: one.fileHash === '',
    percent: percentOf(trial !== null && one.work === 'check' ? trial.readTo : one.readTo, one.fileBytes),
    failure: failure === null ? null : problemText(failure),
    check: trial === null ? null : checkAnswer(trial),
    createdAt: isoTime(createdAt),
    endedAt: isoTimeOrNull(endedAt),
  });

const percentOf = (readTo: number, bytes: number) => Math.floor((100 * Math.min(readTo, bytes)) / bytes);

const checkAnswer = ({ refusedLines, notTaken = [], ...counts }: ImportTrial) =>
  s.pick(checkSchema, {
    ...counts,
    notTaken,
    refusedLines: refusedLines.map(({ line, problems }) => ({
      line,
      reason: problems.map((one) => problemText(one)).join('; '),
    })),
  });

/** A line that was refused, with its reasons in words; the paths are for programs. */
const refusalLine = ({ line, problems }: RefusedLine) =>
  `${JSON.stringify({
    line,
    reasons: problems.map((one) => problemText(one)),
    paths: problems.map(({ path }) => path.join('.')),
  })}\n`;

const fields = { importId: importIdField };

const listed = onTenant(
  keyedList({
    name: 'imports.list',
    summary: 'List the files of members that came in within 30 days, or are on their way',
    permission: 'members:read',
    route: 'GET /imports',
    title: 'Imports',
    lead: 'Files of members who moved in within the last 30 days. Upload one here, or start one with the command: memberdoor import members.csv.',
    columns: ['name', 'phase', 'percent', 'added', 'refused', 'createdAt'],
    entry: { field: 'importId', key: 'importId' },
    opens: 'imports.read',
    of: 'imports',
    page: 'A page of imports, oldest first',
    schema: importSchema,
    read: async ({ tx, tenant }, page) => (await listImports(tx, tenant.id, page)).map(importAnswer),
  }),
);

const read = onTenant({
  name: 'imports.read',
  summary: 'Show how far an import is; passkeys, second factors and TVs of its members do not come along',
  permission: 'members:read',
  route: 'GET /imports/{importId}',
  portal: { without: ({ format }) => (format === 'firebase' ? [] : ['hasHashParameters']) },
  fields,
  output: importSchema,
  run: async ({ tx, tenant }, { importId }) => {
    const found = await findImport(tx, tenant.id, importId);
    if (found === null) throw unknown('import');
    return importAnswer(found);
  },
});

export const refusals = onTenant({
  name: 'imports.refusals',
  summary: 'Write the lines of an import that were refused to a file, each with its reasons',
  portal: { page: 'imports.read', label: 'Refused lines', fits: ({ refused }) => Number(refused) > 0 },
  permission: 'members:read',
  route: 'GET /imports/{importId}/refusals',
  fields,
  output: s.exactly('A file', {
    text: s.text('A line for each', '{"line":7,"reasons":["email is missing"],"paths":["email"]}\n'),
  }),
  mediaType: 'application/x-ndjson; charset=utf-8',
  run: async ({ tx, tenant }, { importId }) => {
    if ((await findImport(tx, tenant.id, importId)) === null) throw unknown('import');
    const part = async (later: Tx, after: number): Promise<FileAnswer> => {
      const lines = await listRefusals(later, importId, after, exportPart);
      const text = lines.map(refusalLine).join('');
      const last = lines.at(-1);
      if (last === undefined || lines.length < exportPart) return { text };
      return { text, more: (context) => part(context.tx, last.line) };
    };
    return part(tx, 0);
  },
});

export const importListOperations: readonly Operation[] = [listed, read, refusals];
