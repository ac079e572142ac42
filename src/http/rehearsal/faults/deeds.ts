// Sets, tells and clears the faults of a tenant.

import type { FastifyRequest } from 'fastify';
import { endpoints } from '../../../core/rehearsal/endpoint.ts';
import { type Fault, faultKinds } from '../../../core/rehearsal/fault.ts';
import { faultDelay, faultTimes, wireParts } from '../../../core/rehearsal/limits.ts';
import { exactly, numberFrom, oneOf, type Schema, someOf, text } from '../../../operations/json-schema.ts';
import { findMember, findMemberByEmail } from '../../../storage/members/member.ts';
import { transactionOf } from '../../audit.ts';
import type { Deps } from '../../deps.ts';
import { type Deed, DeedRefused, deed } from '../deeds.ts';
import type { Faults } from './faults.ts';

const always = 'always';

const times: Schema<number | typeof always> = {
  type: ['integer', 'string'],
  description: 'How many answers it meets, or always',
  oneOf: [{ type: 'integer', minimum: 1, maximum: faultTimes }, { const: always }],
};

const nothing = someOf('Nothing', {});

const faultFields = {
  ...someOf('A fault', {
    kind: oneOf('FaultKind', 'What happens to the answer', faultKinds),
    endpoint: oneOf('Endpoint', 'Which answers it meets', endpoints),
    client: { ...text('The client whose answers it meets', 'tv'), maxLength: wireParts.value },
    member: text('The email address of the member whose answers it meets', 'ada@example.com'),
    times,
    seconds: numberFrom(0, faultDelay.most, 'How late the answer comes, or what Retry-After says', 2),
  }),
  required: ['kind'],
};

/** GET, POST and DELETE /rehearsal/faults, DELETE /rehearsal/faults/:id; a form clears by POST /rehearsal/faults/clear. */
export function faultDeeds(faults: Faults, deps: Deps): readonly Deed[] {
  const clear = (tenantId: string) => {
    faults.clear(tenantId);
    return { faults: [] };
  };
  return [
    deed({
      method: 'GET',
      path: '/faults',
      fields: nothing,
      run: async (_input, { tenant }) => ({
        faults: await Promise.all(faults.of(tenant.id).map((fault) => told(tenant.id, fault, deps))),
      }),
    }),
    deed({
      method: 'POST',
      path: '/faults',
      fields: faultFields,
      async run(
        { kind = '500', endpoint = null, client = null, member, times: most = 1, seconds = null },
        request,
      ) {
        const { id: tenantId } = request.tenant;
        const memberId = member === undefined ? null : await memberIdOf(request, member, deps);
        const left = most === always ? null : most;
        const fault = faults.add(tenantId, { kind, endpoint, client, memberId, times: left, seconds });
        return told(tenantId, fault, deps);
      },
    }),
    deed({
      method: 'DELETE',
      path: '/faults',
      fields: nothing,
      run: (_input, { tenant }) => clear(tenant.id),
    }),
    deed({
      method: 'POST',
      path: '/faults/clear',
      fields: nothing,
      run: (_input, { tenant }) => clear(tenant.id),
    }),
    deed({
      method: 'DELETE',
      path: '/faults/:id',
      fields: exactly('A fault', { id: text('Its number', '1') }),
      run({ id }, { tenant }) {
        if (!faults.remove(tenant.id, Number(id))) throw new DeedRefused('there is no such fault', 404);
        return {};
      },
    }),
  ];
}

/** @throws DeedRefused where no member has the address */
async function memberIdOf(request: FastifyRequest, email: string, deps: Deps): Promise<string> {
  const found = await transactionOf(request, deps, (tx) => findMemberByEmail(tx, request.tenant.id, email));
  if (found === null) throw new DeedRefused('there is no such member', 404);
  return found.member.id;
}

/** A fault as the room tells of it: with the address of its member. */
async function told(tenantId: string, { memberId, times: left, ...fault }: Fault, { store }: Deps) {
  const member =
    memberId === null ? null : await store.transaction((tx) => findMember(tx, tenantId, memberId));
  return { ...fault, member: member?.email ?? null, times: left ?? always };
}
