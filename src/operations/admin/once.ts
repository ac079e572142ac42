// Calls that are made once however often they come: their key has their answer for a day (Idempotency-Key).
import { sha256 } from '../../core/hash.ts';
import { idempotency } from '../../core/operators/limits.ts';
import type { Actor } from '../../core/operators/permission.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { CallsUnderWay } from '../../storage/memory/calls-under-way.ts';
import { keepAnswer, takeKey } from '../../storage/operators/call-once.ts';
import type { Tx } from '../../storage/store.ts';
import { nameOf, type Operation } from './operation.ts';

/** A key came again: with another body, or before its first call was done. */
export class KeyRefused extends Error {
  override readonly name = 'KeyRefused';
  readonly kind: 'in_use' | 'reused';

  constructor(kind: KeyRefused['kind']) {
    super(kind);
    this.kind = kind;
  }
}

/** A call with a key. */
export interface Keyed {
  readonly operation: Operation;
  readonly actor: Actor;
  readonly input: Readonly<Record<string, unknown>>;
  readonly key: string;
  /** The tenant that the input names, by host or id; null where it names none. */
  readonly tenantId: string | null;
}

/** Whether an operation heeds keys: what only reads may be sent again, and so may what sets something as it is said. */
export const heedsKeys = ({ method, acts, mediaType }: Operation): boolean =>
  method === 'POST' && acts && mediaType === undefined;

/** A key is its caller's, on one tenant and for one operation: with another of these it is another key. */
function idOf({ operation, actor, tenantId, key }: Keyed): string {
  return sha256(JSON.stringify([ownerOf(actor), tenantId, operation.name, key]));
}

function ownerOf(actor: Actor): string {
  switch (actor.kind) {
    case 'token':
      return `token ${actor.tokenId}`;
    case 'client':
      return `client ${actor.tenantId} ${actor.clientId}`;
    case 'admin':
      return `admin ${actor.memberId}`;
    case 'operator':
      return 'operator';
  }
}

/** Does something unless a call of the same key is under way. @throws KeyRefused */
export async function aloneWithKey<Value>(
  keyed: Keyed,
  underWay: CallsUnderWay | undefined,
  work: () => Promise<Value>,
): Promise<Value> {
  const id = idOf(keyed);
  if ((await underWay?.begin(id)) === false) throw new KeyRefused('in_use');
  try {
    return await work();
  } finally {
    await underWay?.end(id);
  }
}

/** What is kept: an answer may hold a new secret, and a body a password, so both are sealed. */
interface Kept {
  readonly input: string;
  readonly answer: object;
}

/**
 * Does something once, in its transaction; a call that comes again with its key gets the answer of the first.
 *
 * @throws KeyRefused where the key came with another input before
 */
export async function onceWithKey(
  tx: Tx,
  keyed: Keyed,
  { vault, now }: { readonly vault: Vault; readonly now: number },
  work: () => Promise<object>,
): Promise<object> {
  const id = idOf(keyed);
  const owner = keyed.tenantId ?? '';
  // Two names of one tenant, its id and its host, make the same key.
  const { tenant: _named, ...rest } = keyed.input;
  const input = sha256(inOrder(rest));
  const sealed = await takeKey(tx, { id, owner, createdAt: now }, now - idempotency.memory);
  if (sealed !== null) {
    const kept = JSON.parse(vault.decrypt(sealed, owner).toString()) as Kept;
    if (kept.input !== input) throw new KeyRefused('reused');
    return kept.answer;
  }
  const answer = await work();
  const kept = { input, answer } satisfies Kept;
  const memberId = memberIn(keyed, answer);
  await keepAnswer(tx, id, { answer: vault.encrypt(Buffer.from(JSON.stringify(kept)), owner), memberId });
  return answer;
}

/** Whose personal data an answer may hold: it is forgotten with the member. */
function memberIn({ operation, input }: Keyed, answer: object): string | null {
  const { memberId, id } = { ...input, ...answer } as { readonly memberId?: unknown; readonly id?: unknown };
  const found = nameOf(operation).noun === 'members' ? (id ?? memberId) : memberId;
  return typeof found === 'string' ? found : null;
}

/** JSON with the names of each object in one order. */
const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
