import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hosts } from '../../../../support/fixtures.ts';
import { hostileSvgs, plainJpeg, plainLogo, svgLogo } from '../../../../support/members/pages/logos.ts';
import { run } from '../../../../support/operators/desk.ts';
import { filledIn, mainOf, newAdmin, type PortalVisitor } from '../../../../support/operators/portal.ts';
import { rawSocket } from '../../../../support/process/raw-socket.ts';
import { useService } from '../../../../support/use-service.ts';

const service = useService({ data: 'security' });
let tina: PortalVisitor;

const home = `/admin/tenants/${hosts.a}`;
const look = `${home}/+change/look`;

beforeAll(async () => {
  tina = await newAdmin(service, hosts.a, 'tina@example.test');
});
// What is refused on purpose must not add up to the limit of a minute.
beforeEach(() => service.clock.advance(60_000));

const bytesOf = (dataUri: string) => Buffer.from(dataUri.slice(dataUri.indexOf(',') + 1), 'base64');

/** A PNG of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

interface Upload {
  readonly bytes: Buffer;
  readonly name?: string;
  readonly type?: string;
}

/** The body of a form with files, as browsers write it. */
async function multipart(form: URLSearchParams, files: Readonly<Record<string, Upload>>) {
  const parts = new FormData();
  for (const [name, value] of form) if (!(name in files)) parts.append(name, value);
  for (const [name, { bytes, name: file = 'x.svg', type = '' }] of Object.entries(files)) {
    parts.append(name, new File([new Uint8Array(bytes)], file, { type }));
  }
  const request = new Request('http://x', { method: 'POST', body: parts });
  return {
    body: Buffer.from(await request.arrayBuffer()),
    headers: { 'content-type': String(request.headers.get('content-type')) },
  };
}

const upload = async (path: string, files: Readonly<Record<string, Upload>>, values = {}) =>
  tina.send(path, await multipart(filledIn(await tina.send(path), values), files));

const pictures = async () => {
  const { logo, favicon, coverPicture } = await run(service, 'tenants.read', { tenant: hosts.a });
  return { logo, favicon, coverPicture };
};

