/** The thread: does one task, and tells what came of it. */
import { parentPort, workerData } from 'node:worker_threads'
import type { DeclaredAnswer, DeclaredTask, DeclaringSettings } from './task.ts'
import { refusalOf } from './refusals.ts'
import { worked } from './work.ts'

const { task, settings } = workerData as { task: DeclaredTask; settings: DeclaringSettings }

async function answered(): Promise<DeclaredAnswer> {
  try {
    return { done: await worked(task, settings) }
  } catch (error) {
    const refused = refusalOf(error)
    if (refused !== undefined) return { refused }
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

parentPort?.postMessage(await answered())
