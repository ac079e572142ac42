import { expect } from 'vitest';
import { openPhone, type Phone } from './phone.ts';
import { type Site, startSite } from './site.ts';
import { type DeviceAuthorization, type Polling, type Television, television } from './television.ts';

/** A TV, a signed-in member with a phone in front of it, and time that the test moves. */
export interface LivingRoom {
  readonly site: Site;
  readonly tv: Television;
  readonly phone: Phone;
  /** A phone without a session. */
  newPhone(): Promise<Phone>;
  newCode(more?: Readonly<Record<string, string>>): Promise<DeviceAuthorization>;
  /** Scans the QR code and approves, when called. */
  approve(code: DeviceAuthorization): () => Promise<void>;
  /** A wait that takes no time but moves the service's clock; during the nth, the nth thing happens. */
  waiting(...meanwhile: readonly (() => unknown)[]): (seconds: number) => Promise<void>;
  /** The tokens that a polling or a refresh ended with. */
  tokensOf(polling: Pick<Polling, 'last'>): DeviceTokens;
  /** Device codes and tokens of the run: what no log line, address or page may show. */
  readonly secrets: Set<string>;
  readonly phones: readonly Phone[];
  stop(): Promise<void>;
}

export interface DeviceTokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
  readonly scope: string;
}

export async function startLivingRoom(): Promise<LivingRoom> {
  const site = await startSite();
  // openid-client reads the time of tokens by its own clock.
  site.service.clock.set(Date.now());
  const secrets = new Set<string>();
  const phones: Phone[] = [];
  const newPhone = async () => {
    const opened = await openPhone(site.browser);
    phones.push(opened);
    return opened;
  };
  const [tv, phone] = [await television(site.issuer), await newPhone()];
  await phone.open(`${site.issuer}/account`);
  await phone.signIn('ida@example.com');
  return {
    site,
    tv,
    phone,
    newPhone,
    newCode: async (more = {}) => {
      const code = await tv.requestCode({ device_name: 'Living room', device_model: 'Telly 9', ...more });
      secrets.add(code.device_code);
      return code;
    },
    approve: (code) => async () => {
      await phone.open(code.verification_uri_complete);
      await phone.tap('Approve');
    },
    waiting: (...meanwhile) => {
      const left = [...meanwhile];
      return async (seconds) => {
        site.service.clock.advance(seconds * 1_000);
        await left.shift()?.();
      };
    },
    tokensOf: ({ last }) => {
      const tokens = last as unknown as DeviceTokens;
      const given = [tokens.access_token, tokens.refresh_token, tokens.id_token];
      for (const token of given) if (token !== undefined) secrets.add(token);
      return tokens;
    },
    secrets,
    phones,
    stop: () => site.stop(),
  };
}

/** Looks through every log line, address and page of the run for its device codes and tokens. */
export async function expectNothingShown({ site, phones, secrets }: LivingRoom): Promise<void> {
  const { logLines } = site.service;
  const addresses = phones.flatMap(({ view }) => view.requests);
  const pages = (await Promise.all(phones.map((phone) => phone.pages()))).flat();
  const everything = [...logLines, ...addresses, ...pages];
  expect([...secrets].filter((secret) => everything.some((text) => text.includes(secret)))).toEqual([]);
  // What was looked through would show them: the user codes are there, but for the log.
  expect(logLines.length).toBeGreaterThan(20);
  expect(addresses.some((text) => text.includes('user_code='))).toBe(true);
  expect(pages.some((text) => /<strong[^>]*>\d{3} \d{3}</.test(text))).toBe(true);
  expect(logLines.filter((line) => /user_code|\b\d{3}(?: |%20)\d{3}\b/.test(line))).toEqual([]);
}
