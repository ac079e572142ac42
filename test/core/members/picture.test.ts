import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { PictureKind } from '../../../src/core/members/limits.ts';
import { pictureProblem, readPicture } from '../../../src/core/members/picture.ts';
import { developmentClients, developmentTenants } from '../../../src/operations/development/clients.ts';
import { told } from '../../support/expected/told.ts';
import {
  hostileSvgs,
  inBase64,
  largestLogo,
  plainJpeg,
  plainLogo,
  svgLogo,
} from '../../support/members/pages/logos.ts';

const logoProblem = (logo: string, kind: PictureKind = 'logo') => pictureProblem('logo', logo, kind);
const wordsOf = (logo: string) => told([logoProblem(logo)].filter((found) => found !== null))[0] ?? null;
const most = 2_500;

const uri = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;

/** A PNG of these chunks; browsers check the sums, we do not. */
function png(width: number, height: number, ...more: readonly string[]): Buffer {
  const chunk = (name: string, body: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length);
    return Buffer.concat([length, Buffer.from(name), body, Buffer.alloc(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const others = more.map((name) => chunk(name, Buffer.alloc(8)));
  const data = chunk('IDAT', deflateSync(Buffer.alloc(5)));
  return Buffer.concat([start, chunk('IHDR', header), ...others, data, chunk('IEND', Buffer.alloc(0))]);
}

/** A WebP with one chunk of this name whose content begins with these bytes. */
function webp(name: string, ...content: readonly number[]): Buffer {
  const bytes = Buffer.alloc(40);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(32, 4);
  bytes.write(`WEBP${name}`, 8, 'latin1');
  bytes.set(content, 20);
  return bytes;
}

// 64 by 48 pixels in each of the three forms.
const webps = {
  lossy: webp('VP8 ', 0, 0, 0, 0x9d, 0x01, 0x2a, 64, 0, 48, 0),
  lossless: webp('VP8L', 0x2f, 63, 0xc0, 11, 0),
  extended: webp('VP8X', 0x10, 0, 0, 0, 63, 0, 0, 47, 0, 0),
};

describe('a logo', () => {
  it('may be an SVG, in base64 or percent-encoded', () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><title>Å</title></svg>';
    expect(logoProblem(inBase64(svg))).toBeNull();
    expect(logoProblem(`data:image/svg+xml,${encodeURIComponent(svg)}`)).toBeNull();
  });

  it.each(Object.entries(webps))('may be a %s WebP', (_form, bytes) => {
    expect(logoProblem(uri('image/webp', bytes))).toBeNull();
  });

  it('may be a PNG', () => {
    expect(logoProblem(uri('image/png', png(64, 48, 'tRNS')))).toBeNull();
  });

  it('is as long as it may be, and no longer', () => {
    expect(logoProblem(largestLogo('client'), 'clientLogo')).toBeNull();
    expect(logoProblem(largestLogo('client').replace('x', 'xx'), 'clientLogo')?.code).toBe('too_long');
    expect(logoProblem(largestLogo('tenant'))).toBeNull();
  });

  it.each(
    Object.entries({
      'an address': 'https://evil.example/logo.png',
      'a script': 'javascript:alert(1)',
      'another type': 'data:text/html;base64,PGI+',
      'a GIF': 'data:image/gif;base64,R0lGODlhAQABAAAAACw=',
      'a parameter': plainLogo.replace(';base64', ';charset=utf-7;base64'),
      'capitals, that are another text': plainLogo.replace('data:', 'DATA:'),
      'nothing in it': 'data:image/png;base64,',
      'something before it': ` ${plainLogo}`,
      'a line break': `${plainLogo}\n`,
      'a quotation mark': `${plainLogo}"`,
      'no base64': 'data:image/svg+xml;base64,%%%%',
      'base64 cut short': plainLogo.slice(0, -1),
      'an SVG as it stands': 'data:image/svg+xml,<svg/>',
      'a fragment': `data:image/svg+xml,${encodeURIComponent('<svg/>')}#a`,
      'half a percent code': 'data:image/svg+xml,%3',
      'a PNG in percent codes': 'data:image/png,%89PNG',
      'an SVG that says it is a PNG': plainLogo.replace('svg+xml', 'png'),
      'a PNG that says it is a WebP': uri('image/webp', png(9, 9)),
      'a PNG without an end': uri('image/png', png(9, 9).subarray(0, -12)),
      'a PNG with something behind it': uri('image/png', Buffer.concat([png(9, 9), Buffer.from('<script>')])),
      'a PNG of no size': uri('image/png', png(0, 9)),
      'a PNG that fills the memory': uri('image/png', png(9, 30_000)),
      'a PNG that moves': uri('image/png', png(9, 9, 'acTL')),
      'a WebP that moves': uri('image/webp', webp('VP8X', 0x02, 0, 0, 0, 9, 0, 0, 9, 0, 0)),
      'a WebP that fills the memory': uri('image/webp', webp('VP8X', 0, 0, 0, 0, 0, 0x40, 0, 9, 0, 0)),
      'a WebP of another length': uri('image/webp', webps.lossy.subarray(0, 38)),
      'a WebP of an unknown form': uri('image/webp', webp('XXXX')),
    }),
  )('is not %s', (_what, logo) => {
    expect(logoProblem(logo)).toMatchObject({ path: ['logo'] });
  });
});

describe('an SVG logo', () => {
  it.each(Object.entries(hostileSvgs))('may not have or be: %s', (_what, logo) => {
    expect(logo.length).toBeLessThan(most);
    expect(logoProblem(logo)?.code).toMatch(/^svg_/);
  });

  it('W15: has no dashed lines: a browser would draw millions', () => {
    const line = '<path d="M0 0H99" stroke="#000" stroke-width="90" stroke-dasharray=".0003"/>';
    expect(logoProblem(svgLogo(line))?.code).toBe('svg_attribute');
  });

  it('says what it may not have', () => {
    expect(wordsOf(hostileSvgs['a script'] ?? '')).toBe(
      'the SVG has the element <script>, which a logo may not have',
    );
    expect(wordsOf(hostileSvgs['an event handler'] ?? '')).toBe(
      'the SVG has the attribute onload on <svg>, which a logo may not have',
    );
  });

  it.each(
    Object.entries({
      'a gradient and a clip path of its own': svgLogo(
        `<defs><linearGradient id="a"><stop offset="0" stop-color="red"/></linearGradient>
         <clipPath id="c"><path d="M0 0h9"/></clipPath></defs><g clip-path='url(#c)' fill="url(#a)"/>`,
      ),
      'words, with the five entities of XML': svgLogo('<text x="1" y="9">A &amp; B &lt; C</text>'),
      'a comment': svgLogo('<!-- drawn by hand: <script> --><path d="M0 0" />'),
      'a declaration of its encoding': inBase64(
        '<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0,0,9,9"/>\n',
      ),
    }),
  )('may have %s', (_what, logo) => {
    expect(logoProblem(logo)).toBeNull();
  });
});

describe('the logos of the development start', () => {
  const logos = [...developmentTenants, ...developmentClients].flatMap(
    (one) => ('branding' in one ? one.branding : one).logo ?? [],
  );

  it('are logos', () => {
    expect(logos).toHaveLength(3);
    for (const logo of logos) expect(logoProblem(logo)).toBeNull();
  });
});

describe('the picture of a cover', () => {
  const cover = (type: string, bytes: Buffer) =>
    pictureProblem('coverPicture', uri(type, bytes), 'coverPicture');
  const jpeg = readPicture(plainJpeg).bytes;
  /** The same, with another height and width in its frame. */
  const sized = (height: number, width: number) => {
    const bytes = Buffer.from(jpeg);
    const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
    bytes.writeUInt16BE(height, frame + 5);
    bytes.writeUInt16BE(width, frame + 7);
    return bytes;
  };

  it('may be a JPEG, a PNG or a WebP, and no SVG', () => {
    expect(cover('image/jpeg', jpeg)).toBeNull();
    expect(cover('image/png', png(64, 48))).toBeNull();
    expect(cover('image/webp', webps.lossy)).toBeNull();
    expect(
      told([pictureProblem('coverPicture', plainLogo, 'coverPicture')].flatMap((one) => one ?? [])),
    ).toEqual([
      'coverPicture must be a data: URI of image/png, image/webp or image/jpeg without other parameters',
    ]);
    expect(logoProblem(plainJpeg)?.code).toBe('logo_type');
  });

  /** One whose frame hides in what looks like a segment, with a small frame behind it. */
  const hiding = (marker: number, length: number) => {
    const whole = sized(9, 65_000).subarray(2, -2);
    const segment = Buffer.alloc(length);
    whole.copy(segment, 2);
    segment.writeUInt16BE(length);
    const small = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 9, 0, 9, 1, 1, 0x11, 0]);
    const end = Buffer.from([0xff, 0xd9]);
    return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, marker]), segment, small, end]);
  };

  it('W15: is a JPEG whose frame is where every reader finds it', () => {
    // What has no length, and a byte that only fills, are followed by the next marker at once.
    for (const marker of [0x00, 0x01, 0x02, 0xbf, 0xd0, 0xd7, 0xd8, 0xd9, 0xff]) {
      expect([marker, cover('image/jpeg', hiding(marker, 500))?.code]).toEqual([marker, 'logo_broken']);
    }
    expect(cover('image/jpeg', hiding(0xe1, 500))).toBeNull();
    const filled = Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xff]), jpeg.subarray(2)]);
    expect(cover('image/jpeg', filled)).toBeNull();
  });

  it('W15: is a JPEG that is not drawn thousands of times over', () => {
    const scan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 1, 1, 0, 0x7f, 0xff]);
    const drawn = (times: number) =>
      cover(
        'image/jpeg',
        Buffer.concat([jpeg.subarray(0, -2), ...Array(times).fill(scan), jpeg.subarray(-2)]),
      );
    expect(drawn(20)).toBeNull();
    expect(drawn(1_000)?.code).toBe('picture_scans');
  });

  it.each(
    Object.entries({
      'a JPEG without an end': jpeg.subarray(0, -2),
      'a JPEG with something behind it': Buffer.concat([jpeg, Buffer.from('<script>')]),
      'a JPEG without a frame': Buffer.from([
        0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xda, 0, 2, 0xff, 0xd9,
      ]),
      'a JPEG of no size': sized(0, 9),
      'a JPEG that fills the memory': sized(9, 65_000),
      'a PNG that says it is a JPEG': png(9, 9),
      nothing: Buffer.from('x'),
    }),
  )('is not %s', (_what, bytes) => {
    expect(cover('image/jpeg', bytes)?.code).toMatch(/^logo_(?:broken|size)$/);
  });
});
