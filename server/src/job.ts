/** What a background job is told while it runs. */
export interface JobContext {
  /** Aborted when the process is stopping: a long job ends early. */
  stopping: AbortSignal
  /** Logs a failure that does not end the job. */
  report(failure: unknown): void
  /** What goes on after the run, beside the next ones; a process that stops waits for it. */
  goesOn(work: Promise<void>): void
}
