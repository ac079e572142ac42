// Reads a form that ends with a file, one piece of the file in memory at a time.
import type { Form } from '../../../form.ts';

/** The file of a form; its bytes come while they arrive. */
export interface Upload {
  readonly name: string;
  readonly bytes: () => AsyncGenerator<Buffer>;
}

export interface UploadForm {
  /** The fields before the file. */
  readonly form: Form;
  /** null where no file was chosen. */
  readonly upload: Upload | null;
}

/** How long the fields of the form, and the lines that head each, may be. */
const partBytes = 16 * 1_024;

/** How many parts may come before the file. A form of ours has two: a sender of more would keep all others waiting. */
const partsMost = 20;

/** The connection ended before the form did. */
export class CutOff extends Error {}

/**
 * Reads `multipart/form-data` (RFC 7578) as far as its file.
 *
 * @returns null if it is no such form, or not UTF-8
 */
export async function readUpload(
  body: AsyncIterable<Buffer>,
  contentType: string,
): Promise<UploadForm | null> {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^;\s"]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return null;
  const reader = readerOf(body);
  const mark = Buffer.from(`\r\n--${boundary}`);
  const form = new Map<string, string[]>();
  if ((await reader.until(mark, mark.length)) === null) return null;
  for (let parts = 0; parts <= partsMost; parts += 1) {
    const head = (await reader.until(headEnd, partBytes))?.toString();
    // Behind the last part two dashes stand.
    if (head === undefined) return { form, upload: null };
    const [, name] = /^content-disposition:.*?;\s*name="([^"]*)"/im.exec(head) ?? [];
    const [, file] = /^content-disposition:.*?;\s*filename="([^"]*)"/im.exec(head) ?? [];
    if (name === undefined || head.includes('\ufffd')) return null;
    if (file !== undefined && file !== '') {
      return { form, upload: { name: file.replaceAll('%22', '"'), bytes: () => reader.rest(mark) } };
    }
    const value = (await reader.until(mark, partBytes))?.toString();
    if (value === undefined || value.includes('\ufffd')) return null;
    if (file === undefined) form.set(name, [...(form.get(name) ?? []), value]);
  }
  return null;
}

const headEnd = Buffer.from('\r\n\r\n');

/** The part of a body that has arrived and was not read yet. */
function readerOf(body: AsyncIterable<Buffer>) {
  const source = body[Symbol.asyncIterator]();
  // The first boundary may have no line before it.
  let held: Buffer = Buffer.from('\r\n');
  const more = async () => {
    const { done, value } = await source.next();
    if (done !== true) held = Buffer.concat([held, value]);
    return done !== true;
  };
  const take = (length: number, skipped: number) => {
    const taken = held.subarray(0, length);
    held = held.subarray(length + skipped);
    return taken;
  };
  return {
    /** What stands before a sign; null where that does not come within so many bytes. */
    async until(sign: Buffer, most: number): Promise<Buffer | null> {
      for (;;) {
        const at = held.indexOf(sign);
        if (at > most) return null;
        if (at !== -1) return take(at, sign.length);
        if (held.length > most + sign.length || !(await more())) return null;
      }
    },
    /** The same, however long it is. */
    async *rest(sign: Buffer): AsyncGenerator<Buffer> {
      for (;;) {
        const at = held.indexOf(sign);
        if (at !== -1) return yield take(at, sign.length);
        // The end may be half of the sign.
        if (held.length > sign.length) yield take(held.length - sign.length, 0);
        if (!(await more())) throw new CutOff();
      }
    },
  };
}
