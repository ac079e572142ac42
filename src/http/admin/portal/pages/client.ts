// The page of a client: its settings to copy, its secrets, its device flow, and its last refused requests.

import type { FastifyReply } from 'fastify';
import { listPage } from '../../../../core/limits.ts';
import { say } from '../../../../text/portal.ts';
import type { CardSum } from '../../../deps.ts';
import { mayCall } from '../../call.ts';
import { addressOf, operationNamed, queryText } from '../addresses.ts';
import { overviewOf, shownTenant } from '../menu.ts';
import { listIn } from '../values.ts';
import { callIfMay } from '../visit.ts';
import type { Facts, OperationVisit, Visit } from '../visitor.ts';
import { badgesOf, detailPage } from './detail.ts';
import { settingsOf } from './settings.ts';

/** GET of a client. */
export function showClient(visit: OperationVisit): Promise<FastifyReply> {
  const { known } = visit;
  const about = async (client: Facts) => {
    const tenant = (await callIfMay(visit, 'tenants.read', { tenant: known.tenant })) ?? {};
    const setDeviceFlow = operationNamed(visit, 'clients.setDeviceFlow');
    const refused = queryText({ clientId: client.clientId, result: 'refused' });
    return {
      template: 'client/page',
      title: String(client.name),
      data: {
        client,
        badges: badgesOf(client),
        settings: await settingsOf(visit, client),
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
  /** How the client keeps the rules there; null but at a development tenant of this machine. */
  readonly card: CardSum | null;
}

/** The device flow side by side: at the stage tenant, here, and where this tenant is the stage of another. */
async function stagesOf(visit: Visit, client: Facts, tenant: Facts): Promise<readonly Stage[]> {
  const clientId = String(client.clientId);
  const here = {
    host: String(tenant.host),
    state: flowOf(client),
    href: null,
    isHere: true,
    card: cardAt(visit, String(tenant.host), clientId),
  };
  const stageHost = typeof tenant.stageTenant === 'string' ? tenant.stageTenant : null;
  const ahead = await tenantsAhead(visit, String(tenant.host));
  const production = await Promise.all(
    ahead.map((host) => stageAt(visit, say('client.production'), host, clientId)),
  );
  if (stageHost === null && production.length > 0)
    return [{ ...here, title: say('client.stage') }, ...production];
  const stage: Stage =
    stageHost === null
      ? { ...nowhere, title: say('client.stage'), host: say('client.noStage') }
      : {
          ...(await stageAt(visit, say('client.stage'), stageHost, clientId)),
          // An administrator who cannot open the stage tenant still sees what it says.
          state: stateOf(client.deviceFlowOnStage),
        };
  return [stage, { ...here, title: say('client.production') }, ...production];
}

async function stageAt(visit: Visit, title: string, host: string, clientId: string): Promise<Stage> {
  const there = await callIfMay(visit, 'clients.read', { tenant: host, clientId });
  const href = `${overviewOf(host)}/clients/${clientId}`;
  if (there === null) return { ...nowhere, title, host };
  return { title, host, state: flowOf(there), href, isHere: false, card: cardAt(visit, host, clientId) };
}

/** Where there is no such client, or no tenant, as far as this administrator knows. */
const nowhere = { state: null, href: null, isHere: false, card: null } as const;

function cardAt({ deps, request }: Visit, host: string, clientId: string): CardSum | null {
  const tenant = deps.tenants.byHost(host);
  return tenant === null ? null : (deps.rehearsal?.cardOf(request, tenant, clientId) ?? null);
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
