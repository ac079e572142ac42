import { expect } from 'vitest';
import { deviceCodeMachine } from '../../../../src/core/grants/device-code.ts';
import { askForCode, type DeviceAuthorization, poll } from '../../device.ts';
import type { Answer } from '../../http.ts';
import { field, type Tokens } from '../../visitor.ts';
import { endSignIn, useSession } from './moves.ts';
import { lineOf } from './table.ts';
import {
  addSignIn,
  forgottenAt,
  host,
  type ModelClient,
  type ModelDeviceCode,
  type ModelMember,
  nextPollOf,
  type World,
} from './world.ts';

const statusOf = ({ status }: Answer) => status;
export const errorOf = (answer: Answer) => (answer.status === 200 ? 'tokens' : String(answer.json().error));
export const appOf = ({ clientId, redirectUri }: ModelClient) => ({ clientId, redirectUri });

/** A TV asks for a code. */
export async function ask(world: World, client: ModelClient, scope: string): Promise<void> {
  const answer = await askForCode(world.service, host, appOf(client), { scope });
  if (client.isDisabled) {
    expect({ status: answer.status, error: errorOf(answer) }).toEqual({
      status: 401,
      error: 'invalid_client',
    });
    return;
  }
  expect(answer.status, answer.text).toBe(200);
  const { device_code: deviceCode, user_code: userCode, ...rest } = answer.json<DeviceAuthorization>();
  expect(rest).toMatchObject({ expires_in: 900, interval: 5 });
  world.deviceCodes.push({
    client,
    deviceCode,
    userCode,
    scope,
    state: 'pending',
    interval: 5_000,
    lastPolledAt: null,
    expiresAt: world.now + 900_000,
    member: null,
    session: null,
    signIn: null,
    given: 0,
    verdict: null,
  });
}

/** A member types a code: the approve page, what they decided on it before, the entry with a problem, or the sign-in. */
export async function enter(world: World, member: ModelMember, code: ModelDeviceCode): Promise<void> {
  const { now } = world;
  const session = useSession(world, member);
  const page = await member.phone.open(code.userCode);
  if (session === null) {
    expect(page.headers.location).toMatch(/^\/sign-in\?flow=/);
    return;
  }
  const isOpen = code.state === 'pending' && now < code.expiresAt && !code.client.isDisabled;
  const isOwn = code.member === member && now < forgottenAt(code);
  expect(statusOf(page), page.text).toBe(isOpen ? 200 : isOwn ? 303 : 422);
  if (isOwn) expect(page.headers.location).toMatch(/^\/device\/(?:approved|rejected)\?/);
  if (isOpen) member.entered.push({ code, session, confirm: field(page, 'confirm') });
  else if (!isOwn) member.wrongCodes += 1;
}

/** A member presses a button of an approve page, as often and as late as they like. */
export async function decide(
  world: World,
  member: ModelMember,
  entered: ModelMember['entered'][number],
  verdict: 'approve' | 'reject',
): Promise<void> {
  const { code, confirm } = entered;
  const { now } = world;
  const session = useSession(world, member);
  const answer = await member.phone.send('/device/approve', { body: { confirm, verdict } });
  if (session === null) {
    expect(answer.headers.location).toMatch(/^\/sign-in\?flow=/);
    return;
  }
  if (session !== entered.session) {
    member.wrongCodes += 1;
    expect(statusOf(answer)).toBe(403);
    return;
  }
  if (code.state !== 'used' && now >= forgottenAt(code)) {
    expect(statusOf(answer)).toBe(422);
    return;
  }
  const { next, outcome } = lineOf(deviceCodeMachine, code.state, verdict, {
    'fifteen minutes are over': now >= code.expiresAt,
    'by the same member': code.member === member,
  });
  const isDecided = next !== code.state && outcome !== 'answerNotValid';
  code.state = next;
  if (isDecided) Object.assign(code, { member, session, verdict });
  const ends: Readonly<Record<string, string>> = {
    answerApproved: '/device/approved',
    answerRejected: '/device/rejected',
  };
  const end = ends[outcome];
  expect({ status: statusOf(answer), location: answer.headers.location?.split('?')[0] }).toEqual(
    end === undefined ? { status: 422, location: undefined } : { status: 303, location: end },
  );
}

const answers: Readonly<Record<string, string>> = {
  answerPending: 'authorization_pending',
  answerSlowDown: 'slow_down',
  answerExpired: 'expired_token',
  answerDenied: 'access_denied',
  answerInactive: 'access_denied',
  answerWithdrawn: 'invalid_grant',
  endSignIn: 'invalid_grant',
  issueTokens: 'tokens',
};

/** What a poll must be told; everything but the tokens' own values is moved on. */
function expected(world: World, code: ModelDeviceCode, by: ModelClient): string {
  const { now } = world;
  if (by.isDisabled) return 'invalid_client';
  if (by !== code.client || (code.state !== 'used' && now >= forgottenAt(code))) return 'invalid_grant';
  const { next, outcome } = lineOf(deviceCodeMachine, code.state, 'poll', {
    'fifteen minutes are over': now >= code.expiresAt,
    'the interval is not up': now < nextPollOf(code),
    'the member may no longer sign in': code.member?.isActive !== true,
  });
  code.state = next;
  if (outcome === 'answerSlowDown') code.interval += 5_000;
  if (outcome === 'answerSlowDown' || outcome === 'answerPending') code.lastPolledAt = now;
  if (outcome === 'endSignIn' && code.signIn !== null) endSignIn(code.signIn, 'device_code_reused');
  return answers[outcome] ?? 'nothing';
}

/** A TV polls, or several that hold the code do at once. */
export async function pollAtOnce(
  world: World,
  code: ModelDeviceCode,
  by: ModelClient,
  count: number,
): Promise<void> {
  const got = await Promise.all(
    Array.from({ length: count }, () => poll(world.service, host, code.deviceCode, appOf(by))),
  );
  const tokens = got.find(({ status }) => status === 200)?.json<Tokens & Record<string, unknown>>();
  const wanted = got.map(() => {
    const answer = expected(world, code, by);
    const { client, member, session, scope } = code;
    if (answer === 'tokens' && tokens !== undefined && member !== null && session !== null) {
      code.signIn = addSignIn(world, { client, member, session, scope }, tokens);
    }
    return answer;
  });
  expect(got.map(errorOf).sort()).toEqual(wanted.sort());
  code.given += got.filter(({ status }) => status === 200).length;
}
