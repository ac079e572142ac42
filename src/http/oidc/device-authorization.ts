// The device authorization endpoint.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Client } from '../../core/client.ts';
import { isRefusal, type Refusal, refusal } from '../../core/decision.ts';
import { issueDeviceCode, readDeviceDescription } from '../../core/grants/device-code.ts';
import { hashUserCode, showUserCode } from '../../core/grants/user-code.ts';
import { sha256 } from '../../core/hash.ts';
import { countingWindow, deviceCodeLifetime, pollInterval, userCodeDraws } from '../../core/limits.ts';
import { type Audiences, readAsked } from '../../core/oidc/request/resource.ts';
import { audiencesFor } from '../../operations/client/audiences.ts';
import type { OpenTenant } from '../../operations/tenant/open-tenants.ts';
import { apply } from '../../storage/apply.ts';
import { isUserCodeFree } from '../../storage/grants/device-code.ts';
import { hasSignedInFrom } from '../../storage/grants/session.ts';
import { takeIn } from '../../storage/memory/rate-limit.ts';
import type { Tx } from '../../storage/store.ts';
import { addressKey, addressRanges } from '../address.ts';
import { refuseOtherMethods, sendJson, sendRefusal, sendTooMany } from '../answers.ts';
import { cors, tenantOrigins } from '../cors.ts';
import type { Deps } from '../deps.ts';
import { protocolForm } from '../form.ts';
import { type LimitName, tooMany } from '../limit-reached.ts';
import { clientParameters } from './client/client-assertion.ts';
import { asClient, becauseOf, clientCredentials, noteRefusedClient } from './client/client-authentication.ts';
import { auditMalformed } from './malformed-request.ts';

const parameters = [...clientParameters, 'scope', 'resource', 'device_name', 'device_model'] as const;

/** POST /api/oidc/device/auth (contract, "device flow step 1"; RFC 8628 §3.1, §3.2; decisions 29 to 33). */
export function deviceAuthorizationEndpoint(app: FastifyInstance, deps: Deps): void {
  const url = '/api/oidc/device/auth';
  // On a tenant without the device flow the endpoint does not exist, whatever is asked of it (D6).
  app.addHook('onRequest', async ({ tenant }, reply) => {
    return tenant.deviceFlow ? undefined : reply.status(404).send();
  });
  cors(app, url, ['POST'], tenantOrigins);
  refuseOtherMethods(app, url, ['POST', 'OPTIONS']);
  auditMalformed(app, 'device_code_refused', deps);
  app.post(url, async (request, reply) => {
    const { tenant } = request;
    const address = addressKey(request.address);
    const { deviceRequestsPerAddressAndMinute, deviceRequestsPerAddressAndHour } = tenant.limits;
    const take = (limit: number | null, window: number) =>
      deps.rateLimiter.take(`device ${tenant.id} ${address}`, limit, window);
    const wait =
      (await take(deviceRequestsPerAddressAndMinute, countingWindow.minute)) ??
      (await take(deviceRequestsPerAddressAndHour, countingWindow.hour));
    if (wait !== null) return sendTooMany(reply, wait, 'device_requests');

    const fields = protocolForm(request, parameters);
    const credentials = clientCredentials(request, fields);
    const answer = await asClient(request, credentials, deps, async (tx, client) => {
      const asked = readRequest(client, fields, await audiencesFor(tx, tenant, fields.resource));
      return isRefusal(asked) ? { client, refused: asked } : issue(tx, request, client, asked, deps);
    });
    if (isRefusal(answer)) return sendRefusal(reply, answer);
    if ('refused' in answer) {
      const { client, refused } = answer;
      noteRefusedClient(request, client, becauseOf('device_code_refused', refused));
      return sendRefusal(reply, refused);
    }
    if ('issued' in answer) return sendJson(reply, answer.issued);
    const { full: name, window } = answer;
    request.reachedLimit = { name, key: credentials.clientId, memberId: null, wait: window };
    return sendRefusal(reply.header('retry-after', countingWindow.minute / 1_000), tooMany);
  });
}

