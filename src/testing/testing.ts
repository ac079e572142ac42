// `memberdoor/testing`: a development service for the tests of other projects, and what they do with it.
import { developmentClients } from '../operations/development/clients.ts';
import { developmentPassword } from '../operations/development/members.ts';
import { askJson } from './ask.ts';
import type {
  ClientOptions,
  Door,
  DoorClock,
  DoorOptions,
  DoorTenant,
  Mail,
  MemberOptions,
  StartMemberdoor,
  StorageState,
  TenantOptions,
  TokenRequest,
  Tokens,
} from './door.ts';
import { type Ready, startProcess } from './process.ts';
import { type KnownClient, signInAt, signInBrowser } from './tokens.ts';

export type * from './door.ts';

/** How often another port is tried, where another program took the one that was free a moment ago. */
const portsTried = 3;

export const startMemberdoor: StartMemberdoor = async (options = {}) => {
  const { words, input, clients, hosts } = beginningOf(options);
  const { stop, port, tenants: told } = await startAnew(words, input, portsTried);
  try {
    const place = ({ issuer }: { readonly issuer: string }) => hosts.indexOf(new URL(issuer).hostname);
    const inOrder = told.toSorted((one, other) => place(one) - place(other));
    const tenants = inOrder.map((tenant, index) => tenantAt(tenant, clients[index] ?? []));
    const [first] = tenants;
    if (first === undefined) throw new Error('memberdoor: a door needs a tenant');
    const clock = clockAt(first.issuer);
    const setClock = () => begin(first.issuer, options.clock);
    await setClock();
    const door: Door = {
      ...first,
      port,
      tenants,
      clock,
      tenant(name) {
        const found = tenants.find((tenant) => tenant.name === name);
        if (found === undefined) throw new Error(`memberdoor: there is no tenant "${name}"`);
        return found;
      },
      async reset() {
        await askJson(`${first.issuer}/rehearsal/reset`, {});
        await setClock();
      },
      stop,
      [Symbol.asyncDispose]: stop,
    };
    return door;
  } catch (error) {
    await stop();
    throw error;
  }
};

async function startAnew(words: readonly string[], input: string | null, tries: number) {
  try {
    return await startProcess(words, input);
  } catch (error) {
    if (tries <= 1 || !/The port \d+ is in use/.test(String(error))) throw error;
    return startAnew(words, input, tries - 1);
  }
}

/** The words of the command, what it reads, and the clients of each tenant as far as they are known. */
function beginningOf({ tenants, members = [] }: DoorOptions): {
  readonly words: readonly string[];
  readonly input: string | null;
  readonly clients: readonly (readonly KnownClient[])[];
  /** Where they live, in their order; empty where that is not known. */
  readonly hosts: readonly string[];
} {
  if (typeof tenants === 'string') {
    if (members.length > 0) throw new Error('memberdoor: members of a tenant file stand in the file');
    return { words: ['--file', tenants], input: null, clients: [], hosts: [] };
  }
  const given = tenants ?? (members.length === 0 ? [] : [{ issuer: 'http://localhost', name: 'Acme' }]);
  const examples = ['--examples', 'first'];
  if (given.length === 0) return { words: examples, input: null, clients: [developmentClients], hosts: [] };
  const file = given.map((tenant, index) => tenantOf(tenant, index, index === 0 ? members : []));
  return {
    words: [...(tenants === undefined ? examples : []), '--file', '-'],
    // In lines, so that what is wrong is found by its line.
    input: JSON.stringify({ tenants: file }, null, 2),
    clients: tenants === undefined ? [developmentClients] : given.map(({ clients = [] }) => clients),
    hosts: file.map(({ issuer }) => (URL.canParse(issuer) ? new URL(issuer).hostname : '')),
  };
}

/** A tenant as a tenant file has it. */
function tenantOf(
  { clients, members, ...more }: TenantOptions,
  index: number,
  others: readonly (MemberOptions | string)[],
): TenantOptions & { readonly issuer: string } {
  const all = [...(members ?? []), ...others];
  const { issuer = `http://${['localhost', '127.0.0.1'][index] ?? `tenant-${index + 1}.localhost`}` } = more;
  return {
    name: `Tenant ${index + 1}`,
    development: true,
    ...more,
    issuer,
    ...(clients === undefined ? {} : { clients: clients.map(clientOf) }),
    ...(all.length === 0 ? {} : { members: all.map(memberOf) }),
  };
}

const clientOf = (client: ClientOptions): ClientOptions => ({
  name: client.clientId,
  type: client.secret === undefined ? 'public' : 'confidential',
  ...client,
});

function memberOf(member: MemberOptions | string): MemberOptions {
  const given = typeof member === 'string' ? { email: member } : member;
  return {
    fullName: given.email.replace(/@.*/, ''),
    emailVerified: true,
    password: developmentPassword,
    ...given,
  };
}

function begin(issuer: string, clock: DoorOptions['clock']): Promise<unknown> {
  if (clock === undefined) return Promise.resolve();
  if (clock === 'frozen') return move(issuer, { freeze: true });
  const { to, ...more } = clock instanceof Date ? { to: clock } : clock;
  return move(issuer, { ...more, ...(to === undefined ? {} : { to: isoOf(to) }) });
}

const isoOf = (time: Date | string) => new Date(time).toISOString();

async function move(issuer: string, body?: object): Promise<Date> {
  const { json } = await askJson(`${issuer}/rehearsal/clock`, body);
  return new Date((json as { readonly now: string }).now);
}

const clockAt = (issuer: string): DoorClock => ({
  now: () => move(issuer),
  freeze: (to) => move(issuer, { ...(to === undefined ? {} : { to: isoOf(to) }), freeze: true }),
  unfreeze: () => move(issuer, { freeze: false }),
  advance: (by) => move(issuer, { advance: by }),
  reset: () => move(issuer, { reset: true }),
});

function tenantAt({ name, issuer }: Ready['tenants'][number], clients: readonly KnownClient[]): DoorTenant {
  const room = async (path: string, body?: object) =>
    (await askJson(`${issuer}/rehearsal${path}`, body)).json;
  const decide = async (answer: string, userCode: string, member?: string) => {
    await room('/device', { user_code: userCode, answer, ...(member === undefined ? {} : { member }) });
  };
  function signIn(member: string): Promise<StorageState>;
  function signIn(member: string, tokens: TokenRequest): Promise<Tokens>;
  function signIn(member: string, tokens?: TokenRequest): Promise<StorageState | Tokens> {
    if (tokens === undefined) return signInBrowser(issuer, member);
    const known = clients.find(({ clientId }) => clientId === tokens.client);
    return signInAt(issuer, member, tokens, known ?? { clientId: tokens.client });
  }
  return {
    name,
    issuer,
    signIn,
    approve: (userCode, member) => decide('approve', userCode, member),
    reject: (userCode, member) => decide('reject', userCode, member),
    expire: (userCode) => decide('expire', userCode),
    mails: async (to = '') => {
      const query = to === '' ? '' : `?${new URLSearchParams({ to })}`;
      return ((await room(`/mails${query}`)) as { readonly mails: readonly Mail[] }).mails;
    },
    fault: async (fault) => {
      await room('/faults', fault);
    },
    rehearsal: room,
  };
}
