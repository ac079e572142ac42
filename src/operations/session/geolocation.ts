// Looks up the place of an address in the operator's database of places.
import { isIP } from 'node:net';
import type { CityResponse, CountryResponse, Reader } from 'maxmind';
import { StartupError } from '../../system/startup-error.ts';

/** The place of an address in a language, such as "Oslo, Norge"; null if it is not known. */
export type PlaceOf = (ip: string, language: string) => string | null;

export const noPlaces: PlaceOf = () => null;

type Place = CityResponse & CountryResponse;

/**
 * Opens the operator's database of places (decision 34).
 *
 * @param path an MMDB file with cities or countries
 * @throws StartupError if it cannot be read
 */
export async function openPlaces(path: string): Promise<PlaceOf> {
  // A service without such a file needs no library for it.
  const { open } = await import('maxmind');
  let reader: Reader<Place>;
  try {
    reader = await open<Place>(path);
  } catch {
    throw new StartupError(`The file of places ${path} cannot be read as an MMDB database.`);
  }
  return (ip, language) => {
    const found = find(reader, ip);
    const parts = [found?.city?.names, found?.country?.names].map((names) => nameIn(names, language));
    const place = parts.filter((part) => part !== undefined).join(', ');
    return place === '' ? null : place;
  };
}

/** The entry of an address in the file. The reader takes every text for an address, so that is checked here. */
function find(reader: Reader<Place>, ip: string): Place | null {
  const address = ip.replace(/^::ffff:(?=\d+\.)/i, '');
  const version = isIP(address);
  // In a file of IPv4 alone, the first bits of an IPv6 address would be taken for another address.
  return version === 0 || version > reader.metadata.ipVersion ? null : reader.get(address);
}

function nameIn(names: object | undefined, language: string): string | undefined {
  const byLanguage = names as Record<string, string> | undefined;
  return byLanguage?.[language] ?? byLanguage?.en;
}
