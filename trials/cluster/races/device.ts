import { codesFor, newPhone, type Phone, phoneOf, poll } from '../../../test/support/device.ts';
import type { Served } from '../../faults/site.ts';
import { guessedHost, playerOf, racerOf } from '../site/tenants.ts';
import { type Race, wordsOf } from './race.ts';

const tv = { clientId: 'tv' };
/** More than the five that are looked at in 15 minutes (decision 32; U9). */
const guesses = 8;

/** The same phone, at another process. */
function phoneAt({ service }: Served, phone: Phone): Phone {
  const same = newPhone(service, phone.host);
  for (const [cookie, value] of phone.cookies) same.cookies.set(cookie, value);
  return same;
}

/** Two members, each with the page of one TV open: the one approves, the other rejects. */
export const approveAndReject: Race = {
  name: 'approve and reject',
  isOfEquals: false,
  begin: async ({ service, host }) => {
    const codes = await codesFor(service, host, tv);
    const verdicts = ['approve', 'reject'] as const;
    const parts = [];
    for (const [index, verdict] of verdicts.entries()) {
      const phone = await phoneOf(service, host, playerOf(index));
      const page = await phone.open(codes.user_code);
      parts.push(async (at: Served) => wordsOf(await phoneAt(at, phone).press(page, verdict)));
    }
    return {
      parts,
      after: async (at) => wordsOf(await poll(at.service, at.host, codes.device_code, tv)),
    };
  },
};

/** One member types wrong codes, all at once; then the right one is looked at or not. */
export const guessCodes: Race = {
  name: `${guesses} wrong user codes of one member`,
  isOfEquals: true,
  begin: async ({ service }, round) => {
    const phone = await phoneOf(service, guessedHost, racerOf('code', round));
    const { user_code: right } = await codesFor(service, guessedHost, tv);
    const wrong = (index: number) => {
      const digits = String((Number(right.replace(' ', '')) + 1 + index) % 1_000_000).padStart(6, '0');
      return `${digits.slice(0, 3)} ${digits.slice(3)}`;
    };
    return {
      parts: Array.from(
        { length: guesses },
        (_, index) => async (at: Served) => wordsOf(await phoneAt(at, phone).open(wrong(index))),
      ),
      after: async (at) => wordsOf(await phoneAt(at, phone).open(right)),
    };
  },
};
