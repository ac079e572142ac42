import type { FastifyReply } from 'fastify';
import { listPage } from '../../../../core/limits.ts';
import type { Operation } from '../../../../operations/admin/operation.ts';
import { mayCall } from '../../call.ts';
import { addressOf, type Facts, operationNamed } from '../addresses.ts';
import { crumbsOf, overviewOf, shownTenant } from '../menu.ts';
import { sendPortalPage } from '../page.ts';
import { listIn } from '../show/values.ts';
import { callIfMay, type Visit } from '../visit.ts';
import { badgesOf, detailPage } from './detail.ts';
import { settingsFor } from './settings.ts';

/** GET of a client: its settings to copy, its secrets, its device flow, and its last refused requests. */
export function showClient(visit: Visit, operation: Operation): Promise<FastifyReply> {
  return detailPage(
    visit,
    operation,
    async ({ answer, ...detail }, known) => {
      const tenant = (await callIfMay(visit, 'tenants.read', { tenant: known.tenant })) ?? {};
      const { settings, others } = settingsFor(answer, String(tenant.issuer));
      return sendPortalPage(visit.reply, {
        template: 'client',
        title: String(answer.name),
        visit,
        crumbs: crumbsOf(visit, operation, known),
        data: {
          ...detail,
          client: answer,
          badges: badgesOf(answer),
          settings,
          others,
          stages: await stagesOf(visit, answer, tenant),
          setDeviceFlow: deviceFlowForm(visit, known),
          audit: `${overviewOf(shownTenant(visit).host)}/audit?${new URLSearchParams({
            clientId: String(answer.clientId),
            result: 'refused',
          })}`,
        },
      });
    },
    ['deviceFlow', 'deviceFlowOnStage'],
  );
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
  const production = await Promise.all(ahead.map((host) => stageAt(visit, 'Production', host, clientId)));
  if (stageHost === null && production.length > 0) return [{ ...here, title: 'Stage' }, ...production];
  const stage: Stage =
    stageHost === null
      ? { title: 'Stage', host: 'No stage tenant is named.', state: null, href: null, isHere: false }
      : {
          ...(await stageAt(visit, 'Stage', stageHost, clientId)),
          // An administrator who cannot open the stage tenant still sees what it says.
          state: stateOf(client.deviceFlowOnStage),
        };
  return [stage, { ...here, title: 'Production' }, ...production];
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
  let after: Facts = {};
  for (;;) {
    const answer = await callIfMay(visit, 'tenants.list', { ...after, limit: listPage.most });
    const page = answer === null ? [] : (listIn(answer, output)?.items ?? []);
    ahead.push(...page.filter(({ stageTenant }) => stageTenant === host).map((one) => String(one.host)));
    if (typeof answer?.next !== 'string') return ahead;
    after = { after: answer.next };
  }
}

function stateOf(flag: unknown): Stage['state'] {
  if (typeof flag !== 'boolean') return null;
  return flag ? 'on' : 'off';
}

const flowOf = ({ deviceFlow }: Facts) => stateOf(deviceFlow);

/** The form that turns the device flow on or off; null for those who may not. */
function deviceFlowForm(visit: Visit, known: Facts): string | null {
  const operation = operationNamed(visit, 'clients.setDeviceFlow');
  return operation === null || !mayCall(visit, operation) ? null : addressOf(operation, known);
}
