// What providers say of themselves, and their keys, as they were fetched last.
import { providerDocuments as limits } from '../../core/providers/limits.ts';
import { type AgedMap, createAgedMap } from '../../storage/memory/aged-map.ts';

/** What is known of one provider. */
export interface ProviderDocument {
  /** Its discovery document, as JSON. */
  readonly text: string;
  /** ms */
  readonly fetchedAt: number;
  /** Its keys, as the library keeps them between its calls. */
  keys?: object;
}

/** Each process has its own. */
export interface ProviderDocuments {
  readonly known: AgedMap<ProviderDocument>;
  /** Those that are being fetched, so that many members at once make one call. */
  readonly underWay: Map<string, Promise<ProviderDocument>>;
}

export const createProviderDocuments = (): ProviderDocuments => ({
  known: createAgedMap(limits.most),
  underWay: new Map(),
});

/**
 * The discovery document at a place, fetched where it is not known or no longer fresh.
 *
 * @param fetchText what fetches it; it throws where it fails
 */
export async function documentAt(
  { known, underWay }: ProviderDocuments,
  place: string,
  now: number,
  fetchText: () => Promise<string>,
): Promise<ProviderDocument> {
  const before = known.get(place);
  if (before !== undefined && now >= before.fetchedAt && now < before.fetchedAt + limits.life) return before;
  let fetching = underWay.get(place);
  if (fetching === undefined) {
    fetching = fetchText()
      .then((text) => ({ text, fetchedAt: now }))
      .finally(() => underWay.delete(place));
    underWay.set(place, fetching);
  }
  const document = await fetching;
  known.set(place, document);
  return document;
}
