import { expect } from 'vitest';
import type { Answer } from '../http.ts';

/** The characters of an error_description (RFC 6749 §4.1.2.1, §5.2): no quote, no backslash. */
const descriptionCharacters = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/;

/** A page for the person in front, and nothing that leads a browser on (decision 6). */
export function expectErrorPage(answer: Answer, status = 400): void {
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(answer.headers.location).toBeUndefined();
  expect(answer.headers.refresh).toBeUndefined();
  expect(answer.text).not.toMatch(/http-equiv="?refresh/i);
  expect(answer.text).toMatch(/<title>Error: /);
}

/** What an answer to the client carries: its parameters, and where it went. */
export interface ExpectedError {
  readonly redirectUri: string;
  readonly error: string;
  readonly state?: string;
  readonly issuer?: string;
}

/** A 303 to the redirect_uri with `error`, `error_description`, `state` if sent and `iss`: nothing else. */
export function expectErrorRedirect(answer: Answer, expected: ExpectedError): void {
  const { redirectUri, error, state, issuer = 'https://a.test' } = expected;
  expect(answer.status).toBe(303);
  const location = answer.headers.location ?? '';
  expect(location.slice(0, redirectUri.length + 1)).toBe(`${redirectUri}?`);
  const { error_description: description, ...rest } = Object.fromEntries(new URL(location).searchParams);
  expect(rest).toEqual({ error, ...(state === undefined ? {} : { state }), iss: issuer });
  expect(description).toMatch(descriptionCharacters);
}

/** An OAuth error of a protocol endpoint: JSON that is not stored, and nothing in it but the two fields. */
export function expectJsonError(answer: Answer, status: number, error: string): void {
  const body = answer.json<{ error: string; error_description: string }>();
  expect({ status: answer.status, error: body.error }).toEqual({ status, error });
  expect(Object.keys(body).filter((name) => name !== 'error' && name !== 'error_description')).toEqual([]);
  expect(body.error_description).toMatch(descriptionCharacters);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.headers['cache-control']).toBe('no-store');
}

/** Expects the security headers of every answer over https in one as it came over the wire (W2). */
export function expectSecurityHeaders(answer: string): void {
  expect(answer).toMatch(/^strict-transport-security: max-age=31536000\r$/im);
  expect(answer).toMatch(/^x-content-type-options: nosniff\r$/im);
  expect(answer).toMatch(/^referrer-policy: no-referrer\r$/im);
  expect(answer).toMatch(/^cross-origin-resource-policy: same-origin\r$/im);
  expect(answer).toMatch(/^x-frame-options: DENY\r$/im);
}
