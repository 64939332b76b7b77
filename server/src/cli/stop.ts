import cluster from 'node:cluster'

/** The last two: a terminal was closed, and Ctrl+\, whose image of the memory would hold keys. */
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const
/** One Ctrl+C may come twice within this time, ms: npm passes on what the terminal sends to the whole group. */
const once = 500

/** Read at once: later it may be gone already. */
const startedBy = process.ppid
/** How often to look whether it still is there, ms. */
const look = 200

/**
 * Resolves at a signal to stop. More of them say nothing new: a terminal that is closed and its shell send one each,
 * and systemd one to the whole group, to which the first of several processes passes its own on. Ctrl+C alone ends the
 * process at once when it is pressed again.
 */
export async function untilToldToStop(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of signals) process.on(signal, () => resolve())
    if (cluster.isPrimary && process.env.npm_lifecycle_event !== undefined) whenParentIsGone(resolve)
  })
  const told = performance.now()
  process.on('SIGINT', () => {
    if (cluster.isPrimary && performance.now() > told + once) process.exit(1)
  })
}

/**
 * npm runs commands in a shell that passes no signal on: SIGTERM to `npx tessera serve` ends npm and its shell, and
 * would leave the service running.
 */
function whenParentIsGone(then: () => void): void {
  const timer = setInterval(() => {
    if (process.ppid === startedBy) return
    clearInterval(timer)
    then()
  }, look)
  timer.unref()
}

/** The most time from the signal to the end of the process, ms: `docker stop` kills after ten seconds. */
export const latestEnd = 9300

/** Closes a service. What waits for the database after that time, or checks a password, was acknowledged to nobody. */
export async function closeInTime(running: { close(): Promise<void> }): Promise<void> {
  const late = setTimeout(() => process.exit(0), latestEnd)
  await running.close()
  late.unref()
}
