// The command `import`: members of other systems move in.
import { once } from 'node:events';
import { createWriteStream, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { toldTogether } from '../../core/import/fields.ts';
import { type FileHead, importFormats, readHead } from '../../core/import/format.ts';
import { existingWays, fileNameOf } from '../../core/import/import.ts';
import { createRepeats } from '../../core/import/repeats.ts';
import { batchesOf } from '../../operations/admin/imports/batches.ts';
import { exportFormats, membersExported } from '../../operations/admin/imports/export.ts';
import { imports } from '../../operations/admin/imports/imports.ts';
import { problemText } from '../../operations/problem-text.ts';
import { defineCommand, migrateOption, withConnection } from '../command.ts';
import type { Connection } from '../connection.ts';
import { demandUnchanged, type ImportFile, openImportFile, piecesOf } from '../import-file.ts';
import { columnsOf, existingOf, firebaseOf, formatOf } from '../import-words.ts';
import { printFile } from '../print.ts';
import { exitCode, shown, type Terminal, tell, WrongUsage } from '../terminal.ts';

/** Takes the members of a file in, or says what would become of each. */
export const importMembers = defineCommand({
  name: 'import',
  summary:
    'take in the members of a file: ours, or that of Auth0, Keycloak, Firebase, WordPress, Ghost, Logto or better-auth',
  operands: ['file'],
  options: {
    tenant: { value: 'HOST', text: 'whose members they become; the only tenant where there is one' },
    check: { text: 'says line by line what would happen, and does nothing' },
    format: { value: importFormats, text: 'what wrote the file; told from what is in it where that is sure' },
    columns: {
      value: 'NAME=FIELD,…',
      text: 'what its columns are here, such as "Kunde=externalId,Brev=consent:news"',
    },
    existing: {
      value: existingWays,
      text: 'what becomes of members who are there: skip them (by default), or update them',
    },
    mail: { text: 'invites new members without a password by mail; no other mail is ever sent' },
    slowHashes: { text: 'takes password hashes that make each sign-in at the tenant take much longer' },
    firebaseHash: {
      value: 'FILE',
      text: 'the hash parameters of the Firebase project, as its console shows them',
    },
    migrate: migrateOption,
  },
  run: async ({ file: path, check, migrate, ...said }, context) => {
    const { terminal } = context;
    const columns = columnsOf(said.columns);
    const firebase = said.firebaseHash === undefined ? null : firebaseOf(said.firebaseHash);
    const file = await openImportFile(path);
    const found = readHead(file.head, formatOf(said.format), { columns });
    if (!found.ok) {
      tell([`${path}: ${problemText(found.problem)}`], terminal);
      return exitCode.failed;
    }
    const { mail, slowHashes } = said;
    const existing = existingOf(said.existing);
    const reading = { head: found.head, columns, firebase, existing, mail, slowHashes };
    return withConnection(context, migrate, async (connection) => {
      const tenant = said.tenant ?? (await onlyTenant(connection));
      const work = { file, reading, tenant, connection, terminal };
      return check ? checkAll(work) : importAll(work);
    });
  },
});

/** Writes the members of a tenant with all that an import takes in to the standard output. */
export const exportMembers = defineCommand({
  name: 'export members',
  summary: 'write the members of a tenant, with subscriptions and consents, as import reads them',
  options: {
    tenant: { value: 'HOST', text: 'whose members; those of the only tenant where there is one' },
    format: { value: exportFormats, text: 'how it is written; jsonl by default' },
    passwords: { text: 'with the hashes of their passwords: keep the file from others' },
    migrate: migrateOption,
  },
  run: ({ tenant: said, format = 'jsonl', passwords, migrate }, context) =>
    withConnection(context, migrate, async (connection) => {
      const tenant = said ?? (await onlyTenant(connection));
      const exported = await connection.call(membersExported, { tenant, format, passwords });
      if ('parts' in exported) await printFile(exported.parts, false, context.terminal);
      return exitCode.done;
    }),
});

interface Work {
  readonly file: ImportFile;
  readonly reading: { readonly head: FileHead } & Readonly<Record<string, unknown>>;
  readonly tenant: string;
  readonly connection: Connection;
  readonly terminal: Terminal;
}

/** What an import answers. */
interface Progress {
  readonly id: string;
  readonly readTo: number;
  readonly line: number;
  readonly added: number;
  readonly changed: number;
  readonly skipped: number;
  readonly refused: number;
  readonly invited: number;
  /** The providers of accounts that were left out with the last lines. */
  readonly left?: readonly string[];
  /** The names in them that mean nothing here. */
  readonly notTaken?: readonly string[];
}

async function importAll(work: Work): Promise<number> {
  const { file, reading, tenant, connection, terminal } = work;
  const call = async (
    operation: (typeof imports)[keyof typeof imports],
    input: object,
  ): Promise<Progress> => {
    const { answer } = (await connection.call(operation, { tenant, ...input })) as { answer: unknown };
    return answer as Progress;
  };
  const named = { fileName: fileNameOf(basename(file.path)), fileHash: file.hash, fileBytes: file.bytes };
  let at = await call(imports.begin, { ...named, ...reading });
  const importId = at.id;
  const left = new Map<string, number>();
  let notTaken: readonly string[] = [];
  if (at.readTo > reading.head.begins.offset) terminal.err(`It goes on at line ${at.line}.\n`);
  const from = { offset: at.readTo, line: at.line };
  for await (const batch of batchesOf(piecesOf(file, reading.head, from), from)) {
    demandUnchanged(file);
    at = await call(imports.send, { importId, ...reading, ...batch });
    for (const provider of at.left ?? []) left.set(provider, (left.get(provider) ?? 0) + 1);
    notTaken = toldTogether(notTaken, at.notTaken ?? []);
    progress(terminal, at.readTo / file.bytes, `${at.added} new`);
  }
  demandUnchanged(file);
  at = await call(imports.end, { importId });
  progress(terminal, 1, `${at.added} new`);
  if (terminal.errWidth !== null) terminal.err('\n');
  const kept = at.refused === 0 ? null : await writeRefused(work, importId);
  terminal.out(`${at.added} new, ${at.changed} changed, ${at.skipped} skipped, ${at.refused} refused.\n`);
  if (reading.mail === true) terminal.out(`Invited by mail: ${at.invited} of the new members.\n`);
  if (kept !== null) terminal.out(`Each refused line is in ${shown(kept)}, with its reasons.\n`);
  tellNotTaken(notTaken, terminal);
  for (const [provider, count] of left)
    terminal.out(shown(`Accounts at ${provider} that were left out: ${count}.`).concat('\n'));
  terminal.out(`${staysBehind}\n`);
  return at.refused === 0 ? exitCode.done : exitCode.failed;
}

const staysBehind =
  'Passkeys, second factors and TVs do not come along: members add their passkeys anew, and sign in on each TV once more.';

/** A bar, where there is a terminal to draw it on. */
function progress({ err, errWidth }: Terminal, part: number, text: string): void {
  if (errWidth === null) return;
  const width = Math.max(10, Math.min(40, errWidth - 30));
  const filled = Math.round(width * Math.min(1, part));
  err(
    `\r[${'#'.repeat(filled)}${' '.repeat(width - filled)}] ${String(Math.floor(part * 100)).padStart(3)} %  ${text} `,
  );
}

/** A line that was refused, as the service tells it. */
interface Refused {
  readonly line: number;
  readonly reasons: readonly string[];
  readonly paths: readonly string[];
}

/** Writes the lines that were refused, as they stand in the file, beside it. @returns its path */
async function writeRefused({ file, reading, tenant, connection }: Work, importId: string): Promise<string> {
  const path = `${file.path}.refused.jsonl`;
  const answer = await connection.call(imports.refusals, { tenant, importId });
  let told = '';
  if ('parts' in answer) for await (const part of answer.parts) told += part;
  const refused = new Map(
    told
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Refused)
      .map((one) => [one.line, one] as const),
  );
  rmSync(path, { force: true });
  const out = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  for await (const { line, bytes } of piecesOf(file, reading.head, reading.head.begins)) {
    const why = refused.get(line);
    if (why === undefined) continue;
    // One that is too long stays where it is.
    const text = bytes === null ? null : bytes.toString().trimEnd();
    if (!out.write(`${JSON.stringify({ ...why, text })}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
  return path;
}

async function checkAll({ file, reading, tenant, connection, terminal }: Work): Promise<number> {
  const counts = { added: 0, changed: 0, skipped: 0, refused: 0 };
  let notTaken: readonly string[] = [];
  const repeated = createRepeats(reading.existing === 'update' ? 'update' : 'skip');
  const { begins } = reading.head;
  for await (const { entries } of batchesOf(piecesOf(file, reading.head, begins), begins)) {
    const { answer } = (await connection.call(imports.check, { tenant, ...reading, entries })) as unknown as {
      readonly answer: { readonly outcomes: readonly Checked[]; readonly notTaken: readonly string[] };
    };
    notTaken = toldTogether(notTaken, answer.notTaken);
    for (const one of answer.outcomes) {
      const { outcome, before } = repeated(one);
      counts[outcome] += 1;
      const isTold = before !== null && outcome !== 'refused';
      const why = isTold
        ? [`line ${before} has the address too`]
        : [...one.reasons, ...one.left.map((provider) => `without the account at ${provider}`)];
      const reasons = why.length === 0 ? '' : `: ${why.join('; ')}`;
      const isRead = terminal.out(
        shown(`${one.line}  ${outcome}  ${one.email ?? ''}${reasons}`).concat('\n'),
      );
      if (!isRead) return exitCode.done;
    }
  }
  demandUnchanged(file);
  const { added, changed, skipped, refused } = counts;
  tellNotTaken(notTaken, terminal);
  terminal.out(
    `${added} would be new, ${changed} changed, ${skipped} skipped, ${refused} refused. Nothing was done.\n`,
  );
  return refused === 0 ? exitCode.done : exitCode.differs;
}

/** Once for the file: what its lines say there goes by. */
function tellNotTaken(names: readonly string[], { out }: Terminal): void {
  if (names.length === 0) return;
  const told = names.map((name) => JSON.stringify(name)).join(', ');
  out(
    shown(`Not taken, since it means nothing here: ${told}. --columns says what a column is here.`).concat(
      '\n',
    ),
  );
}

interface Checked {
  readonly line: number;
  readonly outcome: 'added' | 'changed' | 'skipped' | 'refused';
  readonly email: string | null;
  readonly reasons: readonly string[];
  readonly left: readonly string[];
}

/** @throws WrongUsage */
async function onlyTenant(connection: Connection): Promise<string> {
  const hosts = await connection.hosts();
  const [host] = hosts;
  if (host === undefined) throw new WrongUsage(['There is no tenant yet.']);
  if (hosts.length > 1) throw new WrongUsage([`--tenant is missing: there are ${hosts.join(', ')}.`]);
  return host;
}
