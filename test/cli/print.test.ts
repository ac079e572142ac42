import { describe, expect, it } from 'vitest';
import { printAnswer, printFile } from '../../src/cli/print.ts';

function printed(answer: object, json = false, width: number | null = null): { out: string; err: string } {
  const told = { out: '', err: '' };
  printAnswer(answer, json, {
    out: (text) => {
      told.out += text;
      return true;
    },
    err: (text) => {
      told.err += text;
    },
    outWidth: width,
    errWidth: width,
    readInput: async () => '',
    ask: async () => null,
  });
  return told;
}

describe('an answer on the terminal', () => {
  it('is a table where it is a list', () => {
    const clients = [
      {
        clientId: 'web',
        name: 'The shop',
        deviceFlow: false,
        redirectUris: ['https://a.test', 'https://b.test'],
      },
      { clientId: 'tv-app', name: 'TV', deviceFlow: true, redirectUris: [] },
    ];
    expect(printed({ clients }).out).toBe(
      `clientId  name      deviceFlow  redirectUris
web       The shop  no          https://a.test, https://b.test
tv-app    TV        yes         -
`,
    );
    expect(printed({ clients: [] }).out).toBe('none\n');
  });

  it('is line by line where it is one thing, with its lists as tables', () => {
    const answer = {
      name: 'Acme',
      logo: null,
      limits: { perHour: 5 },
      keys: [{ kid: 'k1', state: 'signing' }],
    };
    expect(printed(answer).out).toBe(
      `name    Acme
logo    -
limits
  perHour  5
keys
  kid  state
  k1   signing
`,
    );
  });

  it('leaves out of a table what is no column, and cuts what would fill the screen', () => {
    const rows = [{ id: 1, address: { city: 'Oslo' }, logo: `data:${'x'.repeat(100)}` }];
    const { out } = printed({ rows });
    expect(out).not.toContain('Oslo');
    expect(out.split('\n')[1]?.length).toBeLessThan(70);
  });

  it('does not let a name steer the terminal, nor turn the text around it', () => {
    const { out } = printed({ name: 'a\u001b[2Jb\r\nc\u202ed' });
    expect(out).toBe('name  a\\u{1b}[2Jb\\u{d}\\u{a}c\\u{202e}d\n');
    const name = 'a\u001b\u009b2J\u202e\u{e0001}é😀';
    const { out: json } = printed({ name }, true);
    expect(json).not.toMatch(/[\p{Cf}\u0080-\u009f]/u);
    expect(json).toContain('é😀');
    expect(JSON.parse(json)).toEqual({ name });
  });

  it('A18: has a secret alone on the standard output, and the rest beside it', () => {
    const { out, err } = printed({ clientId: 'web', secret: 's3cret' });
    expect(out).toBe('s3cret\n');
    expect(err).toBe('clientId  web\n');
    expect(JSON.parse(printed({ clientId: 'web', secret: 's3cret' }, true).out)).toEqual({
      clientId: 'web',
      secret: 's3cret',
    });
    expect(printed({ clientId: 'web', secret: null }).err).toBe('');
  });

  it('is as it is where it is a file, part by part, until what reads it has gone', async () => {
    const printedParts = async (json: boolean, most = 9) => {
      let out = '';
      const terminal = {
        out: (text: string) => {
          out += text;
          return out.split('\n').length < most;
        },
        err: () => {},
        outWidth: null,
        errWidth: null,
        readInput: async () => '',
        ask: async () => null,
      };
      const parts = (async function* () {
        yield* ['{"a":1}\n', '{"a":2}\n', '{"a":"\u202e"}\n'];
      })();
      await printFile(parts, json, terminal);
      return out;
    };
    expect(await printedParts(false)).toBe('{"a":1}\n{"a":2}\n{"a":"\u202e"}\n');
    expect(await printedParts(false, 2)).toBe('{"a":1}\n');
    const json = await printedParts(true);
    expect(JSON.parse(json)).toEqual({ text: '{"a":1}\n{"a":2}\n{"a":"\u202e"}\n' });
    expect(json).not.toContain('\u202e');
  });

  it('is folded at the width of the terminal; rows of a table that is wider stand one by one', () => {
    const rows = [
      { clientId: 'web', name: 'The shop', redirectUris: ['https://a.test', 'https://b.test'] },
      { clientId: 'tv', name: 'TV', redirectUris: [] },
    ];
    expect(printed({ rows }, false, 48).out).toBe(
      `clientId      web
name          The shop
redirectUris  https://a.test, https://b.test

clientId      tv
name          TV
redirectUris  -
`,
    );
    expect(printed({ rows }, false, 80).out).toBe(printed({ rows }).out);
    expect(printed({ name: 'Acme', languages: ['en', 'nb', 'sv', 'da', 'fi'] }, false, 24).out).toBe(
      'name       Acme\nlanguages  en, nb, sv,\n           da, fi\n',
    );
    expect(printed({ rows }, true, 30)).toEqual(printed({ rows }, true));
  });

  it('has sentences to their end where rows stand one by one, and a picture nowhere', () => {
    const advice =
      'Have the client keep the old token until the new one is stored, and write it to a disk first.';
    const told = printed({ reuses: [{ advice, logo: 'x'.repeat(9_000) }] }, false, 60).out;
    expect(told.replaceAll(/\s+/g, ' ')).toContain(advice);
    expect(told.length).toBeLessThan(700);
    expect(printed({ reuses: [{ advice }] }).out).toContain('until the new one is sto…');
  });
});
