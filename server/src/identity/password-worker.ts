import { execFileSync } from 'node:child_process'
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { hashSync } from '@node-rs/argon2'
import { isPasswordOf } from './password-check.ts'
import { argon2Parameters, type PasswordAnswer, type PasswordTask } from './password-task.ts'

// Hashes in a thread of its own: not in libuv's pool, where a hash of 10 ms would stand before signatures of 0.3 ms.
giveWay()

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

/**
 * On Linux each thread is scheduled by itself. One of the class for what is idle is interrupted the moment that a
 * signature is to be made; one with a low priority goes on for some milliseconds first, and each token waits for that
 * several times.
 */
function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    const thread = basename(readlinkSync('/proc/thread-self'))
    execFileSync('chrt', ['--idle', '--pid', '0', thread], { stdio: 'ignore' })
  } catch {
    // There is no such command, or it is not allowed.
    lowerPriority()
  }
}

function lowerPriority(): void {
  try {
    setPriority(10)
  } catch {
    // Not allowed everywhere; it hashes all the same.
  }
}
