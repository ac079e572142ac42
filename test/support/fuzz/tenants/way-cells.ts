import { standingOf } from '../../../../src/operations/sign-in/enter.ts';
import { insertPasskey } from '../../../../src/storage/members/passkey.ts';
import { saveSecondFactor } from '../../../../src/storage/members/second-factor.ts';
import { systemRandom } from '../../../../src/system/random.ts';
import { passkeyRecord } from '../../records/records.ts';
import { type Cell, noId } from './cell.ts';
import { accountToken, inForm, inQuery, sealCell } from './seal-cells.ts';
import { password, type Side } from './side.ts';

/** A passkey of the side's member, by its id. What it signs is tried in the cases WA. */
const passkeyOf = async ({ service, tenant, memberId }: Side) => {
  const id = systemRandom.id(service.clock.now());
  const facts = { id, tenantId: tenant.id, memberId, credentialId: id };
  await service.store.transaction((tx) => insertPasskey(tx, passkeyRecord(facts)));
  return id;
};

const passkeys: readonly Cell[] = [
  {
    artefact: 'passkey id',
    route: 'POST /account/passkeys',
    make: passkeyOf,
    madeUp: noId,
    use: (side, passkey) =>
      side.browser.send('/account/passkeys', {
        body: { token: accountToken(side), passkey, action: 'rename', label: 'Mine' },
      }),
  },
  {
    artefact: 'passkey id',
    route: 'GET /account/passkeys/remove',
    make: passkeyOf,
    madeUp: noId,
    use: ({ browser }, id) => browser.send(`/account/passkeys/remove?passkey=${id}`),
  },
  {
    artefact: 'passkey id',
    route: 'POST /account/passkeys/remove',
    make: passkeyOf,
    madeUp: noId,
    use: (side, passkeyId) =>
      side.browser.send('/account/passkeys/remove', {
        body: { token: accountToken(side), passkeyId, currentPassword: password },
      }),
  },
];

/** What was proven first at the portal's sign-in, while it waits for the second factor. */
const goingOf = (side: Side) => ({
  waiting: {
    memberId: side.memberId,
    factors: ['pwd'],
    standing: standingOf({ member: { email: side.email }, passwordHash: side.passwordHash }),
    at: side.service.clock.now(),
  },
  next: '/admin',
});

const steps = (
  [
    ['GET', inQuery],
    ['POST', inForm],
  ] as const
).map(([method, send]): Cell => {
  const url = '/admin/second-factor';
  const cell = sealCell('second step', `${method} ${url}`, 'step', goingOf, send(url, 'step'));
  return {
    ...cell,
    // Who has a second factor is asked for it.
    make: async (side) => {
      const { service, tenant, memberId } = side;
      const factor = { secret: Buffer.alloc(60), lastStep: 0, recoveryHashes: [], createdAt: 0 };
      await service.store.transaction((tx) =>
        saveSecondFactor(tx, { ...factor, memberId, tenantId: tenant.id }),
      );
      return side.host;
    },
  };
});

export const wayCells: readonly Cell[] = [...passkeys, ...steps];
