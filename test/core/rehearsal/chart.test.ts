import { describe, expect, it } from 'vitest';
import { deviceCodeMachine } from '../../../src/core/grants/device-code.ts';
import { graphOf, transitionsOf } from '../../../src/core/rehearsal/chart/graph.ts';
import { type Layout, layoutOf } from '../../../src/core/rehearsal/chart/layout.ts';
import { spread } from '../../../src/core/rehearsal/chart/spread.ts';
import { chartOf, type Life } from '../../../src/core/rehearsal/chart/svg.ts';
import { lineHeight, widest } from '../../../src/core/rehearsal/chart/words.ts';
import { machines } from '../../../tools/state-tables.ts';

const details = ['whole', 'small'] as const;
const cases = machines.flatMap(({ machine }) =>
  details.map((detail) => [machine.id, detail, machine] as const),
);

interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Where boxes and words are. */
function areasOf({ boxes, arrows }: Layout): readonly Area[] {
  const words = arrows.flatMap(({ pieces }) =>
    pieces.flatMap(({ lines, x, top, bottom }) => {
      if (lines === null) return [];
      const [width, middle] = [widest(lines), (top + bottom) / 2];
      const height = lines.length * lineHeight;
      return [
        { left: x - width / 2, right: x + width / 2, top: middle - height / 2, bottom: middle + height / 2 },
      ];
    }),
  );
  const areas = boxes.map(({ x, y, width, height }) => ({
    left: x,
    right: x + width,
    top: y,
    bottom: y + height,
  }));
  return [...areas, ...words];
}

const overlaps = (one: Area, other: Area) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

describe.each(cases)('the chart of the %s, %s', (_, detail, machine) => {
  const svg = chartOf(machine, { detail, label: machine.id });

  it('has every state, every event that keeps it, and every event that leads to another', () => {
    for (const { state, event, next } of transitionsOf(machine)) {
      const box = new RegExp(`data-state="${state}">.*`).exec(svg)?.[0] ?? '';
      expect(box).toContain(`>${state}</text>`);
      if (state === next) expect(box).toMatch(new RegExp(`class="stays"[^>]*>[^<]*\\b${event}\\b`));
      else {
        const arrow = new RegExp(`data-from="${state}" data-to="${next}".*`).exec(svg)?.[0] ?? '';
        expect(arrow).toMatch(new RegExp(`class="event"[^>]*>[^<]*\\b${event}\\b`));
      }
    }
  });

  it('draws nothing over anything else, and nothing beyond its edge', () => {
    const layout = layoutOf(graphOf(machine), detail);
    const areas = areasOf(layout);
    const over = areas.flatMap((one, at) => areas.slice(at + 1).filter((other) => overlaps(one, other)));
    expect(over).toEqual([]);
    const beyond = areas.filter(
      ({ left, right, top, bottom }) => left < 0 || top < 0 || right > layout.width || bottom > layout.height,
    );
    expect(beyond).toEqual([]);
  });
});

describe('a life in a chart', () => {
  const life: Life = {
    state: 'approved',
    steps: [
      { from: 'pending', event: 'poll', to: 'pending' },
      { from: 'pending', event: 'poll', to: 'pending' },
      { from: 'pending', event: 'approve', to: 'approved' },
    ],
  };
  const svg = chartOf(deviceCodeMachine, { detail: 'small', label: 'A code', life });
  const classOf = (data: string) => new RegExp(`<g class="([^"]*)" ${data}`).exec(svg)?.[1];

  it('lights the way that was taken, and where it is now', () => {
    expect(classOf('data-state="pending"')).toBe('state lit');
    expect(classOf('data-state="approved"')).toBe('state lit now');
    expect(classOf('data-state="denied"')).toBe('state');
    expect(classOf('data-from="pending" data-to="approved"')).toBe('arrow lit');
    expect(classOf('data-from="pending" data-to="denied"')).toBe('arrow');
  });

  it('counts what happened in a state and left it as it was', () => {
    expect(svg).toContain('>↻ poll ×2</text>');
  });

  it('lights nothing where there is none', () => {
    expect(chartOf(deviceCodeMachine, { detail: 'small', label: 'A code' })).not.toMatch(/\blit\b|\bnow\b/);
  });
});

describe('what stands beside one another', () => {
  const thing = (wish: number, weight = 1) => ({ width: 10, wish, weight });

  it('stands where it would be, where there is room', () => {
    expect(spread([thing(0), thing(50)], 5)).toEqual([0, 50]);
  });

  it('shares what is missing, by weight, and keeps its order', () => {
    expect(spread([thing(0), thing(0)], 5)).toEqual([-7.5, 7.5]);
    expect(spread([thing(0, 2), thing(0)], 5)).toEqual([-5, 10]);
    expect(spread([thing(9), thing(0), thing(100)], 0)).toEqual([-0.5, 9.5, 100]);
  });
});
