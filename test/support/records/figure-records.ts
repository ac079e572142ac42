import type { FigureRow } from '../../../src/storage/operators/schema.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** What a tenant of some size has on a usual day, and how much more of it there is each day. */
const usual: Readonly<Record<string, readonly [value: number, growth: number]>> = {
  signInsByPassword: [5_900, 24],
  signInsByTv: [1_150, 6],
  signInsRefused: [240, 0],
  signUps: [96, 1],
  tvsApproved: [310, 1],
  orders: [71, 1],
  requestsRefused: [290, 0],
  subscriptionsBegun: [71, 1],
  subscriptionsEnded: [48, 0],
};

const levels: Readonly<Record<string, readonly [value: number, growth: number]>> = {
  members: [40_100, 37],
  subscriptions: [18_100, 23],
  overdueInvoices: [3, 0],
  'recurring NOK': [252_000_000, 205_000],
};

/** Two months of figures, and two days by the hour, with weekends: as a page is shown. @param now ms */
export function figureRecords(tenantId: string, now: number): readonly FigureRow[] {
  const rows: FigureRow[] = [];
  for (let ago = 0; ago < 62; ago += 1) {
    const at = now - (now % day) - ago * day;
    const weekday = new Date(at).getUTCDay();
    const busy = [1.2, 0.9, 0.88, 0.93, 0.96, 1.08, 1.25][weekday] ?? 1;
    const part = ago === 0 ? (now % day) / day : 1;
    const wave = 1 + Math.sin(ago * 1.7) / 25;
    for (const [name, [value, growth]] of Object.entries(usual)) {
      const whole = Math.round((value + growth * (62 - ago)) * busy * wave * part);
      rows.push({ tenantId, unit: 'day', at, name, value: whole });
    }
    for (const [name, [value, growth]] of Object.entries(levels)) {
      const whole = Math.round(value + growth * (62 - ago) * wave);
      rows.push({ tenantId, unit: 'day', at, name, value: whole });
    }
  }
  for (let ago = 0; ago < 49; ago += 1) {
    const at = now - (now % hour) - ago * hour;
    const evening = 1 + Math.cos(((new Date(at).getUTCHours() - 20) / 12) * Math.PI) * 0.8;
    for (const [name, [value]] of Object.entries(usual)) {
      rows.push({ tenantId, unit: 'hour', at, name, value: Math.round((value / 24) * evening) });
    }
    for (const [name, [value, growth]] of Object.entries(levels)) {
      rows.push({ tenantId, unit: 'hour', at, name, value: Math.round(value + growth * (62 - ago / 24)) });
    }
  }
  return rows;
}
