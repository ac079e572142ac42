import { beforeAll, describe, expect, it } from 'vitest';
import {
  askForCode,
  type DeviceAuthorization,
  devicePath,
  type Phone,
  phoneOf,
  startUnlimited,
  textOf,
} from '../../../support/device.ts';
import { expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import { rawExchange } from '../../../support/process/raw-socket.ts';
import { apps } from '../../../support/tokens.ts';
import { useStarted } from '../../../support/use-service.ts';

const service = useStarted(startUnlimited);
let phone: Phone;

beforeAll(async () => {
  phone = await phoneOf(service, hosts.a);
});

const parameters = ['device_name', 'device_model'] as const;
const ask = (more: Record<string, string>) => askForCode(service, hosts.a, apps.pub1, more);

const pageWith = async (more: Record<string, string>) => {
  const answer = await ask(more);
  expect(answer.status, answer.text).toBe(200);
  const { user_code: userCode } = answer.json<DeviceAuthorization & Record<string, unknown>>();
  return phone.open(userCode);
};

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const written = (codePoint: number) => `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;

/** Asks with this code point in front, in the middle and at the end of each parameter. */
const expectUnfit = async (codePoint: number) => {
  const character = String.fromCodePoint(codePoint);
  for (const name of parameters) {
    for (const value of [`${character}TV`, `Living${character}room`, `TV${character}`, character]) {
      const answer = await ask({ [name]: value });
      expectJsonError(answer, 400, 'invalid_request');
      expect(answer.json().error_description).toContain(name);
    }
  }
};

describe('length', () => {
  it.each(parameters)('D8: a %s of 64 characters is taken, one of 65 is invalid_request', async (name) => {
    expect((await ask({ [name]: 'x'.repeat(64) })).status).toBe(200);
    expectJsonError(await ask({ [name]: 'x'.repeat(65) }), 400, 'invalid_request');
  });

  it.each(parameters)('decision 33: the characters of a %s are counted as code points', async (name) => {
    expect((await ask({ [name]: '📺'.repeat(64) })).status).toBe(200);
    expectJsonError(await ask({ [name]: '📺'.repeat(65) }), 400, 'invalid_request');
    // A letter and its accent are two code points.
    expect((await ask({ [name]: 'e\u0301'.repeat(32) })).status).toBe(200);
    expectJsonError(await ask({ [name]: `${'e\u0301'.repeat(32)}x` }), 400, 'invalid_request');
  });
});

describe('characters', () => {
  it.each(
    [0x00, 0x07, 0x09, 0x0a, 0x0d, 0x1b, 0x7f, 0x85].map((codePoint) => [written(codePoint), codePoint]),
  )('D11: the control character %s is invalid_request wherever it stands', (_written, codePoint) =>
    expectUnfit(Number(codePoint)),
  );

  it('D11: so is every other control character', async () => {
    for (const codePoint of [...range(0x00, 0x1f), ...range(0x7f, 0x9f)]) await expectUnfit(codePoint);
  });

  it.each(
    [
      ...[0x200b, 0x200d, 0x200e, 0x200f, ...range(0x202a, 0x202e), 0x2060, ...range(0x2066, 0x2069)],
      ...[0xfeff, 0xad, 0x61c, 0x180e, 0x3164, 0x115f, 0xfe0f, 0xe0001, 0xe0020, 0xe007f, 0x2800],
    ].map((codePoint) => [written(codePoint), codePoint]),
  )('D12: the invisible character %s is invalid_request wherever it stands', (_written, codePoint) =>
    expectUnfit(Number(codePoint)),
  );

  it('D12: so is every tag character', async () => {
    for (const codePoint of range(0xe0021, 0xe007e)) await expectUnfit(codePoint);
  });

  it.each([
    ['unassigned', 0x378],
    ['a noncharacter', 0xfffe],
    ['for private use', 0xe000],
    ['for private use, of plane 16', 0x10fffd],
    ['a line separator', 0x2028],
    ['a paragraph separator', 0x2029],
    ['a default-ignorable mark', 0x34f],
    ['a default-ignorable vowel', 0x17b4],
    ['a half-width filler', 0xffa0],
    ['a reserved default-ignorable', 0xe0fff],
  ])('decision 33: a character that is %s is invalid_request', (_what, codePoint) => expectUnfit(codePoint));

  it.each([
    ['a byte that no UTF-8 has', [0xff]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['half a character', [0xc3]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a code point beyond the last', [0xf4, 0x90, 0x80, 0x80]],
  ])('decision 33: %s is invalid_request, raw and percent-encoded', async (_what, bytes) => {
    for (const name of parameters) {
      const encoded = bytes.map((byte) => `%${byte.toString(16)}`).join('');
      const text = `client_id=pub1&scope=openid&${name}=TV`;
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const percent = await service.http(hosts.a, devicePath, { body: text + encoded, headers });
      expectJsonError(percent, 400, 'invalid_request');

      const body = Buffer.concat([Buffer.from(text), Buffer.from(bytes)]);
      const head =
        `POST ${devicePath} HTTP/1.1\r\nhost: ${hosts.a}\r\nconnection: close\r\n` +
        `content-type: ${headers['content-type']}\r\ncontent-length: ${body.length}\r\n\r\n`;
      const raw = await rawExchange(service.port, Buffer.concat([Buffer.from(head), body]));
      expect(raw).toMatch(/^HTTP\/1\.1 400 /);
      expect(raw).toContain('"error":"invalid_request"');
    }
  });

  it.each(['Stue', 'Wohnzimmer größer', 'التلفاز', '居間のテレビ', 'TV 📺', 'Ola’s “TV” – 1', 'a\u00a0b'])(
    'decision 33: %s is a name like any other',
    async (name) => expect(textOf(await pageWith({ device_name: name }))).toContain(name.replace(/\s/, ' ')),
  );
});

describe('what the approve page makes of them', () => {
  it.each([
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '{{7*7}}',
    '<%= 1 %>',
    '<%~ it %>',
  ])('D14: %s stands on the approve page as text', async (hostile) => {
    for (const name of parameters) {
      const page = await pageWith({ [name]: hostile });
      expect(page.status).toBe(200);
      const shown = hostile.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
      const entities = page.text.replace(
        /&(lt|gt|quot|amp|#39);/g,
        (entity) =>
          ({ '&lt;': '&#60;', '&gt;': '&#62;', '&quot;': '&#34;', '&amp;': '&#38;' })[entity] ?? entity,
      );
      expect(entities).toContain(`<bdi>${shown}</bdi>`);
      expect(page.text).not.toContain('<script>');
      expect(page.text).not.toContain('<img');
    }
  });

  it('D15: a name is shown as what the device reports of itself', async () => {
    const page = textOf(await pageWith({ device_name: 'Living room', device_model: 'KD-55' }));
    expect(page).toMatch(/Reported by the device Name Living room Model KD-55 What we see/);
  });

  it.each([
    ['absent', {}],
    ['empty', { device_model: '' }],
    ['only spaces', { device_model: '   ' }],
  ])('D15: a device_model that is %s counts as none', async (_what, more) => {
    const page = textOf(await pageWith({ device_name: 'Living room', ...more }));
    expect(page).toMatch(/Reported by the device Name Living room What we see/);
  });

  it('D15: a device that reports nothing of itself is shown as such', async () => {
    const page = textOf(await pageWith({ device_name: ' ', device_model: '' }));
    expect(page).toContain('Reported by the device The device says nothing about itself. What we see');
  });

  it.each(parameters)('decision 11: a %s sent twice is invalid_request', async (name) => {
    const answer = await service.http(hosts.a, devicePath, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `client_id=pub1&scope=openid&${name}=TV&${name}=TV`,
    });
    expectJsonError(answer, 400, 'invalid_request');
  });
});
