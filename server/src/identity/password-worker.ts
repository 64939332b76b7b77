import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { hashSync } from '@node-rs/argon2'
import { argon2Parameters } from '../protocol/password-hash.ts'
import { normalised } from '../protocol/password-text.ts'
import { isPasswordOf } from './password-check.ts'

export type PasswordTask =
  | { kind: 'hash'; password: string }
  | { kind: 'verify'; password: string; hash: string }

export interface PasswordAnswer {
  hash?: string
  matches?: boolean
  failure?: string
}

// A thread of its own: in libuv's pool a hash of 10 ms would stand before signatures of 0.3 ms. Linux schedules each
// thread by itself, so the lowest priority is the worker's alone; elsewhere it would be that of the whole process.
try {
  if (process.platform === 'linux') setPriority(19)
} catch {
  // Not allowed here: passwords then compete with tokens for a core.
}

parentPort?.on('message', (task: PasswordTask) => parentPort?.postMessage(work(task)))

function work(task: PasswordTask): PasswordAnswer {
  try {
    if (task.kind === 'hash') return { hash: hashSync(normalised(task.password), argon2Parameters) }
    return { matches: isPasswordOf(task.hash, task.password) }
  } catch (error) {
    return { failure: error instanceof Error ? error.message : 'hashing failed' }
  }
}
