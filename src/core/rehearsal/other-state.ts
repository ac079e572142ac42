/** Another value of `state`, as like the one that was sent as it can be. */

/**
 * One letter or digit is another one, the last, so that nothing but a comparison of all of it finds that. In JSON that is
 * so in each text but `action`, which says which page to begin with (contract, "GET /api/oidc/auth"): a client may compare
 * any of them.
 */
export function otherState(state: string): string {
  const object = objectIn(state);
  if (object === null) return withOtherEnd(state);
  const changed = JSON.stringify(withOtherTexts(object));
  return changed === JSON.stringify(object) ? withOtherEnd(state) : changed;
}

const withOtherTexts = (object: object) =>
  Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      name,
      name !== 'action' && typeof value === 'string' ? withOtherEnd(value) : value,
    ]),
  );

function withOtherEnd(text: string): string {
  const other = text.replace(/[A-Za-z0-9](?=[^A-Za-z0-9]*$)/, following);
  return other === text ? `${text}0` : other;
}

/** The next letter or digit of its kind, in a circle. */
function following(one: string): string {
  const kinds = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789'];
  const kind = kinds.find((letters) => letters.includes(one)) ?? '0';
  return kind[(kind.indexOf(one) + 1) % kind.length] ?? '0';
}

function objectIn(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
