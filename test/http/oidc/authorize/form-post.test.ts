import { describe, expect, it } from 'vitest';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { useService } from '../../../support/use-service.ts';
import { authorizationParameters, codeFor, field, pkce, token, visitor } from '../../../support/visitor.ts';

const redirectUri = 'https://pub1.test/cb';

const service = useService({ data: 'security' });

const parameters = (more: Record<string, string>) =>
  authorizationParameters('pub1', redirectUri, pkce(), { response_mode: 'form_post', state: 's', ...more });

/** A page that sends itself to the redirect_uri, and works by its button where there is no script. */
const expectFormPost = (answer: Answer, names: readonly string[]) => {
  expect(answer.status).toBe(200);
  expect(answer.headers.location).toBeUndefined();
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers['content-security-policy']).toContain("form-action 'self' https://pub1.test;");
  expect(answer.text).toMatch(/<form method="post" action="https:\/\/pub1\.test\/cb" data-submit-at-once>/);
  expect([...answer.text.matchAll(/<input type="hidden" name="(\w+)"/g)].map(([, name]) => name)).toEqual(
    names,
  );
  expect(answer.text).toMatch(/<button class="primary" type="submit">/);
  const script = /<script src="(\/assets\/[^"]+)" defer><\/script>/.exec(answer.text);
  expect(script?.index).toBeGreaterThan(answer.text.indexOf('</form>'));
};

describe('response_mode=form_post', () => {
  it('I21: posts code, state and iss to the redirect_uri after the sign-in', async () => {
    const browser = visitor(service, hosts.a);
    const proof = pkce();
    const page = await browser.authorize(parameters({ code_challenge: proof.challenge, state: '<"&\'> é' }));
    const answer = await browser.signIn(page, 'u1@example.test');
    expectFormPost(answer, ['code', 'state', 'iss']);
    expect(field(answer, 'iss')).toBe('https://a.test');
    expect(field(answer, 'state').replace('&lt;', '<').replace('&gt;', '>')).toBe('<"&\'> é');
    const exchanged = await token(service, hosts.a, {
      grant_type: 'authorization_code',
      client_id: 'pub1',
      code: field(answer, 'code'),
      code_verifier: proof.verifier,
    });
    expect(exchanged.status).toBe(200);
  });

  it('I21: posts them at once where the browser has a session', async () => {
    const browser = visitor(service, hosts.a);
    await codeFor(browser, 'pub1', redirectUri);
    expectFormPost(await browser.authorize(parameters({ prompt: 'none' })), ['code', 'state', 'iss']);
  });

  it('I21: posts an error the same way', async () => {
    const browser = visitor(service, hosts.a);
    const errors = [
      [{ prompt: 'none' }, 'login_required'],
      [{ scope: 'email' }, 'invalid_scope'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
    ] as const;
    for (const [more, error] of errors) {
      const answer = await browser.authorize(parameters(more));
      expectFormPost(answer, ['error', 'error_description', 'state', 'iss']);
      expect(field(answer, 'error')).toBe(error);
    }
  });

  it('I21: posts access_denied when the member turns back', async () => {
    const browser = visitor(service, hosts.a);
    const page = await browser.authorize(parameters({}));
    const answer = await browser.send('/sign-in', { body: { flow: field(page, 'flow'), action: 'cancel' } });
    expectFormPost(answer, ['error', 'error_description', 'state', 'iss']);
    expect(field(answer, 'error')).toBe('access_denied');
  });

  it('I21: serves the script that sends it, from our own origin', async () => {
    const answer = await visitor(service, hosts.a).authorize(parameters({ prompt: 'none' }));
    const src = /<script src="([^"]+)"/.exec(answer.text)?.[1] ?? '';
    const script = await service.http(hosts.a, src);
    expect(script.status).toBe(200);
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(script.text).toContain('data-submit-at-once');
  });
});
