// The rules for a logo: an SVG, a PNG or a WebP picture.
import { type Problem, problem } from '../problem.ts';
import { logoPixels } from './limits.ts';

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

/**
 * Which SVG is taken for a logo: shapes, colours, gradients, words. A list of what is allowed, since a list of
 * what is dangerous is never complete: script, event handlers, foreignObject, style, animation, links and
 * everything that fetches are not on it. Neither are `use`, `pattern` and `filter`, with which a few hundred
 * characters keep a phone busy for minutes.
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
    'stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray ' +
    'stroke-dashoffset gradientUnits gradientTransform spreadMethod offset stop-color stop-opacity ' +
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
  if (/<[!?](?!--)/.test(body)) return problem('logo', 'svg_not_plain');
  if (badReference.test(body)) return problem('logo', 'svg_reference');
  const tags = readTags(body);
  if (tags === null) return problem('logo', 'svg_malformed');
  const [root] = tags;
  if (root?.name !== 'svg' || root.attributes.get('xmlns') !== namespaces.xmlns) {
    return problem('logo', 'svg_root');
  }
  if (!isViewBox(root.attributes.get('viewBox'))) return problem('logo', 'svg_view_box');
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
  if (!elements.has(name)) return problem('logo', 'svg_element', { element: name });
  // A picture in a picture has a size of its own, and a clip within a clip costs as much again.
  if (name === 'svg' && inside.length > 0) return problem('logo', 'svg_nested');
  const isClip = [name, ...inside].some((element) => ['clipPath', 'mask'].includes(element));
  for (const [attribute, value] of given) {
    if (Object.hasOwn(namespaces, attribute)) {
      if (value !== namespaces[attribute]) return problem('logo', 'svg_namespace', { namespace: value });
      continue;
    }
    if (!attributes.has(attribute)) {
      return problem('logo', 'svg_attribute', { attribute, element: name });
    }
    // Values are read as CSS, where a backslash can spell any name.
    if (/[:\\@]|url/i.test(value.replaceAll(/url\(#[\w-]+\)/g, ''))) {
      return problem('logo', 'svg_refers', { attribute, element: name });
    }
    if (isClip && ['clip-path', 'mask'].includes(attribute)) {
      return problem('logo', 'svg_clip');
    }
  }
  return null;
}

function isViewBox(value = ''): boolean {
  const numbers = value.trim().split(/[\s,]+/);
  const [, , width = 0, height = 0] = numbers.map(Number);
  return numbers.length === 4 && numbers.every((part) => /^-?[\d.]+$/.test(part)) && width > 0 && height > 0;
}
