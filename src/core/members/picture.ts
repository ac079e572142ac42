// The rules for pictures that a tenant or a client gives: SVG, PNG, WebP or JPEG.
import { type Problem, problem } from '../problem.ts';
import { type PictureKind, pictureRules } from './limits.ts';

const written = /^data:(image\/[a-z+]+)(;base64)?,(.+)$/;

/** The pictures that a tenant has on its pages, by the names of its fields. */
export const tenantPictures = ['logo', 'favicon', 'coverPicture'] as const satisfies readonly PictureKind[];

/** A picture as it is sent. */
export interface ReadPicture {
  /** Its media type. */
  readonly type: string;
  readonly bytes: Buffer;
}

/**
 * What is wrong with a picture, or null. A picture is whole, in a `data:` URI, so that a page loads nothing from other
 * sites.
 *
 * @param field the name of the field that has it
 */
export function pictureProblem(field: string, picture: string, kind: PictureKind): Problem | null {
  const found = wrongWith(picture, kind);
  return found === null ? null : { ...found, path: [field] };
}

function wrongWith(picture: string, kind: PictureKind): Problem | null {
  const { length, pixels, types } = pictureRules[kind];
  if (picture.length > length) return problem([], 'too_long', { most: length });
  const [, type = '', base64, body = ''] = written.exec(picture) ?? [];
  const allowed = types.map((one) => `image/${one}`);
  if (!allowed.includes(type)) {
    return problem([], 'logo_type', { allowed: allowed.join(', ').replace(/, (?=[^,]*$)/, ' or ') });
  }
  const bytes = base64 === undefined ? readPercentEncoded(type, body) : readBase64(body);
  if ('code' in bytes) return bytes;
  switch (type) {
    case 'image/png':
      return pngProblem(bytes, pixels);
    case 'image/webp':
      return webpProblem(bytes, pixels);
    case 'image/jpeg':
      return jpegProblem(bytes, pixels);
    default:
      return svgBytesProblem(bytes);
  }
}

/** A picture that passed the checks, as it is sent. */
export function readPicture(picture: string): ReadPicture {
  const [, type = '', base64, body = ''] = written.exec(picture) ?? [];
  const bytes = base64 === undefined ? readPercentEncoded(type, body) : readBase64(body);
  if ('code' in bytes) throw new Error('a picture is kept that was not looked at');
  return { type, bytes };
}

/** The bytes, or what is wrong with how they are written. */
function readBase64(body: string): Buffer | Problem {
  const bytes = Buffer.from(body, 'base64');
  return bytes.toString('base64') === body ? bytes : problem([], 'logo_base64');
}

/** Nothing in it needs to be escaped in HTML, so what is stored is what the page weighs. */
function readPercentEncoded(type: string, body: string): Buffer | Problem {
  if (type !== 'image/svg+xml') return problem([], 'logo_needs_base64', { type });
  if (!/^(?:[\w.!~*();:@$,/?=+-]|%[0-9a-f]{2})+$/i.test(body)) {
    return problem([], 'logo_encoding');
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
    return problem([], 'svg_not_utf8');
  }
}

const pngStart = Buffer.from('89504e470d0a1a0a', 'hex');

/** PNG, chunk by chunk: it is whole, of a sane size, and does not move (W3C PNG, §5). */
function pngProblem(bytes: Buffer, most: number): Problem | null {
  const broken = problem([], 'logo_broken', { format: 'PNG' });
  if (!bytes.subarray(0, 8).equals(pngStart)) return broken;
  const names: string[] = [];
  let at = 8;
  while (at + 12 <= bytes.length) {
    names.push(bytes.toString('latin1', at + 4, at + 8));
    at += 12 + bytes.readUInt32BE(at);
  }
  const isWhole = names[0] === 'IHDR' && names.includes('IDAT') && names.at(-1) === 'IEND';
  if (!isWhole || at !== bytes.length) return broken;
  if (names.includes('acTL')) return problem([], 'logo_moves');
  return sizeProblem(bytes.readUInt32BE(16), bytes.readUInt32BE(20), most);
}