describe('a picture is uploaded', () => {
  it('as a file, is what its bytes are, and is on the pages at once', async () => {
    const lying = { name: '../../etc/passwd.html', type: 'text/html' };
    const saved = await upload(look, {
      logo: { bytes: bytesOf(plainLogo), type: 'image/svg+xml' },
      favicon: { bytes: png, ...lying },
      coverPicture: { bytes: bytesOf(plainJpeg), type: 'image/png' },
    });
    expect([saved.status, saved.headers.location], mainOf(saved)).toEqual([303, look]);
    expect(await pictures()).toEqual({
      logo: plainLogo,
      favicon: `data:image/png;base64,${png.toString('base64')}`,
      coverPicture: plainJpeg,
    });
    const page = await tina.send(look);
    expect(page.text).toContain(`<img class="logo" src="${plainLogo.replaceAll('+', '+')}"`);
    expect(page.text).not.toContain('passwd');
    expect((await service.http(hosts.a, '/account')).text).not.toContain('passwd');
  });

  it('where no file is chosen it stays, and a box takes it away', async () => {
    const before = await pictures();
    const nothing = { bytes: Buffer.alloc(0), name: '', type: 'application/octet-stream' };
    expect((await upload(look, { logo: nothing, favicon: nothing, coverPicture: nothing })).status).toBe(303);
    expect(await pictures()).toEqual(before);
    expect((await upload(look, {}, { 'favicon:none': 'true' })).status).toBe(303);
    expect(await pictures()).toEqual({ ...before, favicon: null });
  });

  it('of a client too', async () => {
    const path = `${home}/clients/conf1/+change`;
    expect((await upload(path, { logo: { bytes: bytesOf(plainLogo) } })).status).toBe(303);
    const client = await run(service, 'clients.read', { tenant: hosts.a, clientId: 'conf1' });
    expect(client.logo).toBe(plainLogo);
  });

  it('pages 6: is kept while something else is wrong, and a wrong one is not', async () => {
    const logo = { bytes: bytesOf(svgLogo('<path d="M1 1h9v9z"/>')) };
    const refused = await upload(look, { logo }, { brandColor: '#ffff00' });
    expect(refused.status).toBe(422);
    expect(mainOf(refused)).toMatch(/#ffff00 cannot be told from a white page.*#[0-9a-f]{6} would do/s);
    expect(filledIn(refused).getAll('logo')[0]).toMatch(/^data:image\/svg\+xml;base64,/);
    const mended = await tina.send(look, { body: filledIn(refused, { brandColor: '#112233' }) });
    expect(mended.status).toBe(303);
    expect((await pictures()).logo).toBe(`data:image/svg+xml;base64,${logo.bytes.toString('base64')}`);
    const wrong = await upload(look, { logo: { bytes: Buffer.from('GIF89a') } });
    expect(filledIn(wrong).getAll('logo')).toEqual(['']);
  });

  it('pages 2: is chosen again where it would weigh more than the page', async () => {
    const [head, tail] = [bytesOf(plainJpeg).subarray(0, -2), bytesOf(plainJpeg).subarray(-2)];
    const coverPicture = { bytes: Buffer.concat([head, Buffer.alloc(40_000), tail]) };
    const refused = await upload(look, { coverPicture }, { brandColor: '#ffff00' });
    expect(refused.status).toBe(422);
    expect(mainOf(refused)).toContain('Choose the file again');
    expect(refused.text.length).toBeLessThan(60_000);
    expect((await upload(look, { coverPicture })).status).toBe(303);
    expect(mainOf(await tina.send(look))).toContain('A picture of 40 KB');
  });

  it('takes a colour that was picked or written, whichever was changed', async () => {
    const color = async () => (await run(service, 'tenants.read', { tenant: hosts.a })).brandColor;
    await tina.submit(look, { 'brandColor:picked': '#0b7a4b' });
    expect(await color()).toBe('#0b7a4b');
    await tina.submit(look, { brandColor: '#112233' });
    expect(await color()).toBe('#112233');
  });
});

describe('W15: a file that is no picture is refused, and changes nothing', () => {
  const html = Buffer.from('<!doctype html><script>alert(1)</script>');
  const webp = Buffer.from('RIFF\x04\x00\x00\x00WEBP', 'latin1');

  it.each<[string, Buffer, string]>([
    ['HTML with the name and the type of a picture', html, 'The SVG'],
    ['a PNG with a page behind it', Buffer.concat([png, html]), 'not a whole PNG'],
    ['a PNG with a script in a chunk behind its end', Buffer.concat([png, png]), 'not a whole PNG'],
    ['half a PNG', png.subarray(0, 30), 'not a whole PNG'],
    ['a WebP without a picture', webp, 'not a whole WebP'],
    ['a GIF', Buffer.from('GIF89a\x01\x00'), 'Logo must be a picture file: SVG, PNG or WebP.'],
    ['a JPEG, which a logo may not be', bytesOf(plainJpeg), 'Logo must be a picture file: SVG, PNG or WebP.'],
    ['a program', Buffer.from('MZ\x90\x00'), 'Logo must be a picture file: SVG, PNG or WebP.'],
    [
      'too heavy a picture',
      Buffer.concat([png, Buffer.alloc(9_000)]),
      'Logo is too large: its file may have 5.8 KB.',
    ],
  ])('%s', async (_what, bytes, told) => {
    const before = await pictures();
    const refused = await upload(look, { logo: { bytes, name: 'logo.png', type: 'image/png' } });
    expect(refused.status).toBe(422);
    expect(mainOf(refused)).toContain(told);
    expect(refused.text).toContain('<a href="#f-logo">');
    expect(await pictures()).toEqual(before);
  });

  it('W15: every SVG that does more than show a picture', async () => {
    const before = await pictures();
    for (const [what, hostile] of Object.entries(hostileSvgs)) {
      const refused = await upload(look, { logo: { bytes: bytesOf(hostile), type: 'image/svg+xml' } });
      expect([what, refused.status]).toEqual([what, 422]);
      expect(refused.text).not.toMatch(/<script>alert|evil\.example\/x\.js/);
    }
    expect(await pictures()).toEqual(before);
  });
});

describe('W16: a form with files is one of ours, and whole', () => {
  const boundary = 'x-x';
  const part = (head: string, body = '') => `--${boundary}\r\n${head}\r\n\r\n${body}\r\n`;
  const field = (name: string, value: string) =>
    part(`content-disposition: form-data; name="${name}"`, value);
  const type = `multipart/form-data; boundary=${boundary}`;

  it.each<[string, (token: string) => string | Buffer, string?]>([
    ['has no end', (token) => field('token', token) + field('name', 'Taken over')],
    ['has no boundary', (token) => `${field('token', token)}--${boundary}--`, 'multipart/form-data'],
    [
      'has another boundary',
      (token) => `${field('token', token)}--${boundary}--`,
      'multipart/form-data; boundary=y',
    ],
    ['is nothing of the kind', () => 'token=x&name=Taken+over'],
    [
      'is no form',
      (token) => `${part('content-disposition: attachment; name="token"', token)}--${boundary}--`,
    ],
    [
      'has its token in a file',
      (token) =>
        `${part('content-disposition: form-data; name="token"; filename="t"', token)}${field('name', 'Taken over')}--${boundary}--`,
    ],
    [
      'is not UTF-8',
      (token) =>
        Buffer.concat([
          Buffer.from(field('token', token) + field('name', '')),
          Buffer.from(field('name', '\xff'), 'latin1'),
          Buffer.from(`--${boundary}--`),
        ]),
    ],
    ['has no token', () => `${field('name', 'Taken over')}--${boundary}--`],
  ])('one that %s changes nothing', async (_what, bodyOf, contentType = type) => {
    const token = String(filledIn(await tina.send(look)).get('token'));
    const before = await run(service, 'tenants.read', { tenant: hosts.a });
    const refused = await tina.send(look, { body: bodyOf(token), headers: { 'content-type': contentType } });
    expect(refused.status).toBe(403);
    expect(await run(service, 'tenants.read', { tenant: hosts.a })).toEqual(before);
  });

  it('from another site, or to a page that takes no files, is refused before it is read', async () => {
    const good = await multipart(filledIn(await tina.send(look)), {});
    const foreign = { ...good.headers, origin: 'https://evil.example' };
    expect((await tina.send(look, { ...good, headers: foreign })).status).toBe(403);
    const products = `${home}/products/+create`;
    const own = await multipart(filledIn(await tina.send(products), { name: 'By files' }), {});
    expect((await tina.send(products, own)).status).toBe(403);
    expect(mainOf(await tina.send(`${home}/products`))).not.toContain('By files');
  });

  it('W17: one that is longer than a form with pictures is refused with a page that says so', async () => {
    const refused = await upload(look, { coverPicture: { bytes: Buffer.alloc(400_000, 1) } });
    expect(refused.status).toBe(413);
    expect(mainOf(refused)).toContain('This form is too large');
  });

  it('W17: of 200 at once one is taken, and the service goes on', async () => {
    const file = { bytes: Buffer.concat([bytesOf(plainLogo)]) };
    const once = await multipart(filledIn(await tina.send(look)), { logo: file });
    const answers = await Promise.all(Array.from({ length: 200 }, () => tina.send(look, once)));
    const counted = Object.groupBy(answers, ({ status }) => String(status));
    expect([counted['303']?.length, counted['409']?.length]).toEqual([1, 199]);
    expect((await tina.send(look)).status).toBe(200);
  });
});

describe('W18: a form that is longer than others is not read before its sender is known', () => {
  it.each([
    [look, 300_000, 'multipart/form-data; boundary=x'],
    [look, 300_000, 'application/x-www-form-urlencoded'],
    [`${home}/clients/conf1/+change`, 300_000, 'multipart/form-data; boundary=x'],
    ['/admin/tenants/+create', 300_000, 'multipart/form-data; boundary=x'],
    ['/admin/tenant-file/+apply', 2_000_000, 'application/x-www-form-urlencoded'],
    [`${home}/file/+apply`, 2_000_000, 'application/x-www-form-urlencoded'],
  ])('%s of %i bytes, as %s', async (path, length, type) => {
    const socket = await rawSocket(service.port);
    const heads = [
      `POST ${path} HTTP/1.1`,
      `host: ${hosts.a}`,
      `content-type: ${type}`,
      `content-length: ${length}`,
    ];
    socket.write(`${heads.join('\r\n')}\r\n\r\n`);
    expect(await socket.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 303 [\s\S]*location: \/admin\/sign-in/);
    socket.destroy();
  });
});
