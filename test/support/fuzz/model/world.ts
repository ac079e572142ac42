import { sha256 } from '../../../../src/core/hash.ts';
import { type ClientRegistration, registerClient } from '../../../../src/operations/client/client.ts';
import { insertSession } from '../../../../src/storage/grants/session.ts';
import { insertMember } from '../../../../src/storage/members/member.ts';
import { systemRandom } from '../../../../src/system/random.ts';
import { newPhone, type Phone, tenantOf } from '../../device.ts';
import { memberOf } from '../../fixtures.ts';
import { day } from '../../records/records.ts';
import type { TestService } from '../../service.ts';
import { claimsOf } from '../../tokens.ts';
import type { Tokens } from '../../visitor.ts';

export const host = 'a.test';
export const password = 'the password of all of them';

/** A client of the model's own. */
export interface ModelClient {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly replayWindow: number;
  readonly idle: number;
  readonly absolute: number;
  isDisabled: boolean;
}

/** A browser session as the model knows it; times are ms. */
export interface ModelSession {
  readonly member: ModelMember;
  state: string;
  readonly createdAt: number;
  lastUsedAt: number;
}

/** A member with the one phone that they use. */
export interface ModelMember {
  readonly id: string;
  readonly email: string;
  readonly phone: Phone;
  password: string;
  isActive: boolean;
  /** The session whose cookie the phone holds. */
  session: ModelSession | null;
  /** User codes that did not work; five in a quarter of an hour are the most. */
  wrongCodes: number;
  /** Approve pages that the phone has open. */
  readonly entered: {
    readonly code: ModelDeviceCode;
    readonly session: ModelSession;
    readonly confirm: string;
  }[];
}

/** The family of tokens of one sign-in. */
export interface ModelSignIn {
  readonly client: ModelClient;
  readonly member: ModelMember;
  readonly session: ModelSession;
  readonly scope: string;
  state: string;
  endReason: string | null;
  generation: number;
  readonly createdAt: number;
  rotatedAt: number;
  /** Its refresh tokens, the first one first; none without offline_access. */
  readonly refreshTokens: string[];
  accessToken: string;
}

interface Exchangeable {
  readonly client: ModelClient;
  readonly expiresAt: number;
  state: string;
  signIn: ModelSignIn | null;
  /** How often it gave tokens, by the answers alone. */
  given: number;
}

export interface ModelDeviceCode extends Exchangeable {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly scope: string;
  interval: number;
  lastPolledAt: number | null;
  member: ModelMember | null;
  session: ModelSession | null;
  /** What was pressed first and taken, by the answers alone. */
  verdict: 'approve' | 'reject' | null;
}

export interface ModelCode extends Exchangeable {
  readonly code: string;
  readonly verifier: string;
  readonly scope: string;
  readonly member: ModelMember;
  readonly session: ModelSession;
}

/** Everything that there is, as the machines' tables say; lists in the order in which it began. */
export interface World {
  readonly service: TestService;
  now: number;
  readonly clients: readonly ModelClient[];
  readonly members: readonly ModelMember[];
  readonly sessions: ModelSession[];
  readonly deviceCodes: ModelDeviceCode[];
  readonly codes: ModelCode[];
  readonly signIns: ModelSignIn[];
}

let worlds = 0;

/** Two clients and two members whom nothing has happened to, each member signed in on a phone. */
export async function newWorld(service: TestService, passwordHash: string): Promise<World> {
  worlds += 1;
  const tenantId = tenantOf(service, host).id;
  const now = service.clock.now() + 1_000;
  const clients = [0, 1].map((index) => ({
    clientId: `model-${worlds}-${index}`,
    redirectUri: `https://model.test/${index}`,
    replayWindow: index * 30_000,
    idle: 2 * day,
    absolute: 5 * day,
    isDisabled: false,
  }));
  const world: World = {
    service,
    now,
    clients,
    members: [0, 1].map((index) => ({
      id: systemRandom.id(now),
      email: `model-${worlds}-${index}@example.test`,
      phone: newPhone(service, host),
      password,
      isActive: true,
      session: null,
      wrongCodes: 0,
      entered: [],
    })),
    sessions: [],
    deviceCodes: [],
    codes: [],
    signIns: [],
  };
  await service.store.transaction(async (tx) => {
    for (const { clientId, redirectUri, replayWindow, idle, absolute } of clients) {
      const registration: ClientRegistration = {
        clientId,
        name: clientId,
        type: 'public',
        redirectUris: [redirectUri],
        deviceFlow: true,
        replayWindow,
        refreshTokenIdle: idle,
        refreshTokenAbsolute: absolute,
      };
      await registerClient(tx, tenantId, registration, now);
    }
    for (const [index, { id, email }] of world.members.entries()) {
      const facts = memberOf(tenantId, email, 10_000 + 2 * worlds + index, now);
      await insertMember(tx, { ...facts, id }, passwordHash);
    }
  });
  for (const member of world.members) {
    await beginSession(world, member);
    // Rows are told apart by when they began.
    world.now += 1;
  }
  return world;
}

