// One request and its answer, held to what an answer may be (decision 48).
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { outbound as limits } from '../../core/operators/limits.ts';
import { request as requestHttp } from '../http.ts';
import type { OutboundCall, OutboundFailure, OutboundResult, Resolved } from './call.ts';
import { dialledAt, type Kept } from './kept.ts';

export interface Exchange {
  readonly call: OutboundCall;
  readonly url: URL;
  /** Where the host is dialled, and nowhere else. */
  readonly found: readonly Resolved[];
  readonly ca: readonly string[] | undefined;
  /** Connections of earlier calls; null if it has one of its own. */
  readonly kept: Kept | null;
  /** Breaks it off. */
  readonly signal: AbortSignal;
}

/** Sends a request to one of these addresses, and reads its answer. It never throws. */
export async function exchange(of: Exchange): Promise<OutboundResult> {
  const { call, url, found, ca, kept, signal } = of;
  const isTls = url.protocol === 'https:';
  // Loaded with the first call: few services make one.
  const request = isTls ? (await import('node:https')).request : requestHttp;
  const agent = kept === null ? null : await kept(isTls);
  const options = { ...optionsOf(call, found, agent), signal, ...(ca === undefined ? {} : { ca: [...ca] }) };
  return new Promise((settle) => {
    const sent = request(url, options);
    let isAnswered = false;
    const fail = (reason: OutboundFailure) => {
      settle({ kind: 'failed', reason: signal.aborted ? 'time' : reason });
      sent.destroy();
    };
    const isShakingHands = watchHandshake(sent, isTls);
    sent.on('response', async (answer) => {
      isAnswered = true;
      const result = await read(answer);
      if (typeof result === 'string') fail(result);
      else settle(result);
    });
    sent.on('error', (error) => {
      const wasClosed = sent.reusedSocket && !isAnswered && !signal.aborted;
      if (wasClosed) settle(exchange({ ...of, kept: null }));
      else if (isShakingHands()) fail('tls');
      else fail('code' in error && error.code === 'HPE_HEADER_OVERFLOW' ? 'size' : 'connection');
    });
    // An answer that would change the protocol, for one, ends without an error.
    sent.on('close', () => isAnswered || fail('connection'));
    sent.end(call.body);
  });
}

function optionsOf(
  { method, headers, accept = '*/*' }: OutboundCall,
  found: readonly Resolved[],
  agent: Agent | null,
): RequestOptions {
  const lookup: LookupFunction = (_host, { all }, done) => {
    const [first = { address: '', family: 4 }] = found;
    if (all) done(null, [...found]);
    else done(null, first.address, first.family);
  };
  return {
    method,
    // Else an agent of its own: no connection that was made for another call. Neither knows a proxy of the environment.
    agent: agent ?? false,
    ...(agent === null ? {} : dialledAt(found)),
    // What was looked at is what is dialled: a second answer of the name service could be another one.
    lookup,
    // Said here, so that NODE_TLS_REJECT_UNAUTHORIZED cannot say otherwise.
    rejectUnauthorized: true,
    maxHeaderSize: limits.headerBytes,
    headers: {
      ...headers,
      accept,
      // Nothing packed: a small answer could become a large one.
      'accept-encoding': 'identity',
      'user-agent': 'memberdoor',
      ...(agent === null ? { connection: 'close' } : {}),
    },
  };
}

/** @returns whether the connection is at its handshake, in which the certificate is looked at */
function watchHandshake(sent: ClientRequest, isTls: boolean): () => boolean {
  let isShakingHands = false;
  if (isTls) {
    sent.on('socket', (socket: Socket) => {
      if (sent.reusedSocket) return;
      socket.on('connect', () => {
        isShakingHands = true;
      });
      socket.on('secureConnect', () => {
        isShakingHands = false;
      });
    });
  }
  return () => isShakingHands;
}

async function read(answer: IncomingMessage): Promise<OutboundResult | OutboundFailure> {
  const { statusCode: status = 0, headers } = answer;
  // The request is destroyed then, and this with it.
  answer.on('error', () => {});
  const refused = refusalOf(status, headers);
  if (refused !== null) return refused;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > limits.bodyBytes) return 'size';
      chunks.push(chunk);
    }
  } catch {
    return 'connection';
  }
  return { kind: 'answer', status, headers, body: Buffer.concat(chunks).toString() };
}

function refusalOf(status: number, headers: IncomingMessage['headers']): OutboundFailure | null {
  // 304 leads nowhere: it answers a conditional request.
  if (status >= 300 && status < 400 && status !== 304) return 'redirect';
  if (!['identity', undefined].includes(headers['content-encoding']?.trim().toLowerCase())) return 'encoding';
  return Number(headers['content-length'] ?? 0) > limits.bodyBytes ? 'size' : null;
}
