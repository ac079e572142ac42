/**
 * How long a run waits for what does not come (ms): only a test that hangs takes as long. None is judged by how long
 * it took, since a machine that is busy, or stands still for a while, would fail it.
 */
export const patience = 180_000;
