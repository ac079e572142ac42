import { expect } from 'vitest';
import type { ExtensionUse } from '../../../src/core/client.ts';
import type { Answer } from '../http.ts';
import { run } from '../operators/desk.ts';
import type { TestService } from '../service.ts';
import { type App, credentialsOf } from '../tokens.ts';
import { authorizationParameters, type Pkce, pkce } from '../visitor.ts';

export const pushUrl = '/api/oidc/par';

/** Says whether a client may push its requests, or must. */
export const mayPush = (service: TestService, tenant: string, clientId: string, use: ExtensionUse) =>
  run(service, 'clients.change', { tenant, clientId, pushedRequests: use });

/** Pushes what a client would send a browser with; its own credentials unless others are given. */
export function pushAs(
  service: TestService,
  host: string,
  app: App,
  more: Record<string, string> = {},
  proof: Pkce = pkce(),
): Promise<Answer> {
  const parameters = authorizationParameters(app.clientId, app.redirectUri, proof);
  return service.http(host, pushUrl, { body: { ...parameters, ...credentialsOf(app), ...more } });
}

/** The request_uri of what a client pushed. */
export async function pushed(...given: Parameters<typeof pushAs>): Promise<string> {
  const answer = await pushAs(...given);
  expect(answer.status, answer.text).toBe(201);
  return answer.json<{ request_uri: string }>().request_uri;
}
