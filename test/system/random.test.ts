import { describe, expect, it } from 'vitest';
import { systemRandom } from '../../src/system/random.ts';

const many = 5_000;
const times = <T>(make: () => T): T[] => Array.from({ length: many }, make);

describe('what is random', () => {
  it('secrets carry 256 bits, and none comes twice, however many are drawn (decision 31)', () => {
    const secrets = times(systemRandom.secret);
    expect(new Set(secrets).size).toBe(many);
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  });

  it('ids and secrets that are drawn in turns share no bytes', () => {
    const parts = times(() => [
      systemRandom.secret().slice(0, 20),
      Buffer.from(systemRandom.id(1).replaceAll('-', '').slice(20), 'hex').toString('base64url'),
    ]).flat();
    const seen = parts.flatMap((part) =>
      Array.from({ length: part.length - 7 }, (_, at) => part.slice(at, at + 8)),
    );
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('every byte of a secret takes every value about as often', () => {
    const counts = new Array<number>(256).fill(0);
    for (const secret of times(systemRandom.secret)) {
      for (const byte of Buffer.from(secret, 'base64url')) counts[byte] = (counts[byte] ?? 0) + 1;
    }
    const expected = (many * 32) / 256;
    const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // 255 degrees of freedom: beyond 400 once in a hundred million runs.
    expect(chiSquare).toBeLessThan(400);
  });

  it('ids are UUIDv7 of their time, and sort by it (RFC 9562 §5.7)', () => {
    const at = Date.UTC(2026, 0, 15);
    const id = systemRandom.id(at);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(at);
    expect(systemRandom.id(at + 1) > id).toBe(true);
  });
});
