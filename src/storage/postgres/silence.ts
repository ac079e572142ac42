// Gives up a connection on which the database says nothing any more: a network that has lost its way closes nothing.
import type { Schedule } from '../../system/clock.ts';
import { Silence } from './errors.ts';

/** Looks after the answers on one connection. */
export interface Watch {
  /** A statement waits to leave. */
  sent(): void;
  /** Whatever waited has left. */
  left(): void;
  /** The statement that was sent first has its answer. */
  answered(): void;
  /** Whether what is asked from now on may take long. */
  allow(mayTakeLong: boolean): void;
}

/** How long (ms) the database may say nothing while a statement waits for its answer. */
interface AnswerTimes {
  readonly usual: number;
  readonly long: number;
}

/** @param giveUp is called once, where an answer did not come in time */
export function watchSilence(giveUp: (why: Error) => void, times: AnswerTimes, schedule: Schedule): Watch {
  let time = times.usual;
  let unanswered = 0;
  let callOff: (() => void) | null = null;
  const rest = () => {
    callOff?.();
    callOff = null;
  };
  const wait = () => {
    rest();
    const waiting = schedule(() => {
      // A process that was held up itself first reads what has come meanwhile.
      setImmediate(() => {
        if (callOff === waiting) giveUp(new Silence(`the database has not answered for ${time / 1_000} s`));
      });
    }, time);
    callOff = waiting;
  };
  return {
    sent: () => {
      unanswered += 1;
    },
    left: () => {
      if (callOff === null && unanswered > 0) wait();
    },
    answered: () => {
      unanswered -= 1;
      if (unanswered > 0) wait();
      else rest();
    },
    allow: (mayTakeLong) => {
      time = mayTakeLong ? times.long : times.usual;
    },
  };
}
