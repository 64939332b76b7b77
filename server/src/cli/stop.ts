const signals = ['SIGTERM', 'SIGINT'] as const

/**
 * Resolves at SIGTERM or SIGINT; a second one ends the process at once. Where another process decides that
 * (`led`), more of them say nothing new: that one passes its signal on, and a terminal and systemd send theirs to
 * every process of the group as well.
 */
export async function untilToldToStop({ led = false } = {}): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve())
  })
  for (const signal of signals) process.on(signal, () => (led ? undefined : process.exit(1)))
}

/** From the signal to the end of the process, ms: `docker stop` kills after ten seconds. */
export const latestEnd = 9300

/**
 * Closes a service. Requests are answered by then; what still waits for the database, because somebody holds a lock
 * on it, was acknowledged to nobody.
 */
export async function closeInTime(running: { close(): Promise<void> }): Promise<void> {
  const late = setTimeout(() => process.exit(0), latestEnd)
  await running.close()
  clearTimeout(late)
}
