// Defines content channels.
import { type ContentChannel, isAccessId } from '../../core/access/content-channel.ts';
import { textProblems } from '../../core/access/package.ts';
import { type Problem, problem } from '../../core/problem.ts';
import { saveContentChannel } from '../../storage/access/content-channel.ts';
import type { Tx } from '../../storage/store.ts';
import { refuseIfAny } from '../refusal.ts';
import { unknownProducts } from './package.ts';

/** Defines a content channel, or changes the one of that id. @throws OperationRefused with every problem at once */
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
}: Pick<ContentChannel, 'id' | 'name' | 'description'>): readonly Problem[] {
  return [
    ...(isAccessId(id) ? [] : [problem('id', 'not_an_access_id')]),
    ...(name.trim() === '' ? [problem('name', 'missing')] : []),
    ...textProblems({ name, description }),
  ];
}
