/** The file of an image without what each build draws by lot: the names of its containers, and of what it began with. */
import { createReadStream, createWriteStream, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import { sha256 } from './publish.ts'
import { run } from './run.ts'

interface Manifest {
  Config: string
  RepoTags: string[]
  Layers: string[]
}
interface Step {
  created_by?: string
  comment?: string
}
interface Config extends Record<string, unknown> {
  config: Record<string, unknown>
  history?: Step[]
}

/** Writes what `podman save` or `docker save` wrote as a file that both load, the same for the same layers. */
export async function keepArchive(saved: string, file: string, work: string): Promise<void> {
  run('tar', ['--extract', `--file=${saved}`, `--directory=${work}`], { cwd: work })
  const [manifest] = JSON.parse(readFileSync(join(work, 'manifest.json'), 'utf8')) as Manifest[]
  if (manifest === undefined) throw new Error('The saved image has no manifest.')
  const config = Buffer.from(
    JSON.stringify(settled(JSON.parse(readFileSync(join(work, manifest.Config), 'utf8')) as Config)),
  )
  const name = `${sha256(config)}.json`
  const tar = pack()
  const written = pipeline(tar, createGzip({ level: 6 }), createWriteStream(file))
  const mtime = new Date(0)
  tar.entry({ name: 'manifest.json', mtime }, JSON.stringify([{ ...manifest, Config: name }]))
  tar.entry({ name, mtime }, config)
  for (const layer of new Set(manifest.Layers)) {
    const { size } = statSync(join(work, layer))
    await pipeline(createReadStream(join(work, layer)), tar.entry({ name: layer, mtime, size }))
  }
  tar.finalize()
  await written
}

/** What a configuration says of the image, and not of the containers that it was built in. */
export function settled(saved: Config): Record<string, unknown> {
  const { container: _container, container_config: _its, parent: _parent, ...kept } = saved
  const { Hostname: _host, ...config } = kept.config
  const history = (kept.history ?? []).map(({ comment: _begun, ...step }) => step)
  return { ...kept, config, history }
}
