import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { hashSync } from '@node-rs/argon2'
import { isPasswordOf } from './password-check.ts'
import { argon2Parameters, type PasswordAnswer, type PasswordTask } from './password-task.ts'

/**
 * Hashes in a thread of its own: not in libuv's pool, where a hash of 10 ms would stand before signatures of
 * 0.3 ms. On Linux a priority belongs to a thread, and this one gives way to the others.
 */
try {
  if (process.platform === 'linux') setPriority(10)
} catch {
  // Not allowed everywhere; it hashes all the same.
}

parentPort?.on('message', (task: PasswordTask) => {
  parentPort?.postMessage({ id: task.id, ...work(task) } satisfies PasswordAnswer)
})

function work(task: PasswordTask): Omit<PasswordAnswer, 'id'> {
  try {
    if (task.kind === 'hash') return { hash: hashSync(task.password, argon2Parameters) }
    const { hash, password, typed } = task
    return { matches: isPasswordOf(hash, password) || (typed !== undefined && isPasswordOf(hash, typed)) }
  } catch (error) {
    return { failure: error instanceof Error ? error.message : 'hashing failed' }
  }
}
