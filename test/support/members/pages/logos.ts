import { crc32, deflateSync } from 'node:zlib';
import { pictureRules } from '../../../../src/core/members/limits.ts';

const start = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"';

/** An SVG logo with this drawing in it, in base64. */
export const svgLogo = (drawing: string, more = '') => inBase64(`${start}${more}>${drawing}</svg>`);

/** This text as the data: URI of an SVG, whatever it is. */
export const inBase64 = (text: string) => `data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}`;

export const plainLogo = svgLogo('<circle cx="12" cy="12" r="10" fill="#c2410c"/>');

/** A JPEG of one pixel. */
export const plainJpeg = [
  'data:image/jpeg;base64,',
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarYqMyP/L',
  '2u71////m8H////6/+b9//j/2wBDASstLTw1PHZBQXb4pYyl+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4',
  '+Pj4+Pj4+Pj4+Pj4+Pj/wAARCAABAAEDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAA',
  'AAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAAA//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AIgDjf/Z',
].join('');

/** A PNG of 80 pixels a side: a disc on nothing. */
export function pngLogo(): string {
  const side = 80;
  const rows = Array.from({ length: side }, (_, y) => [
    0,
    ...Array.from({ length: side }, (_, x) => {
      const isInside = Math.hypot(x - 39.5, y - 39.5) < 38;
      return isInside ? [0xc2, 0x41, 0x0c, 0xff] : [0, 0, 0, 0];
    }).flat(),
  ]);
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const header = Buffer.from([0, 0, 0, side, 0, 0, 0, side, 8, 6, 0, 0, 0]);
  const png = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  return `data:image/png;base64,${png.toString('base64')}`;
}

/** A PNG, as it is written, of as many characters as may be: of what is none. */
export const largestPng = `data:image/png;base64,${'AAAA'.repeat(Math.floor((pictureRules.logo.length - 22) / 4))}`;

/** A logo of exactly as many characters as may be. */
export function largestLogo(of: 'client' | 'tenant'): string {
  const { length } = pictureRules[of === 'client' ? 'clientLogo' : 'logo'];
  const drawing = '%3Cpath d=%22M2 2h20v20%22 fill=%22%230b7a4b%22/%3E';
  const shape = `data:image/svg+xml,${encodeURIComponent(`${start}>`)}${drawing.replaceAll(' ', '%20')}`;
  const end = '%3C/svg%3E';
  return `${shape}%3C!--${'x'.repeat(length - shape.length - end.length - 11)}--%3E${end}`;
}

/** SVGs that do more than show a picture, or that no browser would read as we do. */
export const hostileSvgs: Readonly<Record<string, string>> = {
  'a script': svgLogo('<script>alert(1)</script>'),
  'a script of a foreign prefix': svgLogo('<x:script xmlns:x="http://www.w3.org/2000/svg"/>'),
  'a script behind a comment': svgLogo('<!-- <g> --><script/>'),
  'an event handler': svgLogo('', ' onload="alert(1)"'),
  'an event handler in capitals': svgLogo('<g ONCLICK="alert(1)"/>'),
  'an event handler after a slash': svgLogo('<g/onclick="alert(1)"/>'),
  'a foreignObject': svgLogo('<foreignObject><p xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>'),
  'a picture from elsewhere': svgLogo('<image href="https://evil.example/x.png"/>'),
  'a link': svgLogo('<a href="https://evil.example/"><path d="M0 0"/></a>'),
  'a use of another file': svgLogo('<use href="https://evil.example/x.svg#a"/>'),
  'uses of uses': svgLogo('<g id="a"><use href="#b"/><use href="#b"/></g>'),
  'a paint from elsewhere': svgLogo('<path d="M0 0" fill="url(https://evil.example/x.svg#a)"/>'),
  'a paint of another file': svgLogo('<path d="M0 0" fill="url(x.svg)"/>'),
  'a paint spelt with an escape': svgLogo('<path d="M0 0" fill="u\\72l(//evil.example/x)"/>'),
  'a paint spelt with a reference': svgLogo('<path d="M0 0" fill="&#117;rl(//evil.example/x)"/>'),
  'a style element': svgLogo('<style>@import "https://evil.example/x.css"</style>'),
  'a style attribute': svgLogo('<path d="M0 0" style="fill:url(https://evil.example/x)"/>'),
  'an animation': svgLogo('<animate attributeName="href" values="javascript:alert(1)"/>'),
  'a set': svgLogo('<set attributeName="onmouseover" to="alert(1)"/>'),
  'a filter': svgLogo('<filter id="f"><feImage href="https://evil.example/x"/></filter>'),
  'a clip path within a clip path': svgLogo(
    '<clipPath id="a"><path d="M0 0" clip-path="url(#b)"/></clipPath><clipPath id="b"/>',
  ),
  'an entity': inBase64(`<!DOCTYPE svg [<!ENTITY x "y">]>${start}><title>&x;</title></svg>`),
  'an external entity': inBase64(`<!DOCTYPE svg SYSTEM "https://evil.example/x.dtd">${start}/>`),
  'a style sheet from elsewhere': inBase64(`<?xml-stylesheet href="https://evil.example/x.css"?>${start}/>`),
  'another encoding': inBase64(`<?xml version="1.0" encoding="ISO-2022-JP"?>${start}/>`),
  CDATA: svgLogo('<title><![CDATA[<script/>]]></title>'),
  'an element left open': svgLogo('<g>'),
  'elements that cross': svgLogo('<g><path d="M0 0"></g></path>'),
  'an attribute twice': svgLogo('<path d="M0 0" d="M1 1"/>'),
  'an attribute without quotes': svgLogo('<path d=M0/>'),
  'something after its end': inBase64(`${start}/><script/>`),
  'text before its beginning': inBase64(`x${start}/>`),
  'no namespace': inBase64('<svg viewBox="0 0 1 1"/>'),
  'another namespace': inBase64('<svg xmlns="http://www.w3.org/1999/xhtml" viewBox="0 0 1 1"/>'),
  'no size': inBase64('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  'HTML instead': inBase64('<html><body>x</body></html>'),
  nothing: inBase64(' '),
  'UTF-16': `data:image/svg+xml;base64,${Buffer.from(`\ufeff${start}/>`, 'utf16le').toString('base64')}`,
};
