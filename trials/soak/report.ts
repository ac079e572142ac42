import { quantile, type Sample, slopeOf } from './figures.ts';
import type { Played } from './play.ts';
import type { SoakSite } from './site.ts';

/** Routes with fewer answers have no p99 worth looking at. */
const leastAnswers = 50;

/** @param warmUp ms at the beginning that memory and times are not taken from */
export function report(
  played: Played,
  site: SoakSite,
  warmUp: number,
): { readonly text: string; readonly memorySlope: number } {
  const { recorder, length, bytesBefore, bytesAfter } = played;
  const warm = (samples: readonly Sample[]) => samples.filter(({ at }) => at >= warmUp);
  const memory = slopeOf(warm(played.probe.memory));
  const heap = slopeOf(warm(played.probe.heap));
  const lag = warm(played.probe.lag).map(({ value }) => value);
  const last = (samples: readonly Sample[]) => Math.round(samples.at(-1)?.value ?? 0);
  const rounds = [...played.rounds.values()].reduce((sum, count) => sum + count, 0);
  const lines = [
    `crashes            ${played.crashes}`,
    `answers            ${recorder.answers}, ${Math.round((recorder.answers * 1_000) / length)} a second; 503: ${recorder.busy}`,
    `mails              ${site.mails.taken} taken`,
    `memory             ${last(played.probe.memory)} MB, rising by ${slope(memory)} after ${Math.round(warmUp / 1_000)} s of warm-up`,
    `  by the minute    ${byMinute(played.probe.memory)} MB`,
    `  of it JavaScript ${last(played.probe.heap)} MB, rising by ${slope(heap)}`,
    `event-loop lag     p99 of 5 s: median ${quantile(lag, 0.5).toFixed(1)} ms, longest ${Math.max(0, ...lag).toFixed(1)} ms`,
    `database           ${megabytes(bytesAfter)} MB, ${Math.round((bytesAfter - bytesBefore) / Math.max(1, rounds))} bytes a round, ${Math.round((bytesAfter - bytesBefore) / Math.max(1, recorder.answers))} an answer`,
  ];
  const wrong = [...recorder.wrong].map(([text, count]) => `wrong, ${count} times: ${text}`);
  const text = ['', ...lines, '', roundTable(played), '', routeTable(played, warmUp), '', ...wrong, ''];
  return { text: text.join('\n'), memorySlope: memory.perHour };
}

/** The last value of each minute: whether memory settles or goes on is seen better here than in one figure. */
function byMinute(samples: readonly Sample[]): string {
  const minutes = new Map(samples.map(({ at, value }) => [Math.floor(at / 60_000), Math.round(value)]));
  return [...minutes.values()].join(' ');
}

const slope = ({ perHour, error }: ReturnType<typeof slopeOf>) =>
  `${perHour.toFixed(1)} ± ${error.toFixed(1)} MB an hour`;

const megabytes = (bytes: number) => (bytes / 1_024 ** 2).toFixed(1);

function roundTable({ rounds }: Played): string {
  return table([['actor', 'rounds'], ...[...rounds].map(([name, count]) => [name, String(count)])]);
}

function routeTable({ recorder, length }: Played, warmUp: number): string {
  const ms = (time: number) => time.toFixed(1);
  const rows = recorder
    .figures(warmUp, length)
    .filter(({ count }) => count >= leastAnswers)
    .map(({ route, count, p50, firstP99, lastP99 }) => [
      route,
      String(count),
      ms(p50),
      ms(firstP99),
      ms(lastP99),
      firstP99 === 0 ? '-' : (lastP99 / firstP99).toFixed(2),
    ]);
  return table([['route', 'answers', 'p50 ms', 'p99 first third', 'p99 last third', 'drift'], ...rows]);
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(cell).join('  ')).join('\n');
}
