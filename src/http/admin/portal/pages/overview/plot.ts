// Draws figures as SVG paths: they need no script, and take the size and the colours of where they stand.

/** How large the drawings are in their own units; pages stretch them. */
export const lineBox = { width: 200, height: 48 } as const;
export const areaBox = { width: 600, height: 160 } as const;

/** Space above and below a line. */
const margin = 6;

/**
 * What a line shows at least: this many, so that one subscription less of eight does not look like the end of all, and this
 * part of the highest value, so that a few percent of many can be seen.
 */
const leastShown = { number: 10, part: 0.08, most: 0.5 } as const;

/** The path of a line through values: from the bottom to the top, or about the middle where they hardly differ. */
export function linePath(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const calm = Math.min(most * leastShown.most, Math.max(most * leastShown.part, leastShown.number));
  const shown = Math.max(most - least, calm) || 1;
  const begin = most === 0 ? 0 : (least + most - shown) / 2;
  const height = lineBox.height - 2 * margin;
  const y = (value: number) => lineBox.height - margin - ((value - begin) / shown) * height;
  return `M${values.map((value, index) => `${x(index, values.length, lineBox.width)} ${round(y(value))}`).join('L')}`;
}

/** An area of a stack: what it fills, and its upper edge. */
export interface Area {
  readonly fill: string;
  readonly edge: string;
}

/** The areas of values that are stacked on each other, the first one at the bottom. @param most what reaches the top */
export function stackedAreas(rows: readonly (readonly number[])[], most: number): readonly Area[] {
  let below: readonly number[] = (rows[0] ?? []).map(() => 0);
  return rows.map((values) => {
    const above = values.map((value, index) => value + (below[index] ?? 0));
    const points = (level: readonly number[]) =>
      level.map(
        (value, index) =>
          `${x(index, level.length, areaBox.width)} ${round(areaBox.height * (1 - value / most))}`,
      );
    const edge = `M${points(above).join('L')}`;
    const fill = `${edge}L${points(below).toReversed().join('L')}Z`;
    below = above;
    return { fill, edge };
  });
}

/** Where the step under way begins, and how wide it is. */
export function underWay(steps: number): { readonly x: number; readonly width: number } {
  const begin = x(steps - 2, steps, areaBox.width);
  return { x: begin, width: areaBox.width - begin };
}

/** A scale from nothing to at least a value, in few round steps: the highest one first. */
export function scaleTo(highest: number): readonly number[] {
  const rough = Math.max(1, highest) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power);
  const count = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: count + 1 }, (_, index) => (count - index) * step);
}

const x = (index: number, count: number, width: number) => round((index / Math.max(1, count - 1)) * width);

const round = (value: number) => Math.round(value * 10) / 10;
