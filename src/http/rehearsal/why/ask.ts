// Asks the operation why a request was refused, and does what it offers, in the name of the room.
import type { Mend, MendKind } from '../../../core/refusals/mend.ts';
import type { WhyAnswer } from '../../../operations/admin/refusals.ts';
import { OperationRefused } from '../../../operations/refusal.ts';
import { type Deps, operationDeps } from '../../deps.ts';
import { DeedRefused } from '../deeds.ts';

/** A developer who may use the room may do everything on its tenant, as the operator of the machine may. */
const actor = { kind: 'operator', user: 'rehearsal room' } as const;

type Facts = Readonly<Record<string, unknown>>;

async function ask<Answer>(name: string, input: Facts, address: string, deps: Deps): Promise<Answer> {
  // The table of operations takes long to load, and few starts ask.
  const [{ operationOf }, { runOperation }] = await Promise.all([
    import('../../../operations/admin/index.ts'),
    import('../../../operations/admin/run.ts'),
  ]);
  const call = { operation: operationOf(name), actor, input, address };
  try {
    return (await runOperation(call, deps.store, operationDeps(deps))) as Answer;
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error;
    throw new DeedRefused(error.message, error.kind === 'unknown' ? 404 : 409);
  }
}

/** The tenant of the request that is asked about, and the actor who asks. */
interface About {
  /** The host of the tenant. */
  readonly tenant: string;
  readonly reference: string;
  readonly address: string;
}

/** @throws DeedRefused where nothing is known of it */
export const askWhy = ({ tenant, reference, address }: About, deps: Deps): Promise<WhyAnswer> =>
  ask('refusals.why', { tenant, reference }, address, deps);

/**
 * Does what is offered for a request: what is added was sent with that request, and nothing of it comes with the click.
 *
 * @throws DeedRefused where it is not offered, or cannot be done
 */
export async function doMend(about: About, kind: MendKind, deps: Deps): Promise<Mend> {
  const { reasons } = await askWhy(about, deps);
  const found = reasons.find(({ offered }) => offered?.kind === kind)?.offered ?? null;
  if (found === null) throw new DeedRefused('this request offers no such mend');
  const { tenant, address } = about;
  const { clientId, value } = found;
  const of = { tenant, clientId };
  if (kind === 'device_flow') {
    await ask('clients.setDeviceFlow', { ...of, enabled: true }, address, deps);
    return found;
  }
  const list = lists[kind];
  const client = await ask<Record<typeof list, readonly string[]>>('clients.read', of, address, deps);
  const known = client[list];
  if (value !== null && !known.includes(value)) {
    await ask('clients.change', { ...of, [list]: [...known, value] }, address, deps);
  }
  return found;
}

/** The list of a client that each mend adds to. */
const lists = {
  redirect_uri: 'redirectUris',
  post_logout_uri: 'postLogoutRedirectUris',
  web_origin: 'webOrigins',
} as const;
