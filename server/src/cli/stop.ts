import cluster from 'node:cluster'

const signals = ['SIGTERM', 'SIGINT'] as const

/** Read at once: later it may be gone already. */
const startedBy = process.ppid
/** How often to look whether it still is there, ms. */
const look = 200

/**
 * Resolves at SIGTERM or SIGINT; a second one ends the process at once. In one of several processes more of them say
 * nothing new: the first process passes its signal on, and a terminal or systemd sends one to the whole group.
 */
export async function untilToldToStop(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve())
    if (cluster.isPrimary && process.env.npm_lifecycle_event !== undefined) whenParentIsGone(resolve)
  })
  for (const signal of signals) process.on(signal, () => (cluster.isPrimary ? process.exit(1) : undefined))
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

/** From the signal to the end of the process, ms: `docker stop` kills after ten seconds. */
export const latestEnd = 9300

/** Closes a service. What waits for the database after that time, or checks a password, was acknowledged to nobody. */
export async function closeInTime(running: { close(): Promise<void> }): Promise<void> {
  const late = setTimeout(() => process.exit(0), latestEnd)
  await running.close()
  late.unref()
}
