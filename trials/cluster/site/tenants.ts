// The tenants of a cluster, as a tenant file, with the clients and members that the ledger's clients know.
import { createPasswords } from '../../../src/secrets/password.ts';
import { developmentPassword } from '../../faults/clients/client.ts';

/** The tenant that everything is asked of. */
export const host = 'door.cluster.test';

/** One on which user codes are guessed: beyond so many wrong ones each entry of a tenant waits. */
export const guessedHost = 'guessed.cluster.test';

/** The members for races: each round takes a new one. */
const racers = ['password', 'code', 'recovery'] as const;
export type Racer = (typeof racers)[number];

export const racerOf = (kind: Racer, round: number) => `${kind}-${round}@example.com`;

/** How many clients of the ledger there are of a kind, and their members. */
export const playerCount = 3;
export const playerOf = (index: number) => `player-${index}@example.com`;

/** The cases with clients of the ledger. Each has a member who changes the password: the next case does not know it. */
const ledgerCases = ['ledger', 'kill', 'database', 'partition', 'upgrade'] as const;
export type LedgerCase = (typeof ledgerCases)[number];
export const changerOf = (name: LedgerCase) => `changer-${name}@example.com`;

/** The members who sign in while something is done to the service, one after the other. */
export const witness = 'witness@example.com';
export const asker = 'asker@example.com';

/** At whose accounts cases guess, one case after the other. */
export const guessedAt = Array.from({ length: 12 }, (_, index) => `guessed-${index}@example.com`);

/** No address is limited but where sign-ins fail: all comes from one machine. */
const limits = {
  pendingDeviceCodes: 5_000,
  deviceRequestsPerAddressAndMinute: null,
  deviceRequestsPerAddressAndHour: null,
  deviceRequestsPerClientAndMinute: null,
  failedGrantsPerClientAddressAndMinute: null,
};

const clients = [
  { clientId: 'spa', name: 'Page', type: 'public', redirectUris: ['http://localhost:9879/callback'] },
  { clientId: 'tv', name: 'TV', type: 'public', deviceFlow: true },
  {
    clientId: 'web',
    name: 'Web',
    type: 'public',
    redirectUris: ['https://web.cluster.test/callback'],
    postLogoutRedirectUris: ['https://web.cluster.test/'],
  },
];

/** @param racerCount how many there are of each kind */
export async function tenantFile(racerCount: number): Promise<object> {
  // One hash for all: hundreds of them would take minutes.
  const passwordHash = await createPasswords().hash(developmentPassword);
  const named = (email: string) => ({ email, fullName: 'Ada Nilsen', emailVerified: true, passwordHash });
  const racing = (kinds: readonly Racer[]) =>
    kinds.flatMap((kind) => Array.from({ length: racerCount }, (_, round) => named(racerOf(kind, round))));
  return {
    tenants: [
      {
        issuer: `https://${host}`,
        name: 'Door',
        limits,
        consents: [{ id: 'newsletter', name: 'Newsletter' }],
        clients,
        members: [
          ...['ada@example.com', 'bo@example.com', 'cy@example.com', ...ledgerCases.map(changerOf)].map(
            named,
          ),
          ...Array.from({ length: playerCount }, (_, index) => named(playerOf(index))),
          ...[witness, asker, ...guessedAt].map(named),
          ...racing(['password', 'recovery']),
        ],
      },
      {
        issuer: `https://${guessedHost}`,
        name: 'Guessed',
        limits,
        clients,
        members: [named('ada@example.com'), ...racing(['code'])],
      },
    ],
  };
}