/** WebP: likewise (RFC 9649 §2.4 to §2.7). */
function webpProblem(bytes: Buffer, most: number): Problem | null {
  const broken = problem([], 'logo_broken', { format: 'WebP' });
  const nameAt = (at: number) => bytes.toString('latin1', at, at + 4);
  if (bytes.length < 30 || nameAt(0) !== 'RIFF' || nameAt(8) !== 'WEBP') return broken;
  if (bytes.readUInt32LE(4) + 8 !== bytes.length) return broken;
  switch (nameAt(12)) {
    case 'VP8 ':
      return sizeProblem(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff, most);
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return sizeProblem((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1, most);
    }
    case 'VP8X':
      if (((bytes[20] ?? 0) & 0x02) !== 0) return problem([], 'logo_moves');
      return sizeProblem(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1, most);
    default:
      return broken;
  }
}

/** A picture that is sharpened step by step has a dozen; a thousand of a few bytes each keep a phone busy for seconds. */
const mostScans = 100;

/** JPEG, segment by segment up to the picture itself: it is whole, and of a sane size (ITU-T T.81, annex B). */
function jpegProblem(bytes: Buffer, most: number): Problem | null {
  const broken = problem([], 'logo_broken', { format: 'JPEG' });
  const isWhole = bytes.length > 4 && bytes.readUInt16BE(0) === 0xffd8;
  if (!isWhole || bytes.readUInt16BE(bytes.length - 2) !== 0xffd9) return broken;
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    // A byte that only fills (B.1.1.2).
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    // These have no length, or are no markers: a decoder reads on at once, and finds another frame than we do.
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd9)) return broken;
    // Of these markers all begin a frame but three: tables of codes, an extension, conditions.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const found = sizeProblem(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5), most);
      return found ?? (scansIn(bytes.subarray(at)) > mostScans ? problem([], 'picture_scans') : null);
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return broken;
}

/** How often the whole picture is gone over: in what is coded, no byte of this kind stands before that one (B.1.1.5). */
function scansIn(coded: Buffer): number {
  const scan = Buffer.from([0xff, 0xda]);
  let scans = 0;
  for (let at = coded.indexOf(scan); at !== -1; at = coded.indexOf(scan, at + 2)) scans += 1;
  return scans;
}

/** A few bytes can be unpacked to a picture that fills a phone's memory. */
function sizeProblem(width: number, height: number, most: number): Problem | null {
  const isSane = Math.min(width, height) > 0 && Math.max(width, height) <= most;
  return isSane ? null : problem([], 'logo_size', { most });
}

/**
 * Which SVG is taken for a logo: shapes, colours, gradients, words. A list of what is allowed, since a list of
 * what is dangerous is never complete: script, event handlers, foreignObject, style, animation, links and
 * everything that fetches are not on it. Neither are `use`, `pattern`, `filter` and dashed lines, with which a few
 * hundred characters keep a phone busy for minutes.
 */
const elements = new Set(
  (
    'svg g path rect circle ellipse line polyline polygon defs linearGradient radialGradient stop clipPath ' +
    'mask title desc text tspan'
  ).split(' '),
);

const attributes = new Set(
  (
    'id class version xml:space x y x1 y1 x2 y2 cx cy r rx ry fx fy dx dy d points width height viewBox ' +
    'preserveAspectRatio transform fill fill-opacity fill-rule clip-rule clip-path mask opacity color stroke ' +
    'stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit ' +
    'gradientUnits gradientTransform spreadMethod offset stop-color stop-opacity ' +
    'clipPathUnits maskUnits maskContentUnits font-family font-size font-weight font-style text-anchor ' +
    'letter-spacing dominant-baseline paint-order vector-effect shape-rendering'
  ).split(' '),
);

const namespaces: Readonly<Record<string, string>> = {
  xmlns: 'http://www.w3.org/2000/svg',
  'xmlns:xlink': 'http://www.w3.org/1999/xlink',
};

