/** The process: does one task, and tells what came of it. */
import { setPriority } from 'node:os'
import type { DeclaredAnswer, HandedTask } from './task.ts'
import { refusalOf } from './refusals.ts'
import { worked } from './work.ts'

/** Below whatever answers requests. */
const lowly = 10

async function answerTo({ task, settings }: HandedTask): Promise<DeclaredAnswer> {
  try {
    return { done: await worked(task, settings) }
  } catch (error) {
    const refused = refusalOf(error)
    if (refused !== undefined) return { refused }
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

setPriority(lowly)
// The service ends it, and finishes what is under way where a whole group is told; SIGQUIT would write an image of the keys.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => undefined)
// The service is gone: what is not committed is undone.
process.once('disconnect', () => process.exit(1))
process.once('message', (given) => {
  void answerTo(given as HandedTask).then((answer) => process.send?.(answer))
})