/** Signs a phone in without its password being hashed. */
async function beginSession(world: World, member: ModelMember): Promise<void> {
  const { service, now } = world;
  const secret = systemRandom.secret();
  await service.store.transaction(async (tx) =>
    insertSession(tx, {
      id: systemRandom.id(now),
      tenantId: tenantOf(service, host).id,
      memberId: member.id,
      kind: 'member',
      secretHash: sha256(secret),
      state: 'active',
      authenticatedAt: now,
      createdAt: now,
      lastUsedAt: now,
      userAgent: 'model',
      ipAddress: '127.0.0.1',
      amr: 'pwd',
      strongAt: null,
    }),
  );
  member.phone.cookies.set('__Host-memberdoor-session', secret);
  member.session = addSession(world, member);
}

export function addSession(world: World, member: ModelMember): ModelSession {
  const session = { member, state: 'active', createdAt: world.now, lastUsedAt: world.now };
  world.sessions.push(session);
  return session;
}

/** A sign-in that begins with these tokens. */
export function addSignIn(
  world: World,
  facts: Pick<ModelSignIn, 'client' | 'member' | 'session' | 'scope'>,
  tokens: Tokens,
): ModelSignIn {
  const signIn: ModelSignIn = {
    ...facts,
    state: 'active',
    endReason: null,
    generation: 1,
    createdAt: world.now,
    rotatedAt: world.now,
    refreshTokens: tokens.refresh_token === undefined ? [] : [tokens.refresh_token],
    accessToken: tokens.access_token,
  };
  world.signIns.push(signIn);
  return signIn;
}

/** The end of an access token, in ms. */
export const accessEndOf = ({ accessToken }: ModelSignIn) => Number(claimsOf(accessToken).exp) * 1_000;

export const livesUntil = ({ createdAt, rotatedAt, client }: ModelSignIn) =>
  Math.min(rotatedAt + client.idle, createdAt + client.absolute);

/** Idle for 14 days, 90 days in all (security, Defaults). */
export const sessionEndOf = ({ createdAt, lastUsedAt }: ModelSession) =>
  Math.min(lastUsedAt + 14 * day, createdAt + 90 * day);

/** When a pending code may be polled again, with the second of tolerance (decision 20). */
export const nextPollOf = ({ lastPolledAt, interval }: ModelDeviceCode) =>
  lastPolledAt === null ? 0 : lastPolledAt + interval - 1_000;

const quarter = 15 * 60_000;
export const forgottenAt = ({ expiresAt }: ModelDeviceCode) => expiresAt + quarter;

/**
 * Sets the clock for the next event: a second later, and never within a moment of a time at which something
 * ends, since a request reads the clock several times.
 */
export function tick(world: World): void {
  world.now += 1_000;
  const ends = [
    ...world.deviceCodes.flatMap((code) => [code.expiresAt, forgottenAt(code), nextPollOf(code)]),
    ...world.codes.map(({ expiresAt }) => expiresAt),
    ...world.sessions.flatMap((session) => [sessionEndOf(session), session.lastUsedAt + 3_600_000]),
    ...world.signIns.flatMap((signIn) => [
      livesUntil(signIn),
      accessEndOf(signIn),
      signIn.rotatedAt + signIn.client.replayWindow,
    ]),
  ];
  while (ends.some((end) => Math.abs(end - world.now) < 300)) world.now += 400;
  world.service.clock.set(world.now);
}
