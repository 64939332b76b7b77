import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'
/** More than a run of the tests takes, bytes. */
const plenty = 4 * 1024 ** 3

/**
 * Where databases of tests lie: in memory where there is plenty of it. Hundreds of them are made, on PostgreSQL of
 * six hundred files each, and on SQLite every commit waits for the disk.
 */
export function folderOfDatabases(): string {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > plenty ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}
