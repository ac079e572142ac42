/** The claims of a JWT, unverified. */
export function claimsOf(token: string): Record<string, unknown> {
  return partOf(token, 1);
}

/** The header of a JWT. */
export function headerOf(token: string): Record<string, unknown> {
  return partOf(token, 0);
}

function partOf(token: string, index: number): Record<string, unknown> {
  const text = Buffer.from(token.split('.')[index] ?? '', 'base64url').toString();
  return JSON.parse(text) as Record<string, unknown>;
}
