import fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../../src/http/answers.ts';
import { clientCredentials } from '../../src/http/oidc/client/client-authentication.ts';
import { bytes, nearly, text } from '../support/fuzz/hostile.ts';
import { holds } from '../support/fuzz/runs.ts';

type Body = Parameters<typeof clientCredentials>[1];

/** One on which assertions are looked at too. */
const tenant = { assertionAlgorithms: ['ES256'] };

/** What is read of a request, or the error that refuses it. @throws what is no refusal */
function read(authorization: string | undefined, body: Body = {}) {
  const headers = authorization === undefined ? {} : { authorization };
  try {
    return clientCredentials({ headers, tenant } as unknown as FastifyRequest, body);
  } catch (error) {
    if (error instanceof ProtocolError) return error.refusal;
    throw error;
  }
}

const base64 = (value: string | Buffer) => Buffer.from(value).toString('base64');

/** Form-encodes a text, and some letters that need not be (RFC 6749 §2.3.1). */
const encoded = (value: string, pattern: readonly boolean[]) =>
  Array.from(value, (one, index) => {
    const needs = /[^A-Za-z0-9_.~-]/.test(one) || pattern[index % pattern.length];
    if (one === ' ') return '+';
    const percent = [...Buffer.from(one)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    return needs ? percent : one;
  }).join('');

const pattern = fc.array(fc.boolean(), { minLength: 1, maxLength: 4 });

/** Another reader of Basic: null for what is none, else its two parts as they were written. */
function basicParts(header: string): readonly [string, string] | null {
  const [scheme = '', ...rest] = header.split(' ');
  const code = rest.filter((part) => part !== '');
  if (scheme.toLowerCase() !== 'basic' || code.length !== 1 || header.endsWith(' ')) return null;
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(code[0] ?? '')) return null;
  const plain = Buffer.from(code[0] ?? '', 'base64').toString();
  const [id = '', ...secret] = plain.split(':');
  return id === '' || secret.length === 0 ? null : [id, secret.join(':')];
}

describe('Basic credentials', () => {
  it('decision 15: that were form-encoded are read as they were, and an empty secret is none', () =>
    holds(
      fc.property(
        text().filter((id) => id !== ''),
        text(),
        pattern,
        (id, secret, by) => {
          const answer = read(`Basic ${base64(`${encoded(id, by)}:${encoded(secret, by)}`)}`);
          expect(answer).toEqual({ method: 'basic', clientId: id, secret: secret === '' ? null : secret });
        },
      ),
      200,
    ));

  it('decision 15: are taken raw where they are no form-encoding', () =>
    holds(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/),
        fc.stringMatching(/^[A-Za-z0-9%:]{0,8}%$/),
        (id, secret) => {
          expect(read(`Basic ${base64(`${id}:${secret}`)}`)).toMatchObject({ clientId: id, secret });
        },
      ),
      200,
    ));

  it('are read, or refused as invalid_client, whatever the header', () =>
    holds(
      fc.property(
        fc.oneof(
          bytes().map((made) => `Basic ${base64(made)}`),
          nearly(
            [`Basic ${base64('conf1:secret')}`, `basic  ${base64('a:b:c')}`],
            [' ', '=', ':', '-', '_', ','],
          ),
          text(),
        ),
        (header) => {
          const answer = read(header);
          const parts = basicParts(header);
          if (parts === null) expect(answer).toMatchObject({ kind: 'refusal', error: 'invalid_client' });
          else expect(answer).toMatchObject({ method: 'basic' });
          // H17: what was sent is not said back.
          if ('description' in answer) expect(answer.description).toMatch(/^[ !#-[\]-~]+$/);
        },
      ),
      400,
    ));

  it('decision 15: two methods at once, and two ids, are invalid_request', () =>
    holds(
      fc.property(
        fc.option(fc.constantFrom('a', 'b', ''), { nil: undefined }),
        fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
        fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
        (basicId, secret, bodyId) => {
          const header = basicId === undefined ? undefined : `Basic ${base64(`${basicId}:x`)}`;
          const answer = read(header, {
            ...(bodyId === undefined ? {} : { client_id: bodyId }),
            ...(secret === undefined ? {} : { client_secret: secret }),
          });
          if (basicId === '') expect(answer).toMatchObject({ error: 'invalid_client' });
          else if (basicId !== undefined && (secret !== undefined || (bodyId ?? basicId) !== basicId)) {
            expect(answer).toMatchObject({ error: 'invalid_request' });
          } else if (basicId !== undefined)
            expect(answer).toMatchObject({ method: 'basic', clientId: basicId });
          else if (bodyId === undefined) expect(answer).toMatchObject({ error: 'invalid_request' });
          else
            expect(answer).toEqual({
              method: secret ? 'post' : 'none',
              clientId: bodyId,
              secret: secret ?? null,
            });
        },
      ),
      200,
    ));
});
