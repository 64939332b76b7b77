import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** Starts a script of this folder as a process of its own. */
export function startScript(
  script: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): ChildProcess {
  const path = new URL(script, import.meta.url).pathname
  return fork(path, args, { env: { ...process.env, ...environment } })
}

/** The next thing that it tells. */
export async function told<T>(child: ChildProcess): Promise<T> {
  return await new Promise((resolve, reject) => {
    const onMessage = (message: T) => {
      child.off('exit', onExit)
      resolve(message)
    }
    const onExit = () => {
      child.off('message', onMessage)
      reject(new Error(`${child.spawnargs.slice(4).join(' ')} ended before it told anything.`))
    }
    child.once('message', onMessage)
    child.once('exit', onExit)
  })
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
