// Asks a service on this machine, whatever the name of its tenant: not every system finds `shop.localhost`.
import { type IncomingHttpHeaders, request } from 'node:http';

export interface Asked {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** @param url of the tenant, which is the Host that is asked for */
export function ask(url: string, { method = 'GET', headers = {}, body }: Asking = {}): Promise<Asked> {
  const { host, port, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const to = { host: '127.0.0.1', port, path: pathname + search, method, agent: false as const };
    const sent = request({ ...to, headers: { ...headers, ...length, host } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Asks for JSON, by JSON. @throws Error with what the service says is wrong */
export async function askJson(url: string, body?: object, method = body === undefined ? 'GET' : 'POST') {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await ask(url, { method, headers, ...sent });
  const { error, error_description: why } = read(answer.text);
  if (answer.status >= 400) {
    throw new Error(`memberdoor: ${why ?? error ?? `${new URL(url).pathname} answers ${answer.status}`}`);
  }
  return { answer, json: read(answer.text) as unknown };
}

function read(text: string): { readonly error?: string; readonly error_description?: string } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
