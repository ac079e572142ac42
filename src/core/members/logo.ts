// The rules for a logo.
import { type Problem, problem } from '../problem.ts';
import { logoPixels } from './limits.ts';
import { svgProblem } from './svg.ts';

const written = /^data:(image\/svg\+xml|image\/png|image\/webp)(;base64)?,(.+)$/;

/**
 * What is wrong with a logo, or null. A logo is a whole picture in a `data:` URI, so that a page
 * loads nothing from other sites.
 *
 * @param most the most characters that it may have
 */
export function logoProblem(logo: string, most: number): Problem | null {
  if (logo.length > most) return problem('logo', 'too_long', { most });
  const [, type, base64, body = ''] = written.exec(logo) ?? [];
  if (type === undefined) return problem('logo', 'logo_type');
  const bytes = base64 === undefined ? readPercentEncoded(type, body) : readBase64(body);
  if ('code' in bytes) return bytes;
  switch (type) {
    case 'image/png':
      return pngProblem(bytes);
    case 'image/webp':
      return webpProblem(bytes);
    default:
      return svgBytesProblem(bytes);
  }
}

/** The bytes, or what is wrong with how they are written. */
function readBase64(body: string): Buffer | Problem {
  const bytes = Buffer.from(body, 'base64');
  return bytes.toString('base64') === body ? bytes : problem('logo', 'logo_base64');
}

/** Nothing in it needs to be escaped in HTML, so what is stored is what the page weighs. */
function readPercentEncoded(type: string, body: string): Buffer | Problem {
  if (type !== 'image/svg+xml') return problem('logo', 'logo_needs_base64', { type });
  if (!/^(?:[\w.!~*();:@$,/?=+-]|%[0-9a-f]{2})+$/i.test(body)) {
    return problem('logo', 'logo_encoding');
  }
  const text = body.replaceAll(/%(..)/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return Buffer.from(text, 'latin1');
}

function svgBytesProblem(bytes: Buffer): Problem | null {
  try {
    return svgProblem(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return problem('logo', 'svg_not_utf8');
  }
}

const pngStart = Buffer.from('89504e470d0a1a0a', 'hex');

/** PNG, chunk by chunk: it is whole, of a sane size, and does not move (W3C PNG, §5). */
function pngProblem(bytes: Buffer): Problem | null {
  const broken = problem('logo', 'logo_broken', { format: 'PNG' });
  if (!bytes.subarray(0, 8).equals(pngStart)) return broken;
  const names: string[] = [];
  let at = 8;
  while (at + 12 <= bytes.length) {
    names.push(bytes.toString('latin1', at + 4, at + 8));
    at += 12 + bytes.readUInt32BE(at);
  }
  const isWhole = names[0] === 'IHDR' && names.includes('IDAT') && names.at(-1) === 'IEND';
  if (!isWhole || at !== bytes.length) return broken;
  if (names.includes('acTL')) return problem('logo', 'logo_moves');
  return sizeProblem(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
}

/** WebP: likewise (RFC 9649 §2.4 to §2.7). */
function webpProblem(bytes: Buffer): Problem | null {
  const broken = problem('logo', 'logo_broken', { format: 'WebP' });
  const nameAt = (at: number) => bytes.toString('latin1', at, at + 4);
  if (bytes.length < 30 || nameAt(0) !== 'RIFF' || nameAt(8) !== 'WEBP') return broken;
  if (bytes.readUInt32LE(4) + 8 !== bytes.length) return broken;
  switch (nameAt(12)) {
    case 'VP8 ':
      return sizeProblem(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return sizeProblem((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      if (((bytes[20] ?? 0) & 0x02) !== 0) return problem('logo', 'logo_moves');
      return sizeProblem(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
    default:
      return broken;
  }
}

/** A few bytes can be unpacked to a picture that fills a phone's memory. */
function sizeProblem(width: number, height: number): Problem | null {
  const isSane = Math.min(width, height) > 0 && Math.max(width, height) <= logoPixels;
  return isSane ? null : problem('logo', 'logo_size', { most: logoPixels });
}
