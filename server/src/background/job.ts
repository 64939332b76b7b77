/** What a background job is told while it runs. */
export interface JobContext {
  /** Aborted when the process is stopping: a long job ends early. */
  stopping: AbortSignal
  /** Logs a failure that does not end the job. */
  report(failure: Error): void
}
