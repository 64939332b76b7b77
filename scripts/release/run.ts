import { spawnSync } from 'node:child_process'

/** What a program prints. It throws with what the program says when it fails, and shows it when it is to be watched. */
export function run(
  program: string,
  args: readonly string[],
  { cwd, env, isShown = false }: { cwd: string; env?: NodeJS.ProcessEnv; isShown?: boolean },
): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', isShown ? 'inherit' : 'pipe', isShown ? 'inherit' : 'pipe'],
    ...(env && { env: { ...process.env, ...env } }),
  })
  if (error !== undefined) throw error
  if (status === 0) return stdout
  throw new Error(`${program} ${args.join(' ')} failed. ${(stderr ?? '').trim() || (stdout ?? '').trim()}`)
}
