// Says where on its level each thing of a chart stands: near what it is joined to, and clear of what is beside it.

/** What stands on a level, from left to right. */
export interface Spread {
  readonly width: number;
  /** Where it would stand best (its middle), and how much that counts. */
  readonly wish: number;
  readonly weight: number;
}

interface Block {
  readonly sum: number;
  readonly weight: number;
  readonly count: number;
}

/**
 * The middles of things that keep their order and a gap, as near to their wishes as all together can be: the sum of the
 * squares of what each is away from its own is the least (isotonic regression, by pooling neighbours that would overlap).
 */
export function spread(things: readonly Spread[], gap: number): readonly number[] {
  const offsets: number[] = [];
  things.forEach(({ width }, at) => {
    const before = things[at - 1];
    offsets.push(before === undefined ? 0 : (offsets[at - 1] ?? 0) + (before.width + width) / 2 + gap);
  });
  const blocks: Block[] = [];
  things.forEach(({ wish, weight }, at) => {
    let block: Block = { sum: (wish - (offsets[at] ?? 0)) * weight, weight, count: 1 };
    for (;;) {
      const last = blocks.at(-1);
      if (last === undefined || last.sum / last.weight <= block.sum / block.weight) break;
      blocks.pop();
      block = {
        sum: last.sum + block.sum,
        weight: last.weight + block.weight,
        count: last.count + block.count,
      };
    }
    blocks.push(block);
  });
  const middles = blocks.flatMap(({ sum, weight, count }) => Array<number>(count).fill(sum / weight));
  return middles.map((middle, at) => middle + (offsets[at] ?? 0));
}
