import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { cleanUp, temporaryFolder } from '../harness/process.ts'

afterAll(cleanUp)

const files = 100

/** Each first process of `--processes 2`, and each replica on one disk, begins so. Without care one of ten is refused. */
it('two processes that open a new file at once are both let in', async () => {
  const program = new URL('opens-files.mjs', import.meta.url).pathname
  const processes = [fork(program), fork(program)]
  const folder = temporaryFolder()
  const answers: unknown[] = []
  for (let file = 0; file < files; file++) {
    const path = join(folder, `${file}.db`)
    answers.push(...(await Promise.all(processes.map((one) => answerOf(one, path)))))
  }
  for (const one of processes) one.kill()
  expect(answers.filter((answer) => answer !== 'ok')).toEqual([])
})

async function answerOf(one: ChildProcess, path: string): Promise<unknown> {
  const answered = once(one, 'message')
  one.send(path)
  return (await answered)[0]
}
