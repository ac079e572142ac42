import { beforeAll, describe, expect, it } from 'vitest';
import { listConsentChanges } from '../../../src/storage/access/consent.ts';
import { type Api, apiOf, profileUrl } from '../../support/api.ts';
import { expectJsonError } from '../../support/expected/expectations.ts';
import type { Answer } from '../../support/http.ts';
import { rawExchange } from '../../support/process/raw-socket.ts';
import { useService } from '../../support/use-service.ts';

const email = 'ada@example.com';
const one = '/consents/newsletter';
const all = '/consents';
const accepted = '{"status":"accepted"}';

const service = useService({ data: 'development' });
let acme: Api;

beforeAll(() => {
  acme = apiOf(service, 'localhost');
});

const put = (path: string, body: string, headers: Record<string, string> = {}) =>
  acme(email, path, { method: 'PUT', headers: { 'content-type': 'application/json', ...headers }, body });

const nothingWasChanged = async () => {
  const { id } = await acme.member(email);
  expect(await service.store.transaction((tx) => listConsentChanges(tx, id))).toEqual([]);
};

const descriptionOf = (answer: Answer) => answer.json<{ error_description: string }>().error_description;

const noJson = 'the body is no JSON in which every name stands once';

/** Sends a body as no client library would. */
const rawPut = async (header: string, body: Buffer) => {
  const head = [
    `PUT ${profileUrl}${one} HTTP/1.1`,
    `Host: ${acme.host}`,
    `Authorization: Bearer ${await acme.token(email)}`,
    'Content-Type: application/json',
    'Connection: close',
    header,
  ];
  return rawExchange(service.port, Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]));
};

describe('a body that is not as described', () => {
  it.each([
    [one, '', noJson],
    [one, '{"status":"accepted"', noJson],
    [one, `${accepted}${accepted}`, noJson],
    [one, '{status:"accepted"}', noJson],
    [one, 'status=accepted', noJson],
    [one, '{"status":"withdrawn","status":"accepted"}', noJson],
    [one, '{"status":"withdrawn","st\\u0061tus" :"accepted"}', noJson],
    [all, '{"consents":[{"id":"offers","id":"newsletter","status":"accepted"}]}', noJson],
    [one, 'null', 'the body must be an object of names and values'],
    [one, '"accepted"', 'the body must be an object of names and values'],
    [one, `[${accepted}]`, 'the body must be an object of names and values'],
    [one, '{}', 'status is missing'],
    [one, '{"status":"maybe"}', 'status must be one of accepted, withdrawn'],
    [one, '{"status":"Accepted"}', 'status must be one of accepted, withdrawn'],
    [one, '{"status":true}', 'status must be a text'],
    [one, '{"status":["accepted"]}', 'status must be a text'],
    [one, '{"status":"accepted","mark3f9a":1}', 'the body has an unknown property'],
    [one, '{"status":"accepted","changedAt":"2020-01-01"}', 'the body has an unknown property'],
    [one, '{"status":"accepted","__proto__":{"x":1}}', 'the body has an unknown property'],
    [one, '{"status":"accepted","constructor":{"prototype":{"x":1}}}', 'the body has an unknown property'],
    [one, '{"__proto__":{"status":"accepted"}}', 'status is missing'],
    [all, accepted, 'consents is missing'],
    [all, '{"consents":{}}', 'consents must be a list'],
    [all, '{"consents":[]}', 'consents is empty'],
    [all, '{"consents":[null]}', 'consents.0 must be an object of names and values'],
    [all, '{"consents":[{"id":"offers"}]}', 'consents.0.status is missing'],
    [all, '{"consents":[{"id":7,"status":"accepted"}]}', 'consents.0.id must be a text'],
    [
      all,
      '{"consents":[{"id":"offers","status":"accepted","mark3f9a":1}]}',
      'consents.0 has an unknown property',
    ],
  ])('is 400 in words of our own and changes nothing: %s %s', async (path, body, description) => {
    const answer = await put(path, body);
    expectJsonError(answer, 400, 'invalid_request');
    expect(descriptionOf(answer)).toBe(description);
    await nothingWasChanged();
  });

  it('is 400 if it is nested 8,000 deep', async () => {
    const open = '['.repeat(8_000);
    expect(descriptionOf(await put(one, open))).toBe(noJson);
    expect(descriptionOf(await put(one, `${open}${']'.repeat(8_000)}`))).toBe(noJson);
  });

  it('is 400 if its bytes are not UTF-8', async () => {
    const body = Buffer.from('{"status":"accepted","x":1}'.replace('x', '\xff'), 'latin1');
    const answer = await rawPut(`Content-Length: ${body.length}`, body);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain(noJson);
    await nothingWasChanged();
  });
});

describe('the type of a body', () => {
  it.each([
    'application/x-www-form-urlencoded',
    'text/plain',
    'text/json',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; x=y',
    'application/merge-patch+json',
    'application/jsonx',
    'multipart/form-data; boundary=x',
    'json',
  ])('must not be %s: 415, and nothing is changed', async (type) => {
    for (const path of [one, all]) {
      const answer = await put(path, accepted, { 'content-type': type });
      expectJsonError(answer, 415, 'invalid_request');
      expect(descriptionOf(answer)).toBe('the body must be application/json in UTF-8');
    }
    await nothingWasChanged();
  });

  it('must be named', async () => {
    const answer = await acme(email, one, { method: 'PUT', body: accepted });
    expectJsonError(answer, 415, 'invalid_request');
    expectJsonError(await acme(email, one, { method: 'PUT' }), 400, 'invalid_request');
    await nothingWasChanged();
  });
});

describe('the length of a body', () => {
  it('H4: over 16 KiB is 413, whether it is announced or not', async () => {
    const body = accepted.padEnd(16_385, ' ');
    expectJsonError(await put(one, body), 413, 'invalid_request');
    const chunk = Buffer.from(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    expect(await rawPut('Transfer-Encoding: chunked', chunk)).toMatch(/^HTTP\/1\.1 413 /);
    await nothingWasChanged();
  });
});

describe('a body that is as described', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'Application/JSON',
  ])('may call itself %s', async (type) => {
    const answer = await put(one, accepted, { 'content-type': type });
    expect([answer.status, answer.json().status]).toEqual([200, 'accepted']);
  });

  it('H4: may be 16 KiB long, and may be written in any way that JSON can be', async () => {
    const bodies = [
      accepted.padEnd(16_384, ' '),
      ` \n{"st\\u0061tus"\t:\r"accepte\\u0064"}`,
      `\ufeff${accepted}`,
    ];
    for (const body of bodies) expect((await put(one, body)).status).toBe(200);
  });
});
