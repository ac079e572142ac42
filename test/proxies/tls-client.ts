import { Agent, request } from 'node:https';
import type { Answer, Ask, HttpClient } from '../support/http.ts';

/** Speaks HTTPS to one port of the loopback address, by any name, as clients of that name do. */
export function tlsClient(port: number, authority: string): HttpClient {
  const agent = new Agent({ keepAlive: true });
  const send = (host: string, path: string, { method, headers = {}, body }: Ask = {}) => {
    const isForm = body !== undefined && typeof body !== 'string';
    const payload = isForm ? new URLSearchParams(body).toString() : body;
    return new Promise<Answer>((resolve, reject) => {
      const sent = request(
        {
          agent,
          ca: authority,
          host: '127.0.0.1',
          port,
          servername: host,
          path,
          method: method ?? (body === undefined ? 'GET' : 'POST'),
          headers: {
            host,
            ...(isForm ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
            ...(payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) }),
            ...headers,
          },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('error', reject);
          response.on('end', () => {
            const { statusCode: status = 0, headers: received } = response;
            resolve({ status, headers: received, text, json: <T>() => JSON.parse(text) as T });
          });
        },
      );
      sent.on('error', reject);
      sent.end(payload);
    });
  };
  return Object.assign(send, { close: () => agent.destroy() });
}
