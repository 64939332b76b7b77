import { execFileSync } from 'node:child_process'
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { hashSync } from '@node-rs/argon2'
import { isPasswordOf } from './password-check.ts'
import { argon2Parameters, type Manner, type PasswordAnswer, type PasswordTask } from './password-task.ts'

// Hashes in a thread of its own: not in libuv's pool, where a hash of 10 ms would stand before signatures of 0.3 ms.
giveWay(workerData as Manner)

parentPort?.on('message', (task: PasswordTask) => parentPort?.postMessage(work(task)))

function work(task: PasswordTask): PasswordAnswer {
  try {
    if (task.kind === 'hash') return { hash: hashSync(task.password, argon2Parameters) }
    const { hash, password, typed } = task
    return { matches: isPasswordOf(hash, password) || (typed !== undefined && isPasswordOf(hash, typed)) }
  } catch (error) {
    return { failure: error instanceof Error ? error.message : 'hashing failed' }
  }
}

/** On Linux each thread is scheduled by itself. Node has no call for a class of scheduling, but Linux has a command. */
function giveWay(manner: Manner): void {
  if (process.platform !== 'linux') return
  try {
    if (manner === 'soon') setPriority(10)
    else
      execFileSync('chrt', ['--idle', '--pid', '0', basename(readlinkSync('/proc/thread-self'))], {
        stdio: 'ignore',
      })
  } catch {
    // There is no such command, or it is not allowed.
    if (manner === 'idle') giveWay('soon')
  }
}
