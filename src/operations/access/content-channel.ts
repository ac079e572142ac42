import { type ContentChannel, isAccessId } from '../../core/access/content-channel.ts';
import { textProblems } from '../../core/access/package.ts';
import { saveContentChannel } from '../../storage/access/content-channel.ts';
import type { Tx } from '../../storage/store.ts';
import { refuseIfAny } from '../invalid-facts.ts';
import { unknownProducts } from './package.ts';

/**
 * Defines a content channel, or changes the one of that id.
 *
 * @throws InvalidFacts with every problem at once
 */
export async function defineContentChannel(tx: Tx, channel: ContentChannel): Promise<void> {
  refuseIfAny([
    ...accessTextProblems(channel),
    ...(await unknownProducts(tx, channel.tenantId, channel.productIds)),
  ]);
  await saveContentChannel(tx, channel);
}

/** What is wrong with the id, name and description of a channel or a consent. */
export function accessTextProblems({
  id,
  name,
  description,
}: Pick<ContentChannel, 'id' | 'name' | 'description'>): readonly string[] {
  return [
    ...(isAccessId(id) ? [] : ['the id is 1 to 64 small letters, digits and hyphens in between']),
    ...(name.trim() === '' ? ['a name is needed'] : []),
    ...textProblems({ name, description }),
  ];
}
