// Defines the custom properties of subscriptions.
import { type CustomProperty, isPropertyKey } from '../../core/access/custom-property.ts';
import { problem } from '../../core/problem.ts';
import { insertCustomProperty, listCustomProperties } from '../../storage/access/custom-property.ts';
import type { Tx } from '../../storage/store.ts';
import { refuseIfAny } from '../refusal.ts';

/**
 * Defines a key of customPropertyValues. Its type stays: values of it may be stored already.
 *
 * @throws OperationRefused if the key cannot be one, or is defined with another type
 */
export async function defineCustomProperty(
  tx: Tx,
  tenantId: string,
  property: CustomProperty,
): Promise<void> {
  const { key, type } = property;
  refuseIfAny(isPropertyKey(key) ? [] : [problem('key', 'not_a_property_key')]);
  const known = (await listCustomProperties(tx, tenantId)).find((one) => one.key === key);
  if (known === undefined) return insertCustomProperty(tx, tenantId, property);
  refuseIfAny(known.type === type ? [] : [problem('type', 'property_type_fixed', { key, type: known.type })]);
}
