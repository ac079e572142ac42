import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPlaces } from '../../src/operations/session/geolocation.ts';
import { StartupError } from '../../src/system/startup-error.ts';
import { writeMmdb } from '../support/access/mmdb.ts';
import { codesFor, phoneOf, textOf } from '../support/device.ts';
import { hosts } from '../support/fixtures.ts';
import { temporaryFolder } from '../support/records/temporary-folder.ts';
import { serviceForTest } from '../support/use-service.ts';

const oslo = {
  city: { names: { en: 'Oslo', ar: 'أوسلو' } },
  country: { names: { en: 'Norway', nb: 'Norge', ar: 'النرويج' } },
};
const germany = { country: { names: { en: 'Germany', de: 'Deutschland' } } };

const networks = {
  '203.0.113.0/24': oslo,
  '198.51.100.128/25': germany,
  '192.0.2.1/32': { country: { iso_code: 'XX' } },
  '2001:db8:7::/48': oslo,
};

/** A file of places with this content. */
const fileOf = (content: Buffer | string) => {
  const path = join(temporaryFolder(), 'places.mmdb');
  writeFileSync(path, content);
  return path;
};
const places = (held = networks) => openPlaces(fileOf(writeMmdb(held)));

describe('the place of an address', () => {
  it('decision 34: it is the city and the country, in the language of the page', async () => {
    const placeOf = await places();
    expect(placeOf('203.0.113.7', 'en')).toBe('Oslo, Norway');
    expect(placeOf('203.0.113.255', 'ar')).toBe('أوسلو, النرويج');
  });

  it('decision 34: a name that is not known in the language is in English', async () => {
    const placeOf = await places();
    expect(placeOf('203.0.113.7', 'nb')).toBe('Oslo, Norge');
    expect(placeOf('203.0.113.7', 'fi')).toBe('Oslo, Norway');
  });

  it('decision 34: a file of countries gives the country alone', async () => {
    expect((await places())('198.51.100.200', 'de')).toBe('Deutschland');
  });

  it('decision 34: IPv6 addresses are known too, and IPv4 ones however they are mapped', async () => {
    const placeOf = await places();
    expect(placeOf('2001:db8:7::1', 'en')).toBe('Oslo, Norway');
    expect(placeOf('2001:db8:8::1', 'en')).toBeNull();
    expect(placeOf('::ffff:203.0.113.7', 'en')).toBe('Oslo, Norway');
  });

  it.each(['198.51.100.1', '127.0.0.1', '::1', '192.0.2.1', '192.0.2.2'])(
    'decision 34: of %s nothing is known, which is said by null',
    async (ip) => expect((await places())(ip, 'en')).toBeNull(),
  );

  it('decision 34: a file of IPv4 addresses says nothing of an IPv6 one', async () => {
    // Its first 32 bits are those of 32.1.13.184.
    const { '2001:db8:7::/48': _, ...ipv4 } = networks;
    const placeOf = await openPlaces(fileOf(writeMmdb({ ...ipv4, '32.1.13.184/32': oslo }, 4)));
    expect(placeOf('203.0.113.7', 'en')).toBe('Oslo, Norway');
    expect(placeOf('::ffff:203.0.113.7', 'en')).toBe('Oslo, Norway');
    expect(placeOf('2001:db8::1', 'en')).toBeNull();
  });

  it.each(['', 'a', 'unknown', '203.0.113', '203.0.113.7.1', '999.0.113.7', '203.0.113.7:80'])(
    'X9: "%s", which is no address, has no place',
    async (ip) => {
      const placeOf = await places({ ...networks, '0.0.0.0/1': germany } as typeof networks);
      expect(placeOf(ip, 'en')).toBeNull();
    },
  );
});

describe('a file that is none', () => {
  it.each([
    ['empty', ''],
    ['a text', 'no places here\n'.repeat(100)],
    ['cut off', writeMmdb(networks).subarray(0, -40)],
    ['packed', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])],
  ])('decision 34: one that is %s is said in one line, with its path', async (_what, content) => {
    const path = fileOf(content);
    const opening = openPlaces(path);
    await expect(opening).rejects.toThrow(StartupError);
    await expect(opening).rejects.toThrow(`The file of places ${path} cannot be read as an MMDB database.`);
  });

  it('decision 34: one that is missing is said likewise', async () => {
    await expect(openPlaces('/nowhere/places.mmdb')).rejects.toThrow(StartupError);
  });
});

describe('the approve page', () => {
  /** What it says of the device, if the request for the code came from this address. */
  const observed = async (
    address: string,
    language: string,
    placeOf?: Awaited<ReturnType<typeof places>>,
  ) => {
    const service = await serviceForTest({
      data: 'security',
      trustedProxies: ['127.0.0.1'],
      ...(placeOf === undefined ? {} : { placeOf }),
    });
    const { http } = service;
    const tv = {
      ...service,
      http: Object.assign(
        ((host, path, ask) =>
          http(host, path, {
            ...ask,
            headers: { ...ask?.headers, 'x-forwarded-for': address },
          })) as typeof http,
        { close: http.close },
      ),
    };
    const { user_code: userCode } = await codesFor(tv, hosts.a);
    const phone = await phoneOf(service, hosts.a);
    const page = await phone.send(`/device?user_code=${userCode.replace(' ', '')}&ui_locales=${language}`);
    return /What we see (.*?) Asked/.exec(textOf(page))?.[1];
  };

  it('decision 34: it shows the place of the TV, not of the phone, beside the address', async () => {
    expect(await observed('203.0.113.7', 'en', await places())).toBe(
      'Address 203.0.113.7 Place Oslo, Norway',
    );
  });

  it('decision 34: where the place is not known it shows the address alone', async () => {
    expect(await observed('198.51.100.1', 'en', await places())).toBe('Address 198.51.100.1');
  });

  it('decision 34: without a database it shows the address alone', async () => {
    expect(await observed('2001:db8:7::1', 'en')).toBe('Address 2001:db8:7::1');
  });
});
