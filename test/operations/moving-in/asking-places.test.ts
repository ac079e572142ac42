import { expect, it } from 'vitest';
import { askedSystem } from '../../../src/core/import/limits.ts';
import { createAskingPlaces } from '../../../src/operations/moving-in/asking-places.ts';

it('LM13: three networks that fill the places of questions leave some for others, of each of their addresses', () => {
  const { enter } = createAskingPlaces();
  const under = (address: string) => enter('t', address) !== null;
  // Addresses of one network count as one, of IPv4 and of IPv6.
  const networks = [
    ['192.0.2.1', '192.0.2.77', '192.0.2.200'],
    ['2001:db8:1:2::/64', '2001:db8:1:3::/64', '2001:db8:1:ffff::/64'],
    ['198.51.100.1', '198.51.100.2', '198.51.100.3'],
  ];
  const entered = networks.map((addresses) => [...addresses, ...addresses].filter(under).length);
  expect(entered).toEqual([2, 2, 1]);
  const others = Array.from({ length: 9 }, (_, index) => `203.0.${index}.1`).filter(under);
  expect(others).toHaveLength(askedSystem.atOnce - 5);
  // Another tenant has places of its own.
  expect(enter('other', '192.0.2.1')).not.toBeNull();
});

it('a question that ends gives its place back', () => {
  const { enter } = createAskingPlaces();
  const leave = enter('t', '192.0.2.1');
  expect([enter('t', '192.0.2.2') !== null, enter('t', '192.0.2.3')]).toEqual([true, null]);
  leave?.();
  expect(enter('t', '192.0.2.3')).not.toBeNull();
});
