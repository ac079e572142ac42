/** What the service gives a TV that asks for a code (contract, "Device authorization record"). */
export interface DeviceAuthorization {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

/** A TV app: a client that has no browser and no keys to type on. */
export interface Television {
  readonly clientId: string;
  /** Asks for a code; `openid offline_access` unless said otherwise. */
  requestCode(more?: Readonly<Record<string, string>>): Promise<DeviceAuthorization>;
  /** Sends one poll. @throws if no answer comes */
  poll(deviceCode: string): Promise<PollAnswer>;
  refresh(refreshToken: string): Promise<PollAnswer>;
}

/** An answer of the token endpoint; the body is null where it is not JSON. */
export interface PollAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> | null;
}

/** A TV that read the addresses from discovery, as the contract asks of it. */
export async function television(issuer: string, clientId = 'tv', send = fetch): Promise<Television> {
  const discovery = (await (await send(`${issuer}/.well-known/openid-configuration`)).json()) as {
    device_authorization_endpoint: string;
    token_endpoint: string;
  };
  const post = async (endpoint: string, fields: Readonly<Record<string, string>>) => {
    const headers = { accept: 'application/json' };
    const body = new URLSearchParams({ client_id: clientId, ...fields });
    return read(await send(endpoint, { method: 'POST', headers, body }));
  };
  return {
    clientId,
    requestCode: async (more = {}) => {
      const fields = { scope: 'openid offline_access', ...more };
      const { status, body } = await post(discovery.device_authorization_endpoint, fields);
      if (status !== 200) throw new Error(`no code but ${status} ${JSON.stringify(body)}`);
      return body as unknown as DeviceAuthorization;
    },
    poll: (deviceCode) =>
      post(discovery.token_endpoint, {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: deviceCode,
      }),
    refresh: (refreshToken) =>
      post(discovery.token_endpoint, { grant_type: 'refresh_token', refresh_token: refreshToken }),
  };
}

async function read(response: Response): Promise<PollAnswer> {
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) as PollAnswer['body'] };
  } catch {
    return { status: response.status, body: null };
  }
}

/** How the polling for one code went. */
export interface Polling {
  /** The seconds waited before each poll. */
  readonly waits: readonly number[];
  /** What each poll heard: an error code, `tokens`, or `trouble`. */
  readonly heard: readonly string[];
  /** The answer that ended it; null where the code expired without one. */
  readonly last: PollAnswer['body'];
}

/**
 * Polls by the five rules of the contract ("Polling rules").
 *
 * @param poll sends one poll
 * @param wait waits for seconds
 */
export async function pollByTheRules(
  code: DeviceAuthorization,
  poll: (deviceCode: string) => Promise<PollAnswer>,
  wait: (seconds: number) => Promise<void>,
): Promise<Polling> {
  const waits: number[] = [];
  const heard: string[] = [];
  let { interval } = code;
  let left = code.expires_in;
  // Rule 4: trouble is borne until the code expires.
  while (left > 0) {
    // Rules 1 and 2: the wait comes before the first poll too, and begins when the last answer is there.
    await wait(interval);
    waits.push(interval);
    left -= interval;
    const answer = await poll(code.device_code).catch(() => null);
    const word = wordFor(answer);
    heard.push(word);
    if (word === 'slow_down')
      interval += 5; // Rule 3: for this and all later polls.
    else if (word === 'trouble')
      interval *= 2; // Rule 4.
    else if (word !== 'authorization_pending') return { waits, heard, last: answer?.body ?? null }; // Rule 5.
  }
  return { waits, heard, last: null };
}

function wordFor(answer: PollAnswer | null): string {
  if (answer === null || answer.body === null || answer.status === 429 || answer.status >= 500)
    return 'trouble';
  return answer.status === 200 ? 'tokens' : String(answer.body.error);
}

/** What can befall a poll between the TV and the service. */
export type Fault = 'too many requests' | 'unavailable' | 'a login page' | 'no connection' | 'answer lost';

/** Sends polls through a network that does to each in turn what the list says; null leaves it alone. */
export function troubled(poll: Television['poll'], faults: readonly (Fault | null)[]): Television['poll'] {
  const left = [...faults];
  return async (deviceCode) => {
    const fault = left.shift() ?? null;
    switch (fault) {
      case null:
        return poll(deviceCode);
      case 'too many requests':
        return { status: 429, body: { error: 'temporarily_unavailable' } };
      case 'unavailable':
        return { status: 503, body: { error: 'server_error' } };
      case 'a login page':
        return { status: 200, body: null };
      case 'answer lost':
        await poll(deviceCode);
        throw new Error('the connection broke');
      case 'no connection':
        throw new Error('there is no connection');
      default:
        throw new Error(`unknown fault ${fault satisfies never}`);
    }
  };
}
