import { describe, expect, it } from 'vitest';
import { defineContentChannel } from '../../../src/operations/access/content-channel.ts';
import { addProduct } from '../../../src/operations/access/package.ts';
import { listContentChannels } from '../../../src/storage/access/content-channel.ts';
import { problemsOf } from '../../support/expected/refusals.ts';
import { channelRecord } from '../../support/records/access-records.ts';
import { storeWithMember } from '../../support/records/store.ts';

async function storeWithProducts() {
  const store = await storeWithMember();
  const [film, news] = await store.transaction(
    async (tx) =>
      [await addProduct(tx, 'tenant-a', 'Film'), await addProduct(tx, 'tenant-b', 'News')] as const,
  );
  return { store, film, news };
}

describe('a content channel', () => {
  it('is defined, and changed by defining it again; that of another tenant stays', async () => {
    const { store, film, news } = await storeWithProducts();
    const foreign = channelRecord({ tenantId: 'tenant-b', productIds: [news] });
    const changed = channelRecord({ name: 'Live', description: '', productIds: [] });
    await store.transaction(async (tx) => {
      await defineContentChannel(tx, channelRecord({ productIds: [film] }));
      await defineContentChannel(tx, foreign);
      await defineContentChannel(tx, changed);
    });
    const found = await store.transaction(async (tx) => [
      await listContentChannels(tx, 'tenant-a'),
      await listContentChannels(tx, 'tenant-b'),
    ]);
    expect(found).toEqual([[changed], [foreign]]);
  });

  it('is refused for all its problems at once, with products unknown or of another tenant', async () => {
    const { store, film, news } = await storeWithProducts();
    const wrong = channelRecord({
      id: 'Sport Live',
      name: ' ',
      description: 'x'.repeat(1_001),
      productIds: [film, news, 999],
    });
    expect(await problemsOf(store, (tx) => defineContentChannel(tx, wrong))).toEqual([
      'id must be 1 to 64 small letters, digits and hyphens in between',
      'name is missing',
      'description has more than 1000 characters',
      `there is no product ${news}`,
      'there is no product 999',
    ]);
  });

  it('is not changed where the change is refused', async () => {
    const { store, film, news } = await storeWithProducts();
    await store.transaction((tx) => defineContentChannel(tx, channelRecord({ productIds: [film] })));
    const wrong = channelRecord({ name: 'Changed', productIds: [news] });
    expect(await problemsOf(store, (tx) => defineContentChannel(tx, wrong))).toEqual([
      `there is no product ${news}`,
    ]);
  });
});
