import { ok, strictEqual } from 'node:assert/strict';
import { type ExecFileException, execFile } from 'node:child_process';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { secrets } from '../../test/support/fixtures.ts';
import type { HttpClient } from '../../test/support/http.ts';
import type { TestService } from '../../test/support/service.ts';
import { codeFor, field, refresh, type Tokens, token, visitor } from '../../test/support/visitor.ts';

const command = fileURLToPath(new URL('../../bin/memberdoor.js', import.meta.url));

/** Signs a member in for the web and for a TV, refreshes, reads the profile and signs out. */
export async function wholeFlow(http: HttpClient, host: string): Promise<void> {
  const service = { http } as TestService;
  const discovery = (await http(host, '/.well-known/openid-configuration')).json();
  strictEqual(discovery.issuer, `https://${host}`);

  const browser = visitor(service, host);
  const app = { client_id: 'conf1', client_secret: secrets.conf1 };
  const { code, verifier } = await codeFor(browser, 'conf1', 'https://app.test/cb');
  ok(browser.cookies.has('__Host-memberdoor-session'), 'a session cookie');
  const exchange = { grant_type: 'authorization_code', ...app, code, code_verifier: verifier };
  const first = (await token(service, host, exchange)).json<Tokens>();
  const second = (await refresh(service, host, first.refresh_token, app)).json<Tokens>();
  strictEqual(await profileStatus(http, host, second.access_token), 200);

  const codes = (
    await http(host, '/api/oidc/device/auth', { body: { client_id: 'pub1', scope: 'openid offline_access' } })
  ).json<Record<string, string>>();
  ok(codes.verification_uri_complete?.startsWith(`https://${host}/device?`), 'the address for the phone');
  const page = await browser.send(`/device?user_code=${encodeURIComponent(String(codes.user_code))}`);
  const approved = { confirm: field(page, 'confirm'), verdict: 'approve' };
  strictEqual((await browser.send('/device/approve', { body: approved })).status, 303);
  const poll = {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    client_id: 'pub1',
    device_code: String(codes.device_code),
  };
  const television = (await token(service, host, poll)).json<Tokens>();
  strictEqual(await profileStatus(http, host, television.access_token), 200);

  const out = await browser.send('/api/oidc/session/end?client_id=conf1');
  strictEqual(out.headers.location, 'https://app.test/out');
  strictEqual((await refresh(service, host, first.refresh_token, app)).status, 400);
}

async function profileStatus(http: HttpClient, host: string, accessToken: string): Promise<number> {
  const path = '/api/v1/members/profile/info-with-active-subscriptions';
  return (await http(host, path, { headers: { authorization: `Bearer ${accessToken}` } })).status;
}

/** Holds plain http to leading on to https, for every address below it. */
export async function leadsToHttps(port: number, host: string): Promise<void> {
  const location = await new Promise<string | undefined>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/sign-in?a=b', headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.headers.location);
    })
      .on('error', reject)
      .end();
  });
  strictEqual(location?.replace(/:\d+/, ''), `https://${host}/sign-in?a=b`);
}

/** What is for the machine alone does not get through a proxy. */
export async function keepsInside(http: HttpClient, host: string): Promise<void> {
  for (const path of ['/internal/domains?domain=a.test', '/metrics', '/api/doctor']) {
    strictEqual((await http(host, path)).status, 404, path);
  }
}

/** Runs `memberdoor doctor` as an operator does. @returns its exit code and its lines */
export function doctor(
  settings: Readonly<Record<string, string>>,
  port: number,
  authorityFile: string,
): Promise<{ code: number; text: string }> {
  const env = { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: authorityFile, ...settings };
  return new Promise((resolve) => {
    const words = [command, 'doctor', '--at', `127.0.0.1:${port}`];
    execFile(process.execPath, words, { env }, (error: ExecFileException | null, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), text: stdout + stderr });
    });
  });
}
