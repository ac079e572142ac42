// The grants of the token endpoint: what each one takes, loads and decides.
import type { Client } from '../../../core/client.ts';
import { type Decision, isRefusal, type Refusal } from '../../../core/decision.ts';
import { exchange } from '../../../core/grants/authorization-code.ts';
import { grantService, type ServiceGrant } from '../../../core/grants/client-credentials.ts';
import { poll } from '../../../core/grants/device-poll.ts';
import { readRefreshToken, refresh } from '../../../core/grants/refresh-token.ts';
import type { Holder } from '../../../core/grants/reuse.ts';
import type { SignIn, SignInWrite } from '../../../core/grants/sign-in.ts';
import type { TokenGrant } from '../../../core/grants/tokens.ts';
import { sha256 } from '../../../core/hash.ts';
import { auditTextLength } from '../../../core/limits.ts';
import type { Member } from '../../../core/members/member.ts';
import { noTarget, type Target } from '../../../core/oidc/request/resource.ts';
import type { Write } from '../../../core/write.ts';
import { auditDeed } from '../../../operations/audit/audit.ts';
import { audiencesFor } from '../../../operations/client/audiences.ts';
import { roomForSignIn } from '../../../operations/sign-in/sign-in.ts';
import type { OpenTenant } from '../../../operations/tenant/open-tenants.ts';
import { findAuthorizationCode } from '../../../storage/grants/authorization-code.ts';
import { findSignIn, findSignInWithMember } from '../../../storage/grants/sign-in.ts';
import { findMember } from '../../../storage/members/member.ts';
import { mayChange } from '../../../storage/prepared.ts';
import type { TransactionKind, Tx } from '../../../storage/store.ts';
import type { Deps } from '../../deps.ts';
import { clientParameters } from '../client/client-assertion.ts';

/** The parameters that a token request may bring; others are ignored (RFC 6749 §3.2). */
export const tokenParameters = [
  'grant_type',
  ...clientParameters,
  'code',
  'code_verifier',
  'redirect_uri',
  'refresh_token',
  'scope',
  'device_code',
  'resource',
] as const;

type TokenFields = Partial<Record<(typeof tokenParameters)[number], string>>;

/** A token request of one grant, its client authenticated, with the value that the grant takes; empty if it takes none. */
interface GrantRequest {
  readonly tenant: OpenTenant;
  readonly client: Client;
  readonly value: string;
  readonly fields: TokenFields;
  /** Thumbprint of the key that the request proved to hold; null where it proved none. */
  readonly jkt: string | null;
  /** Where the request comes from: asked only where tokens may be given, since it takes hashes. */
  readonly holder: () => Holder;
  /**
   * What an earlier run of the same work saw: the code, so that the next run reads what is behind it in the same round
   * trip, and the time, since a poll that came too early did so however often the work runs.
   */
  readonly seen: { code: CodeMember | null; now: number | null };
}

/** Whose code it is, once a member has decided, and the sign-in that it began. */
interface CodeMember {
  readonly memberId: string | null;
  readonly signInId: string | null;
}

/** A grant: the parameter that it cannot be without, and what it loads and decides. The endpoint writes that, and signs or refuses. */
interface Grant {
  readonly takes?: keyof TokenFields;
  /** Where a tenant may lack it: whether a client has it there. */
  readonly isOn?: (tenant: OpenTenant) => boolean;
  readonly kind: TransactionKind;
  decide(
    tx: Tx,
    request: GrantRequest,
    deps: Deps,
  ): Promise<Decision<TokenGrant | ServiceGrant | Refusal, Write>>;
}

/** What a code leads to, in one round trip: its member, the sign-in that it began, and what makes room for another. */
async function behindCode(
  tx: Tx,
  client: Client,
  code: CodeMember | null,
  now: number,
): Promise<{ member: Member | null; begun: SignIn | null; room: readonly SignInWrite[] }> {
  if (code === null || code.memberId === null) return { member: null, begun: null, room: [] };
  const { tenantId } = client;
  const { memberId, signInId } = code;
  const [member, begun, room] = await Promise.all([
    findMember(tx, tenantId, memberId),
    signInId === null ? null : findSignIn(tx, tenantId, signInId),
    roomForSignIn(tx, client, memberId, now),
  ]);
  return { member, begun, room };
}

const isOfSame = (one: CodeMember | null, other: CodeMember | null): boolean =>
  (one?.memberId ?? null) === (other?.memberId ?? null) &&
  (one?.signInId ?? null) === (other?.signInId ?? null);

/** What a token request says of its audience, and the APIs that there are now; none passes for the member API. */
const targetOf = async (
  tx: Tx,
  tenant: OpenTenant,
  resource: string | undefined,
  granted: string | undefined,
  { config }: Deps,
): Promise<Target> => {
  const { own, apis } = await audiencesFor(tx, tenant, resource, granted);
  const others = apis.filter(({ identifier }) => identifier !== config.apiAudience);
  return { resource, audiences: { own, apis: others } };
};

