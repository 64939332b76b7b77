import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { DeclaredFiles } from '../administration/declared-files.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { Problem } from '../protocol/problem.ts'
import type { Settings } from '../settings.ts'
import type { DeclaredAnswer, DeclaredTask, DeclaringSettings, DoneBy, HandedTask } from './task.ts'

/** Longer than a file takes whose people fit into it; gateways give up after a minute. */
const longest = 50_000
/**
 * Of the process. A file of 5 MiB and its comparison take a third of this memory, and an export of 20 MiB as much. What is
 * compiled ahead holds for these flags alone.
 */
export const flags = ['--max-old-space-size=1024']

/**
 * Does the work in a process that is started for it, and ends with it: a file is seldom sent, and holds much memory. A
 * thread would take the service along where it is stopped within the driver of an embedded database.
 */
export class DeclaredChild implements DeclaredFiles {
  readonly #settings: DeclaringSettings
  #isBusy = false

  constructor(settings: Settings, issuer: string) {
    const { databaseUrl, databaseLimits, secret, previousSecret, mode, mail } = settings
    this.#settings = { databaseUrl, databaseLimits, secret, previousSecret, mode, mail, issuer }
  }

  plan: DeclaredFiles['plan'] = (sent, asker) => this.#run({ kind: 'plan', sent, asker })
  apply: DeclaredFiles['apply'] = (sent, digest, asker, kept) =>
    this.#run({ kind: 'apply', sent, digest, asker, kept })
  export: DeclaredFiles['export'] = (asker) => this.#run({ kind: 'export', asker })
  moveIn: DeclaredFiles['moveIn'] = (sent) => this.#run({ kind: 'move-in', sent })

  async #run<K extends DeclaredTask['kind']>(task: DeclaredTask & { kind: K }): Promise<DoneBy[K]> {
    if (this.#isBusy) throw busy()
    this.#isBusy = true
    try {
      const answer = await answerOf(task, this.#settings)
      if ('failed' in answer) throw new Error(`The work on a declared file failed: ${answer.failed}`)
      if ('refused' in answer) {
        const { code, description, ...named } = answer.refused
        throw new Problem(code, description, named)
      }
      // The answer is of the kind that the task is.
      return answer.done as DoneBy[K]
    } finally {
      this.#isBusy = false
    }
  }
}

/** Two folders up from here and from the bundle. It loads what was compiled ahead, in a fifth of the time. */
const program = fileURLToPath(new URL('../../bin/declaring.cjs', import.meta.url))

async function answerOf(task: DeclaredTask, settings: DeclaringSettings): Promise<DeclaredAnswer> {
  const child = fork(program, {
    execArgv: flags,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve))
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<DeclaredAnswer>((resolve, reject) => {
      timer = setTimeout(() => reject(tooMuch(task)), longest)
      child.once('message', (answer) => resolve(answer as DeclaredAnswer))
      child.once('error', reject)
      child.once('exit', (code, signal) => reject(endOf(task, code, signal)))
      child.send({ task, settings } satisfies HandedTask, (error) => error && reject(error))
    })
  } finally {
    clearTimeout(timer)
    await stopped(child, ended)
  }
}

/** The database of the process is closed by then: whatever was not committed is undone. */
async function stopped(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGKILL')
  await ended
}

/** V8 aborts where there is no more memory. */
const endOf = (task: DeclaredTask, code: number | null, signal: NodeJS.Signals | null): Error =>
  code === 134 || signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGKILL'
    ? tooMuch(task)
    : new Error(`The process of a declared file ended without an answer: ${signal ?? code}.`)

const busy = () =>
  new ProtocolError(
    'temporarily_unavailable',
    'The service works on another file. Try again in a few seconds.',
    { headers: { 'retry-after': '5' } },
  )

const tooMuch = ({ kind }: DeclaredTask) =>
  new Problem(
    'conflict',
    `It takes more than the service gives to it over HTTP. Use tessera ${kind} on the machine, or split the file.${
      kind === 'apply' ? ' Plan it again first: that tells whether it was applied.' : ''
    }`,
  )