/** What a device asks for. Any other parameter is ignored; errors are `invalid_request` (contract, Errors; RFC 8707 §2). */
function readRequest(
  client: Client,
  fields: { scope?: string; resource?: string; device_name?: string; device_model?: string },
  audiences: Audiences,
) {
  if (!client.deviceFlow)
    return refusal('invalid_request', 'the device flow is not enabled for this client', 'device_flow_off');
  const asked = readAsked(fields.scope ?? '', fields.resource, client, audiences);
  if (isRefusal(asked)) {
    return asked.error === 'invalid_target'
      ? asked
      : refusal('invalid_request', asked.description, asked.rule);
  }
  const { scope, resources } = asked;
  const deviceName = readDeviceDescription(fields.device_name);
  const deviceModel = readDeviceDescription(fields.device_model);
  if (deviceName === undefined || deviceModel === undefined) {
    const name = deviceName === undefined ? 'device_name' : 'device_model';
    return refusal(
      'invalid_request',
      `${name} is longer than 64 characters or has invisible ones`,
      'device_description',
    );
  }
  return { scope, resources, deviceName, deviceModel };
}

/** Which limit of the client is full: the operator hears of it once in each window (ms), whatever address asks. */
interface Full {
  readonly full: LimitName;
  readonly window: number;
}

/** Its window is as long as the codes stand that fill it (F8). */
const noRoom: Full = { full: 'pending_device_codes', window: deviceCodeLifetime };

/** Issues a device code with a user code that no other pending one of the tenant has. */
async function issue(
  tx: Tx,
  request: FastifyRequest,
  client: Client,
  asked: Exclude<ReturnType<typeof readRequest>, Refusal>,
  { clock, random, rateLimiter, pendingCodes }: Deps,
): Promise<{ readonly issued: object } | Full> {
  const { tenant, address: ipAddress } = request;
  const now = clock();
  const { pendingDeviceCodes, deviceRequestsPerClientAndMinute } = tenant.limits;
  const key = `device ${tenant.id} client ${client.clientId}`;
  const { minute } = countingWindow;
  const wait = await takeIn(tx, rateLimiter.shared, key, deviceRequestsPerClientAndMinute, minute);
  if (wait !== null) return { full: 'device_requests_of_client', window: minute };
  const asker = { tenantId: tenant.id, clientId: client.clientId, network: addressKey(ipAddress) };
  const isKnown = () => hasSignedInFrom(tx, tenant.id, addressRanges(ipAddress));
  const [hasRoom, drawn] = await Promise.all([
    pendingCodes.hasRoom(tx, asker, pendingDeviceCodes, isKnown),
    drawUserCode(tx, tenant, now, random.digits),
  ]);
  if (!hasRoom || drawn === null) return noRoom;

  const deviceCode = random.secret();
  const code = issueDeviceCode(
    {
      ...asked,
      ipAddress,
      id: random.id(now),
      tenantId: tenant.id,
      clientId: client.clientId,
      hash: sha256(deviceCode),
      userCodeHash: drawn.userCodeHash,
    },
    now,
  );
  await apply(tx, [{ write: 'insertDeviceCode', code }]);
  pendingCodes.add(tx, asker);
  const userCode = showUserCode(drawn.digits);
  return {
    issued: {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: `${tenant.issuer}/device`,
      verification_uri_complete: `${tenant.issuer}/device?user_code=${encodeURIComponent(userCode)}`,
      expires_in: deviceCodeLifetime / 1_000,
      interval: pollInterval / 1_000,
    },
  };
}

async function drawUserCode(tx: Tx, tenant: OpenTenant, now: number, draw: () => string) {
  for (let draws = 0; draws < userCodeDraws; draws += 1) {
    const digits = draw();
    const userCodeHash = hashUserCode(tenant.tokenKey, digits);
    if (await isUserCodeFree(tx, tenant.id, userCodeHash, now)) return { digits, userCodeHash };
  }
  return null;
}
