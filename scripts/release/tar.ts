import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'

/** A folder as a compressed tar that is the same wherever it is made: sorted, of one time, nobody's, readable by all. */
export async function tarOf(folder: string, prefix: string, at: Date): Promise<Buffer> {
  const tar = pack()
  for (const file of filesOf(folder)) {
    const header = { name: `${prefix}/${file}`, mode: 0o644, mtime: at }
    tar.entry(header, readFileSync(join(folder, file)))
  }
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) chunks.push(chunk as Buffer)
  const zipped = gzipSync(Buffer.concat(chunks), { level: 9 })
  // The system that compressed it (RFC 1952, section 2.3.1): unknown.
  zipped[9] = 255
  return zipped
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort()
}
