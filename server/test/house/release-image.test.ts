/** The file of a release's image. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { keepArchive } from '../../../scripts/release/archive.ts'
import { sha256 } from '../../../scripts/release/publish.ts'
import { run as execute } from '../../../scripts/release/run.ts'
import { cleanUp, temporaryFolder } from '../harness/process.ts'

afterAll(cleanUp)

describe('the file of an image', () => {
  /** What `podman save` writes of two builds with the same layers: their containers have other names. */
  async function kept(build: string): Promise<string> {
    const [from, work] = [temporaryFolder(), temporaryFolder()]
    const config = {
      created: '2026-11-27T12:00:00Z',
      container: build.repeat(64),
      container_config: { Hostname: build },
      parent: `sha256:${build.repeat(64)}`,
      config: { Hostname: build, User: '1000:1000', Cmd: ['serve'] },
      rootfs: { type: 'layers', diff_ids: ['sha256:11', 'sha256:22'] },
      history: [{ created_by: 'COPY', comment: `FROM ${build}` }],
    }
    const manifest = [
      { Config: `${build}.json`, RepoTags: ['localhost/tessera:1'], Layers: ['2.tar', '1.tar'] },
    ]
    const contents = {
      '1.tar': 'one',
      '2.tar': 'two',
      [`${build}.json`]: JSON.stringify(config),
      'manifest.json': JSON.stringify(manifest),
      repositories: build,
    }
    for (const [name, content] of Object.entries(contents)) writeFileSync(join(from, name), content)
    execute('tar', ['-cf', 'saved.tar', ...Object.keys(contents)], { cwd: from })
    await keepArchive(join(from, 'saved.tar'), join(from, 'image.tar.gz'), work)
    return join(from, 'image.tar.gz')
  }

  it('is the same of two builds, and has the layers in their order and what the image says', async () => {
    const [file, other] = [await kept('a'), await kept('b')]
    expect(sha256(readFileSync(file))).toBe(sha256(readFileSync(other)))
    const unpacked = temporaryFolder()
    const listed = execute('tar', ['-xvzf', file, '-C', unpacked], { cwd: unpacked }).trim().split('\n')
    const [, config = ''] = listed
    expect(listed).toEqual(['manifest.json', config, '2.tar', '1.tar'])
    expect(`${sha256(readFileSync(join(unpacked, config)))}.json`).toBe(config)
    expect(JSON.parse(readFileSync(join(unpacked, config), 'utf8'))).toEqual({
      created: '2026-11-27T12:00:00Z',
      config: { User: '1000:1000', Cmd: ['serve'] },
      rootfs: { type: 'layers', diff_ids: ['sha256:11', 'sha256:22'] },
      history: [{ created_by: 'COPY' }],
    })
  })
})