/** An encoding that is not ours could make a browser read another document than we do. */
const declaration = /^<\?xml version="1\.0"(?: encoding="utf-8")?(?: standalone="(?:yes|no)")?\?>\s*/i;

const piece =
  /<!--(?:(?!--)[\s\S])*-->|<\/(?<end>[\w:-]+)\s*>|<(?<start>[\w:-]+)(?<given>(?:\s+[\w:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?<empty>\/?)>|(?<words>[^<]+)/gy;

const badReference = /&(?!(?:amp|lt|gt|quot|apos);)/;

interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** The elements it stands in, from the outermost. */
  readonly inside: readonly string[];
}

/** What is wrong with an SVG that is to be a logo, or null. */
function svgProblem(text: string): Problem | null {
  const body = text.replace(declaration, '').trim();
  if (/<[!?](?!--)/.test(body)) return problem([], 'svg_not_plain');
  if (badReference.test(body)) return problem([], 'svg_reference');
  const tags = readTags(body);
  if (tags === null) return problem([], 'svg_malformed');
  const [root] = tags;
  if (root?.name !== 'svg' || root.attributes.get('xmlns') !== namespaces.xmlns) {
    return problem([], 'svg_root');
  }
  if (!isViewBox(root.attributes.get('viewBox'))) return problem([], 'svg_view_box');
  for (const tag of tags) {
    const found = tagProblem(tag);
    if (found !== null) return found;
  }
  return null;
}

/** The start tags of a well-formed document with one root, in their order; null if it is none. */
function readTags(text: string): readonly Tag[] | null {
  const tags: Tag[] = [];
  const open: string[] = [];
  let read = 0;
  for (const match of text.matchAll(piece)) {
    const { end, start, given = '', empty, words } = match.groups ?? {};
    read += match[0].length;
    if (end !== undefined && open.pop() !== end) return null;
    if (words !== undefined && words.trim() !== '' && open.length === 0) return null;
    if (start === undefined) continue;
    if (open.length === 0 && tags.length > 0) return null;
    const pairs = readAttributes(given);
    if (pairs === null) return null;
    tags.push({ name: start, attributes: pairs, inside: [...open] });
    if (empty === '') open.push(start);
  }
  return read === text.length && open.length === 0 ? tags : null;
}

function readAttributes(given: string): ReadonlyMap<string, string> | null {
  const pairs = [...given.matchAll(/([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)];
  const values = new Map(pairs.map(([, name = '', double, single]) => [name, double ?? single ?? '']));
  return values.size === pairs.length ? values : null;
}

function tagProblem({ name, attributes: given, inside }: Tag): Problem | null {
  if (!elements.has(name)) return problem([], 'svg_element', { element: name });
  // A picture in a picture has a size of its own, and a clip within a clip costs as much again.
  if (name === 'svg' && inside.length > 0) return problem([], 'svg_nested');
  const isClip = [name, ...inside].some((element) => ['clipPath', 'mask'].includes(element));
  for (const [attribute, value] of given) {
    if (Object.hasOwn(namespaces, attribute)) {
      if (value !== namespaces[attribute]) return problem([], 'svg_namespace', { namespace: value });
      continue;
    }
    if (!attributes.has(attribute)) {
      return problem([], 'svg_attribute', { attribute, element: name });
    }
    // Values are read as CSS, where a backslash can spell any name.
    if (/[:\\@]|url/i.test(value.replaceAll(/url\(#[\w-]+\)/g, ''))) {
      return problem([], 'svg_refers', { attribute, element: name });
    }
    if (isClip && ['clip-path', 'mask'].includes(attribute)) {
      return problem([], 'svg_clip');
    }
  }
  return null;
}

function isViewBox(value = ''): boolean {
  const numbers = value.trim().split(/[\s,]+/);
  const [, , width = 0, height = 0] = numbers.map(Number);
  return numbers.length === 4 && numbers.every((part) => /^-?[\d.]+$/.test(part)) && width > 0 && height > 0;
}
