import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { flags as declaringFlags } from '../../dist/declaring/child.js'
import { cleanUp, run, temporaryFolder } from '../harness/process.ts'

afterAll(cleanUp)

const repository = fileURLToPath(new URL('../../..', import.meta.url))

describe('The bundled command', () => {
  let folder: string
  let bundle: string
  let command: string
  let cache: string
  beforeAll(() => {
    folder = temporaryFolder()
    for (const part of ['assets', 'bin', 'dist/bundle', 'package.json'])
      cpSync(join(repository, 'server', part), join(folder, 'server', part), {
        recursive: true,
        preserveTimestamps: true,
      })
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
    bundle = join(folder, 'server/dist/bundle/tessera.cjs')
    command = join(folder, 'server/bin/tessera.cjs')
    cache = `${bundle}.${process.version}-${process.platform}-${process.arch}.compiled`
  })

  /** Whether V8 took what was compiled before: undefined where nothing was kept. */
  const refused = (...flags: string[]) => refusedOf(bundle, flags)
  function refusedOf(program: string, flags: string[]): string {
    const script = `
      const { compiled, prepare } = require(${JSON.stringify(join(folder, 'server/bin/compiled.cjs'))})
      prepare()
      process.stdout.write(String(compiled(${JSON.stringify(program)}).cachedDataRejected))`
    return execFileSync(process.execPath, [...flags, '-e', script], { encoding: 'utf8' })
  }
  const { version: packed } = JSON.parse(readFileSync(join(repository, 'server/package.json'), 'utf8')) as {
    version: string
  }
  const version = () => run(['--version'], { command })
  const saysIt = { code: 0, stdout: `${packed}\n`, stderr: '' }

  it('says its version, to people and to programs', async () => {
    const { version: all } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      version: string
    }
    expect(all).toBe(packed)
    for (const typed of [['version'], ['--version'], ['-V']]) {
      expect(await run(typed, { command })).toMatchObject(saysIt)
      const { code, stdout } = await run([...typed, '--json'], { command })
      expect([code, JSON.parse(stdout)]).toEqual([0, { version: packed }])
    }
  })

  it('is not compiled anew at a start', async () => {
    expect(refused()).toBe('false')
    expect(await version()).toMatchObject(saysIt)
  })

  it('has the work on a declared file compiled too, for the process that does it', () => {
    expect(refusedOf(join(folder, 'server/dist/bundle/declaring.cjs'), declaringFlags)).toBe('false')
  })

  it('is compiled anew for other flags of V8', () => {
    expect(refused('--no-lazy')).toBe('true')
  })

  it('is compiled anew for another Node.js, though its V8 says that it is the same', () => {
    const other = `Object.defineProperty(process, 'version', { value: 'v20.0.0' })`
    expect(refused('--import', `data:text/javascript,${encodeURIComponent(other)}`)).toBe('undefined')
  })

  it('is compiled anew when it was changed since, even to as many characters', async () => {
    const source = readFileSync(bundle, 'latin1')
    const kept = statSync(bundle).mtime
    const other = source.replaceAll(`"${packed}"`, '"9.9.9"')
    expect(other).not.toBe(source)
    writeFileSync(bundle, other, 'latin1')
    expect(await version()).toMatchObject({ code: 0, stdout: '9.9.9\n', stderr: '' })
    writeFileSync(bundle, source, 'latin1')
    utimesSync(bundle, kept, kept)
    expect(refused()).toBe('false')
  })

  it('is compiled anew, and works, when it is not the one that was compiled', async () => {
    const kept = statSync(bundle).mtime
    appendFileSync(bundle, '\n')
    utimesSync(bundle, kept, kept)
    expect(refused()).toBe('true')
    expect(await version()).toMatchObject(saysIt)
  })

  it('works when what was kept is broken, or gone', async () => {
    writeFileSync(cache, 'no code of V8')
    expect(await version()).toMatchObject(saysIt)
    rmSync(cache)
    expect(refused()).toBe('undefined')
    expect(await version()).toMatchObject(saysIt)
  })
})