/** Only a sign-in that begins needs room. */
const inRoom = (
  { answer, writes }: Decision<object, Write>,
  room: readonly SignInWrite[],
): readonly Write[] => (isRefusal(answer) ? writes : [...room, ...writes]);

/** grant_type=authorization_code (RFC 6749 §4.1.3, RFC 7636 §4.5; decisions 17 to 19). */
const authorizationCodeGrant: Grant = {
  takes: 'code',
  kind: 'transaction',
  async decide(tx, { client, value, fields, jkt, tenant, holder }, deps) {
    const { clock, random } = deps;
    const { code_verifier: codeVerifier, redirect_uri: redirectUri, resource } = fields;
    const now = clock();
    const code = await findAuthorizationCode(tx, tenant.id, sha256(value));
    const { member, begun, room } = await behindCode(tx, client, code, now);
    const target = await targetOf(tx, tenant, resource, code?.resources, deps);
    const signInId = random.id(now);
    const sent = { codeVerifier, redirectUri, jkt, target, holder: holder() };
    const decision = exchange(code, { client, member, begun, ...sent, now, signInId });
    return { ...decision, writes: inRoom(decision, room) };
  },
};

/** grant_type=refresh_token (RFC 6749 §6; decisions 24, 25, 28). */
const refreshTokenGrant: Grant = {
  takes: 'refresh_token',
  kind: 'transaction',
  async decide(tx, { client, value, fields, jkt, tenant, holder }, deps) {
    const token = readRefreshToken(tenant.tokenKey, value);
    const found = token === null ? null : await findSignInWithMember(tx, tenant.id, token.signInId);
    const { signIn = null, member = null } = found ?? {};
    const target = await targetOf(tx, tenant, fields.resource, signIn?.resources, deps);
    const now = deps.clock();
    const sent = { token, scope: fields.scope, jkt, target, holder: holder() };
    const isAnswerLost =
      signIn !== null && deps.lostAnswers.has({ signInId: signIn.id, generation: signIn.generation });
    return refresh(signIn, { client, member, ...sent, isAnswerLost, now });
  },
};

/** grant_type=urn:ietf:params:oauth:grant-type:device_code (RFC 8628 §3.4; decisions 20 to 23). */
const deviceCodeGrant: Grant = {
  takes: 'device_code',
  kind: 'lookUp',
  async decide(tx, { client, value, jkt, tenant, seen, fields, holder }, deps) {
    const { clock, random, pollPace } = deps;
    const now = seen.now ?? clock();
    seen.now = now;
    const [{ code, lastPolledAt }, expected] = await Promise.all([
      pollPace.find(tx, tenant.id, sha256(value)),
      behindCode(tx, client, seen.code, now),
    ]);
    const isExpected = isOfSame(code, seen.code);
    if (code !== null && code.memberId !== null) {
      seen.code = code;
      mayChange(tx);
    }
    const { member, begun, room } = isExpected ? expected : await behindCode(tx, client, code, now);
    // Most polls come before a member has decided, and begin nothing.
    const fresh = member === null ? { signInId: '' } : { signInId: random.id(now), holder: holder() };
    const target =
      member === null ? noTarget : await targetOf(tx, tenant, fields.resource, code?.resources, deps);
    const paced = { lastPolledAt: lastPolledAt(), now };
    const decision = poll(code, { client, member, jkt, begun, target, ...paced, ...fresh });
    if (code !== null && decision.answer.paced) pollPace.record(tx, code.id, now);
    return { ...decision, writes: inRoom(decision, room) };
  },
};

/** grant_type=client_credentials (RFC 6749 §4.4, RFC 8707; interop 60 and 61). */
const clientCredentialsGrant: Grant = {
  isOn: ({ clientCredentials }) => clientCredentials,
  kind: 'transaction',
  async decide(tx, { client, fields, jkt, tenant }, deps) {
    const target = await targetOf(tx, tenant, fields.resource, undefined, deps);
    const decision = grantService({ client, scope: fields.scope, target, jkt, now: deps.clock() });
    if (!isRefusal(decision.answer)) {
      const { api, scope } = decision.answer;
      const { clientId } = client;
      const reason = `${api?.identifier ?? deps.config.apiAudience}: ${scope}`.slice(0, auditTextLength);
      await auditDeed(tx, { event: 'service_token_issued', clientId, target: clientId, reason });
    }
    return decision;
  },
};

/** What a client may ask tokens with, by its grant_type. */
export const grants: Readonly<Record<string, Grant>> = {
  authorization_code: authorizationCodeGrant,
  client_credentials: clientCredentialsGrant,
  refresh_token: refreshTokenGrant,
  'urn:ietf:params:oauth:grant-type:device_code': deviceCodeGrant,
};
