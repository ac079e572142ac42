import { type CustomProperty, isPropertyKey } from '../../core/access/custom-property.ts';
import { insertCustomProperty, listCustomProperties } from '../../storage/access/custom-property.ts';
import type { Tx } from '../../storage/store.ts';
import { refuseIfAny } from '../invalid-facts.ts';

/**
 * Defines a key of customPropertyValues. Its type stays: values of it may be stored already.
 *
 * @throws InvalidFacts if the key cannot be one, or is defined with another type
 */
export async function defineCustomProperty(
  tx: Tx,
  tenantId: string,
  property: CustomProperty,
): Promise<void> {
  const { key, type } = property;
  refuseIfAny(isPropertyKey(key) ? [] : ['a key begins with a letter and has letters, digits, _ and -']);
  const known = (await listCustomProperties(tx, tenantId)).find((one) => one.key === key);
  if (known === undefined) return insertCustomProperty(tx, tenantId, property);
  refuseIfAny(known.type === type ? [] : [`the property ${key} is a ${known.type} already`]);
}
