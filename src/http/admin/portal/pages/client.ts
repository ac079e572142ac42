// The page of a client: its settings to copy, its secrets, its device flow, and its last refused requests.

import type { FastifyReply } from 'fastify';
import { listPage } from '../../../../core/limits.ts';
import { say } from '../../../../text/portal.ts';
import { mayCall } from '../../call.ts';
import { addressOf, operationNamed, queryText } from '../addresses.ts';
import { overviewOf, shownTenant } from '../menu.ts';
import { listIn } from '../values.ts';
import { callIfMay } from '../visit.ts';
import type { Facts, OperationVisit, Visit } from '../visitor.ts';
import { badgesOf, detailPage } from './detail.ts';

/** GET of a client. */
export function showClient(visit: OperationVisit): Promise<FastifyReply> {
  const { known } = visit;
  const about = async (client: Facts) => {
    const tenant = (await callIfMay(visit, 'tenants.read', { tenant: known.tenant })) ?? {};
    const setDeviceFlow = operationNamed(visit, 'clients.setDeviceFlow');
    const refused = queryText({ clientId: client.clientId, result: 'refused' });
    return {
      template: 'client',
      title: String(client.name),
      data: {
        client,
        badges: badgesOf(client),
        ...settingsFor(client, String(tenant.issuer)),
        stages: await stagesOf(visit, client, tenant),
        /** The form that turns it on or off; null for those who may not. */
        setDeviceFlow:
          setDeviceFlow === null || !mayCall(visit, setDeviceFlow) ? null : addressOf(setDeviceFlow, known),
        audit: `${overviewOf(shownTenant(visit).host)}/audit${refused}`,
      },
    };
  };
  return detailPage(visit, about, ['deviceFlow', 'deviceFlowOnStage']);
}

/** Where the device flow of a client is tried first, and where it goes then. */
interface Stage {
  readonly title: string;
  readonly host: string;
  /** null where the tenant is not set, or has no such client */
  readonly state: 'on' | 'off' | null;
  readonly href: string | null;
  readonly isHere: boolean;
}

/** The device flow side by side: at the stage tenant, here, and where this tenant is the stage of another. */
async function stagesOf(visit: Visit, client: Facts, tenant: Facts): Promise<readonly Stage[]> {
  const clientId = String(client.clientId);
  const here = { host: String(tenant.host), state: flowOf(client), href: null, isHere: true };
  const stageHost = typeof tenant.stageTenant === 'string' ? tenant.stageTenant : null;
  const ahead = await tenantsAhead(visit, String(tenant.host));
  const production = await Promise.all(
    ahead.map((host) => stageAt(visit, say('client.production'), host, clientId)),
  );
  if (stageHost === null && production.length > 0)
    return [{ ...here, title: say('client.stage') }, ...production];
  const stage: Stage =
    stageHost === null
      ? { title: say('client.stage'), host: say('client.noStage'), state: null, href: null, isHere: false }
      : {
          ...(await stageAt(visit, say('client.stage'), stageHost, clientId)),
          // An administrator who cannot open the stage tenant still sees what it says.
          state: stateOf(client.deviceFlowOnStage),
        };
  return [stage, { ...here, title: say('client.production') }, ...production];
}

async function stageAt(visit: Visit, title: string, host: string, clientId: string): Promise<Stage> {
  const there = await callIfMay(visit, 'clients.read', { tenant: host, clientId });
  const href = there === null ? null : `${overviewOf(host)}/clients/${clientId}`;
  return { title, host, state: there === null ? null : flowOf(there), href, isHere: false };
}

/** The tenants whose stage this one is, as far as this administrator has them. */
async function tenantsAhead(visit: Visit, host: string): Promise<readonly string[]> {
  const output = operationNamed(visit, 'tenants.list')?.output ?? {};
  const ahead: string[] = [];
  let next: unknown;
  do {
    const after = typeof next === 'string' ? { after: next } : {};
    const answer = (await callIfMay(visit, 'tenants.list', { ...after, limit: listPage.most })) ?? {};
    const page = listIn(answer, output).items;
    ahead.push(...page.filter(({ stageTenant }) => stageTenant === host).map((one) => String(one.host)));
    next = answer.next;
  } while (typeof next === 'string');
  return ahead;
}

