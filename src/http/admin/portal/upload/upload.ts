// The page that uploads a file of members, and what takes the file while it arrives.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fileNameOf } from '../../../../core/import/import.ts';
import { importPartBytes, uploadBytes } from '../../../../core/import/limits.ts';
import { type Problem, problem } from '../../../../core/problem.ts';
import type { Operation } from '../../../../operations/admin/operation.ts';
import { invalid, OperationRefused } from '../../../../operations/refusal.ts';
import { bodyForm, type Form } from '../../../form.ts';
import { addressFacts, addressOf, operationNamed, routesOf } from '../addresses.ts';
import { sendFormAgain, showForm } from '../form/form.ts';
import { sendPortalProblem } from '../page.ts';
import { call, portalPage } from '../visit.ts';
import type { OperationVisit, Portal, Visit } from '../visitor.ts';
import { CutOff, readUpload, type Upload } from './multipart-stream.ts';

/** The operation that takes a part: its form has the file as a whole. */
export const uploadName = 'imports.upload';

/** How many bytes a form has beside its file. */
const formBytes = uploadBytes + 64 * 1_024;

/** The files of forms that are being read. */
const uploads = new WeakMap<Form, Upload>();

/** Registers the page; the parser of its form keeps no file in memory. */
export function uploadPage(app: FastifyInstance, all: Portal, operation: Operation): void {
  app.register(async (scope) => {
    scope.removeContentTypeParser('multipart/form-data');
    scope.addContentTypeParser(
      'multipart/form-data',
      async ({ headers }: FastifyRequest, body: AsyncIterable<Buffer>) => {
        if (Number(headers['content-length'] ?? 0) > formBytes)
          throw Object.assign(new Error('too large'), { statusCode: 413 });
        const read = await readUpload(body, headers['content-type'] ?? '');
        if (read !== null && read.upload !== null) uploads.set(read.form, read.upload);
        return read?.form ?? null;
      },
    );
    const at = (answer: (visit: OperationVisit) => Promise<FastifyReply>) => (visit: Visit) =>
      answer({ ...visit, operation, known: addressFacts(visit, operation) });
    for (const url of routesOf(operation)) {
      portalPage(scope, all, {
        ...{ url, takesFiles: true, bodyBytes: formBytes },
        ...{ show: at(showForm), submit: at(submitUpload) },
      });
    }
  });
}

async function submitUpload(visit: OperationVisit): Promise<FastifyReply> {
  const form: Form = bodyForm(visit.request) ?? new Map();
  const upload = uploads.get(form);
  const again = (...problems: readonly Problem[]) => sendFormAgain(visit, form, problems);
  if (upload === undefined) return again(problem('file', 'missing'));
  const bytes = upload.bytes();
  try {
    await sendParts(visit, upload, { [Symbol.asyncIterator]: () => ({ next: () => bytes.next() }) });
  } catch (error) {
    if (error instanceof CutOff) return sendPortalProblem(visit.reply, 'request', visit);
    if (!(error instanceof OperationRefused)) throw error;
    // A browser hears nothing before all that it sends was taken.
    for await (const _ of bytes);
    // Whatever is wrong with a part is wrong with the file, the one field of the form.
    return again(...error.problems.map((one) => ({ ...one, path: ['file'] })));
  }
  const page = operationNamed(visit, 'imports.read');
  return visit.reply.redirect((page && addressOf(page, visit.known)) ?? '/admin', 303);
}

/** Sends a file as the admin API takes it, part by part. @throws OperationRefused, CutOff */
async function sendParts(
  visit: OperationVisit,
  { name }: Upload,
  bytes: AsyncIterable<Buffer>,
): Promise<void> {
  const { random, clock } = visit.deps;
  const sending = random.id(clock());
  let held: Buffer[] = [];
  let [length, start] = [0, 0];
  const send = async (last: boolean) => {
    const content = Buffer.concat(held).toString('base64');
    const part = { start, content, last, sending, name: fileNameOf(name) };
    await call(visit, visit.operation, { ...visit.known, ...part });
    [held, start, length] = [[], start + length, 0];
  };
  for await (const some of bytes) {
    for (let at = 0; at < some.length; ) {
      // A full part is sent when there is more: only then it is known not to be the last.
      if (length === importPartBytes) await send(false);
      const taken = some.subarray(at, at + importPartBytes - length);
      held.push(taken);
      at += taken.length;
      length += taken.length;
    }
  }
  if (length === 0) throw invalid([], 'file_empty');
  await send(true);
}
