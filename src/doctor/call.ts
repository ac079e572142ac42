// Calls an address at a place of the doctor's choice, and asks the service here whether it is ready.
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Config } from '../config.ts';
import { doctorCallTime, healthcheckTime } from '../core/operators/limits.ts';
import { request as requestHttp } from '../system/http.ts';

/** An address and a port to call, whatever the name service says. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** What a call brought, however bad its certificate is. */
export interface CallAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly certificate: CertificateFacts | null;
}

export interface CertificateFacts {
  /** Why it is not to be trusted, as a code of Node's; null if it is. */
  readonly problem: string | null;
  /** ms */
  readonly validFrom: number;
  readonly validUntil: number;
}

export type CallResult =
  | { readonly ok: true; readonly answer: CallAnswer }
  | { readonly ok: false; readonly code: string };

/** Far more than the doctor's own answer has. */
const mostBytes = 64 * 1_024;

/** One GET on a connection of its own. Redirects are not followed. @param time in which all of the answer must come (ms) */
export function call(
  url: URL,
  headers: Readonly<Record<string, string>>,
  place: Place | null = null,
  time: number = doctorCallTime,
): Promise<CallResult> {
  const isTls = url.protocol === 'https:';
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const options = {
    host: place?.host ?? hostOf(name),
    port: place?.port ?? (url.port === '' ? (isTls ? 443 : 80) : Number(url.port)),
    path: url.pathname + url.search,
    headers: { host: url.host, ...headers },
    agent: false,
    timeout: time,
    signal: AbortSignal.timeout(time),
    // What is wrong with a certificate is a finding, not the end of all others.
    ...(isTls ? { rejectUnauthorized: false, ...(isIP(name) === 0 ? { servername: name } : {}) } : {}),
  } as const;
  return new Promise((resolve) => {
    const sent = (isTls ? requestHttps : requestHttp)(options, (answer) => {
      const { statusCode = 0, headers, socket } = answer;
      // Nothing is known any more of a connection that has ended.
      const certificate = socket instanceof TLSSocket ? certificateOf(socket) : null;
      read(answer, mostBytes).then(
        (body) => {
          resolve({ ok: true, answer: { status: statusCode, headers, body, certificate } });
        },
        (error: unknown) => resolve({ ok: false, code: codeOf(error) }),
      );
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', (error) => resolve({ ok: false, code: codeOf(error) }));
    sent.end();
  });
}

/** Browsers know where these names lead, and Node asks the name service (RFC 6761 §6.3). */
const hostOf = (name: string) => (name.endsWith('.localhost') ? '127.0.0.1' : name);

async function read(answer: IncomingMessage, most: number): Promise<string> {
  let text = '';
  answer.setEncoding('utf8');
  for await (const chunk of answer) {
    text += chunk;
    if (text.length > most) break;
  }
  return text;
}

function certificateOf(socket: TLSSocket): CertificateFacts {
  const { authorizationError } = socket;
  const { valid_from, valid_to } = socket.getPeerCertificate();
  return {
    problem: authorizationError === null || authorizationError === undefined ? null : problemOf(socket),
    validFrom: Date.parse(valid_from),
    validUntil: Date.parse(valid_to),
  };
}

/** A code as Node's, though its types call it an Error. */
function problemOf({ authorizationError }: TLSSocket): string {
  const problem: unknown = authorizationError;
  return typeof problem === 'string' ? problem : codeOf(problem);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'ETIMEDOUT';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/** Asks `/readyz` on the port of this configuration. @returns null if it is ready, else why not in a word */
export async function readiness({ host, port }: Pick<Config, 'host' | 'port'>): Promise<string | null> {
  const asked = requestHttp({ host: reachable(host), port, path: '/readyz', timeout: healthcheckTime });
  asked.on('timeout', () => asked.destroy(new Error('no answer in time')));
  // What happens after its answer began is told by reading that.
  asked.on('error', () => {});
  asked.end();
  try {
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const text = await read(answer, 100).catch(() => null);
    if (text === null) return 'its answer was cut off';
    return answer.statusCode === 200 ? null : text.slice(0, 100).trim();
  } catch (error) {
    return codeOf(error);
  }
}

/** A service that listens on every address listens on loopback too. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
