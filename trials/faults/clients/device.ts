import { codesFor, newPhone, type Phone, phoneOf, poll } from '../../../test/support/device.ts';
import type { Tokens } from '../../../test/support/visitor.ts';
import { anyUnder, type Served } from '../site.ts';
import { email, expectStatus, type LedgerClient } from './client.ts';

type Stage = 'issued' | 'deciding' | 'approved' | 'rejected' | 'polling' | 'used';

interface Television {
  readonly deviceCode: string;
  stage: Stage;
  token: string;
}

const tv = { clientId: 'tv' };

/** What a poll after the restart may be answered, by how far the code had come. */
const expected: Readonly<Record<Stage, readonly string[]>> = {
  issued: ['authorization_pending'],
  deciding: ['authorization_pending', 'tokens', 'access_denied'],
  approved: ['tokens'],
  rejected: ['access_denied'],
  polling: ['tokens', 'invalid_grant'],
  used: ['invalid_grant'],
};

/** Approves TVs on a phone, rejects some, and polls. */
export function deviceClient(name: string, member = email): LedgerClient {
  let phone: Phone | null = null;
  let televisions: Television[] = [];

  const wordOf = async ({ service, host }: Served, { deviceCode }: Television) => {
    const answer = await poll(service, host, deviceCode, tv);
    return answer.status === 200 ? 'tokens' : String(answer.json().error);
  };
  const refreshes = async ({ service, host }: Served, { token }: Television) => {
    const body = { grant_type: 'refresh_token', client_id: tv.clientId, refresh_token: token };
    return (await service.http(host, '/api/oidc/token', { body })).status === 200;
  };

  const checkOne = async (site: Served, television: Television): Promise<readonly string[]> => {
    const { stage } = television;
    // A used code is sent again by half of them: the others see that their tokens work.
    if (stage === 'used' && anyUnder(2) === 0) {
      return (await refreshes(site, television)) ? [] : ['the tokens of an approved TV do not work'];
    }
    const word = await wordOf(site, television);
    if (!expected[stage].includes(word)) return [`a device code that was ${stage} was answered by ${word}`];
    if (stage === 'used' && (await refreshes(site, television))) {
      return ['a device code sent twice did not end its sign-in'];
    }
    const isTwice = word === 'tokens' && (await wordOf(site, television)) !== 'invalid_grant';
    return isTwice ? ['a device code gave tokens twice'] : [];
  };

  return {
    name,
    act: async ({ service, host }, ledger) => {
      phone ??= await phoneOf(service, host, member);
      const isRejected = anyUnder(4) === 0;
      ledger.intent('device code');
      const codes = await codesFor(service, host, tv);
      const television: Television = { deviceCode: codes.device_code, stage: 'issued', token: '' };
      televisions.push(television);
      ledger.ack('device code');
      if (anyUnder(5) === 0) return;
      const page = await phone.open(codes.user_code);
      ledger.intent(isRejected ? 'reject' : 'approve');
      television.stage = 'deciding';
      expectStatus(await phone.press(page, isRejected ? 'reject' : 'approve'), 303, 'a verdict');
      television.stage = isRejected ? 'rejected' : 'approved';
      ledger.ack(television.stage);
      if (isRejected || anyUnder(4) === 0) return;
      ledger.intent('poll');
      television.stage = 'polling';
      const answer = expectStatus(await poll(service, host, codes.device_code, tv), 200, 'a poll');
      television.token = String(answer.json<Tokens & Record<string, unknown>>().refresh_token);
      television.stage = 'used';
      ledger.ack('tokens');
    },
    check: async (site) => {
      const some = televisions.slice(-20);
      televisions = [];
      if (phone !== null) {
        const known = newPhone(site.service, site.host);
        for (const [cookie, value] of phone.cookies) known.cookies.set(cookie, value);
        phone = known;
      }
      const problems = [];
      for (const television of some) problems.push(...(await checkOne(site, television)));
      return problems;
    },
  };
}
