// Reads forms that carry files.
import type { Form } from '../../form.ts';

/**
 * Reads `multipart/form-data` (RFC 7578) by Node's own reader. A file becomes the text that stands for it everywhere else:
 * a `data:` URI, of the type that its bytes say, whatever the browser calls it. A field that no file was chosen for is as
 * if it were not there.
 *
 * @returns null if the body is no such form, or not UTF-8
 */
export async function parseMultipart(body: Buffer, contentType: string): Promise<Form | null> {
  const form = new Map<string, string[]>();
  try {
    const answer = new Response(new Uint8Array(body), { headers: { 'content-type': contentType } });
    for (const [name, value] of await answer.formData()) {
      const text = typeof value === 'string' ? value : await dataUri(value);
      if (text === null) continue;
      if (name.includes('\ufffd') || text.includes('\ufffd')) return null;
      const values = form.get(name);
      if (values === undefined) form.set(name, [text]);
      else values.push(text);
    }
    return form;
  } catch {
    return null;
  }
}

/** A file as a `data:` URI; null where none was chosen. */
async function dataUri(file: File): Promise<string | null> {
  if (file.size === 0) return null;
  const bytes = Buffer.from(await file.arrayBuffer());
  return `data:${typeOf(bytes)};base64,${bytes.toString('base64')}`;
}

/** The type of a picture by its first bytes (WHATWG MIME Sniffing §6.1); a general type for other files. */
function typeOf(bytes: Buffer): string {
  const begins = (text: string, at = 0) => bytes.toString('latin1', at, at + text.length) === text;
  if (begins('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (begins('RIFF') && begins('WEBP', 8)) return 'image/webp';
  if (begins('\xff\xd8\xff')) return 'image/jpeg';
  if (begins('GIF8')) return 'image/gif';
  return /^(?:\xef\xbb\xbf)?\s*</.test(bytes.toString('latin1', 0, 100))
    ? 'image/svg+xml'
    : 'application/octet-stream';
}
