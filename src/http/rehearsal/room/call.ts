// The clients of the room: they send real requests to the port that the room itself was asked at, as any client does.
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { roomPatience, roomRead } from '../../../core/rehearsal/limits.ts';
import type { HeardAnswer } from '../../../core/rehearsal/television.ts';
import type { OpenTenant } from '../../../operations/tenant/open-tenants.ts';
import { request as send } from '../../../system/http.ts';
import { referenceHeader } from '../../request-log.ts';

/** Where the service is, for a client on this machine. */
export interface Place {
  readonly address: string;
  readonly port: number;
  readonly host: string;
}

/** The way by which this request came to the room. */
export const placeOf = ({ raw: { socket }, tenant }: FastifyRequest): Place => ({
  address: socket.localAddress ?? '127.0.0.1',
  port: socket.localPort ?? 0,
  host: tenant.host,
});

export interface Asked {
  readonly path: string;
  /** Sent as a form, by POST; without it the request is a GET. */
  readonly form?: Readonly<Record<string, string>>;
  readonly accessToken?: string;
}

export interface Answer extends HeardAnswer {
  readonly headers: IncomingMessage['headers'];
  /** What the wire log knows it by. */
  readonly reference: string | null;
}

/**
 * Sends a request.
 *
 * @param meeting where it waits, when its head has come to the service, for others that are sent at the same time
 * @returns null where no answer comes
 */
export function call(
  place: Place,
  { path, form, accessToken }: Asked,
  meeting?: Meeting,
): Promise<Answer | null> {
  const body = form === undefined ? undefined : new URLSearchParams(form).toString();
  return new Promise((resolve) => {
    const nothing = () => resolve(null);
    const request = send(
      {
        host: place.address,
        port: place.port,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          host: place.host,
          accept: 'application/json',
          'user-agent': 'Memberdoor rehearsal room',
          ...(body === undefined ? {} : formHeaders(body)),
          ...(accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }),
        },
        agent: false,
        timeout: roomPatience,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece: string) => {
          text += piece;
          if (text.length > roomRead) response.destroy();
        });
        response.on('close', () => {
          if (response.complete) resolve(read(response, text));
          else nothing();
        });
      },
    );
    request.on('timeout', () => request.destroy());
    request.on('error', nothing);
    if (meeting === undefined) request.end(body);
    else {
      // The service says so when it has read the head (RFC 9110 §10.1.1).
      request.setHeader('expect', '100-continue');
      request.flushHeaders();
      request.once('continue', () => void meeting().then(() => request.end(body)));
    }
  });
}

/** Where requests wait for one another, so that none is answered before all have come. */
export type Meeting = () => Promise<void>;

/** A meeting of so many. */
export function meetingOf(expected: number): Meeting {
  const { promise, resolve } = Promise.withResolvers<void>();
  let come = 0;
  return () => {
    come += 1;
    if (come === expected) resolve();
    return promise;
  };
}

/**
 * Sends the same several times at once.
 *
 * @returns the answers, refusals last: they may leave sooner, since no token has to be signed for them
 */
export async function sentTimes(
  times: number,
  send: (meeting: Meeting | undefined) => Promise<Answer | null>,
): Promise<readonly (Answer | null)[]> {
  const meeting = times > 1 ? meetingOf(times) : undefined;
  const answers = await Promise.all(Array.from({ length: times }, () => send(meeting)));
  return answers.sort((one, other) => (one?.status ?? 0) - (other?.status ?? 0));
}

const formHeaders = (body: string) => ({
  'content-type': 'application/x-www-form-urlencoded',
  'content-length': Buffer.byteLength(body),
});

function read(response: IncomingMessage, text: string): Answer {
  const { statusCode: status = 0, headers } = response;
  return { status, headers, body: objectIn(text), reference: String(headers[referenceHeader] ?? '') || null };
}

function objectIn(text: string): HeardAnswer['body'] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as HeardAnswer['body']) : null;
  } catch {
    return null;
  }
}

/** The addresses of a tenant's endpoints. */
export interface Endpoints {
  readonly deviceAuthorization: string | null;
  readonly token: string;
  readonly revocation: string;
  readonly authorization: string;
  readonly userinfo: string;
  readonly endSession: string;
}

/** Reads where the endpoints are, as the contract asks of clients; null where that cannot be read. */
export async function readEndpoints(place: Place, { issuer }: OpenTenant): Promise<Endpoints | null> {
  const answer = await call(place, { path: '/.well-known/openid-configuration' });
  const pathOf = (name: string) => {
    const address = answer?.body?.[name];
    return typeof address === 'string' && address.startsWith(`${issuer}/`)
      ? address.slice(issuer.length)
      : null;
  };
  const token = pathOf('token_endpoint');
  if (token === null) return null;
  return {
    deviceAuthorization: pathOf('device_authorization_endpoint'),
    token,
    revocation: pathOf('revocation_endpoint') ?? '',
    authorization: pathOf('authorization_endpoint') ?? '',
    userinfo: pathOf('userinfo_endpoint') ?? '',
    endSession: pathOf('end_session_endpoint') ?? '',
  };
}

/** A member, as an app greets them. */
export interface Profile {
  readonly name: string;
  readonly email: string;
  readonly packages: readonly string[];
}

export const profilePath = '/api/v1/members/profile/info-with-active-subscriptions';

/** Asks for the member that the tokens are of. */
export async function readProfile(place: Place, accessToken: string): Promise<Profile | null> {
  const answer = await call(place, { path: profilePath, accessToken });
  if (answer?.status !== 200 || answer.body === null) return null;
  const { fullName, email, subscriptions } = answer.body as {
    readonly fullName?: string;
    readonly email?: string;
    readonly subscriptions?: readonly { readonly packageName?: string }[];
  };
  return {
    name: fullName ?? '',
    email: email ?? '',
    packages: (subscriptions ?? []).map(({ packageName = '' }) => packageName),
  };
}
