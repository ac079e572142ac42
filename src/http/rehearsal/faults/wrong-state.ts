// Changes the state of an answer on its way back to a client: a client that compares it, as the contract asks, throws the code away.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sha256 } from '../../../core/hash.ts';
import { otherState } from '../../../core/rehearsal/other-state.ts';
import { findAuthorizationCode } from '../../../storage/grants/authorization-code.ts';
import type { Deps } from '../../deps.ts';
import { endpointOf, note, noteFault } from '../wire/watch.ts';
import type { Faults } from './faults.ts';

/** To be called before the answer is written into the log. */
export function strikeCallbacks(app: FastifyInstance, faults: Faults, { store }: Pick<Deps, 'store'>): void {
  app.addHook('onSend', async (request, reply) => {
    if (!mayStrike(request, faults)) return;
    const location = String(reply.getHeader('location') ?? '');
    const sent = new URLSearchParams(/\?(.*)$/s.exec(location)?.[1]);
    const [code, state] = [sent.get('code'), sent.get('state')];
    if (code === null || state === null) return;
    const { tenant } = request;
    const found = await store.transaction((tx) => findAuthorizationCode(tx, tenant.id, sha256(code)));
    const endpoint = endpointOf(request);
    if (found === null || endpoint === null) return;
    const { clientId: client, memberId } = found;
    if (faults.take(tenant.id, { endpoint, client, isPoll: false, isCallback: true }, memberId) === null)
      return;
    const parameter = (value: string) => `state=${encodeURIComponent(value)}`;
    reply.header(
      'location',
      location.replace(parameter(state), () => parameter(otherState(state))),
    );
    noteFault(request, 'wrong_state');
    note(request, { client });
  });
}

const mayStrike = ({ tenant }: FastifyRequest, faults: Faults): boolean =>
  tenant?.development === true && faults.of(tenant.id).some(({ kind }) => kind === 'wrong_state');