function stateOf(flag: unknown): Stage['state'] {
  if (typeof flag !== 'boolean') return null;
  return flag ? 'on' : 'off';
}

const flowOf = ({ deviceFlow }: Facts) => stateOf(deviceFlow);

const isConfidential = ({ type }: Facts) => type === 'confidential';
const urisOf = ({ redirectUris }: Facts) => (Array.isArray(redirectUris) ? redirectUris.map(String) : []);
const isWeb = (client: Facts) => urisOf(client).some((uri) => uri.startsWith('http'));
const isApp = (client: Facts) => urisOf(client).some((uri) => /^(?!https:)/.test(uri));
const isTv = ({ deviceFlow }: Facts) => deviceFlow === true;
const isOnServer = (client: Facts) => isConfidential(client) && isWeb(client);

/** The libraries, and which clients each is for; its template is `templates/admin/settings/<file>.eta`. */
const libraries: readonly {
  readonly file: string;
  readonly title: string;
  readonly fits: (client: Facts) => boolean;
}[] = [
  { file: 'openid-client', title: 'openid-client (Node)', fits: isWeb },
  { file: 'auth-js', title: 'Auth.js', fits: isOnServer },
  { file: 'express-openid-connect', title: 'express-openid-connect', fits: isOnServer },
  {
    file: 'oidc-client-ts',
    title: 'oidc-client-ts (browser)',
    fits: (client) => !isConfidential(client) && isWeb(client),
  },
  { file: 'mod-auth-openidc', title: 'mod_auth_openidc (Apache)', fits: isOnServer },
  { file: 'spring', title: 'Spring Security', fits: isOnServer },
  {
    file: 'appauth',
    title: 'AppAuth (Android, iOS)',
    fits: (client) => !isConfidential(client) && isApp(client),
  },
  { file: 'curl-web', title: 'curl, web', fits: isWeb },
  { file: 'curl-tv', title: 'curl, TV', fits: isTv },
];

/** The libraries whose settings fit a client, filled with its own values, and the names of the others. */
function settingsFor(client: Facts, issuer: string) {
  const fitting = libraries.filter(({ fits }) => fits(client));
  return {
    settings: fitting.map(({ file, title }) => ({
      file,
      title,
      facts: factsOf(client, issuer, file === 'appauth'),
    })),
    others: libraries.filter((library) => !fitting.includes(library)).map(({ title }) => title),
  };
}

/** What the settings of a library are filled with. */
function factsOf(client: Facts, issuer: string, isForApps: boolean) {
  const uris = urisOf(client);
  // An app comes back to a scheme of its own, where it has one.
  const own = isForApps ? uris.find((uri) => !uri.startsWith('http')) : undefined;
  const redirectUri = uris.find((uri) => uri.startsWith('http')) ?? uris[0] ?? '';
  const logout = client.postLogoutRedirectUris;
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : null;
  return {
    issuer,
    clientId: String(client.clientId),
    isConfidential: isConfidential(client),
    /** Development alone: most libraries have to be told that http is meant. */
    isHttp: issuer.startsWith('http:'),
    redirectUri: own ?? redirectUri,
    /** The redirect URI's origin, such as `https://app.example.com`, and what comes behind it. */
    appOrigin: url?.origin ?? '',
    redirectPath: url?.pathname ?? '',
    postLogoutRedirectUri: Array.isArray(logout) && logout.length > 0 ? String(logout[0]) : null,
    scope: 'openid offline_access profile email',
    webOrigins: Array.isArray(client.webOrigins) ? client.webOrigins.map(String) : [],
    idTokenAlgorithm: String(client.idTokenAlgorithm),
    claimsInIdToken: client.claimsInIdToken === true,
  };
}
