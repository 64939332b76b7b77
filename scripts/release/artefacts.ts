/** What a release publishes beside the image, out of a folder that is built: packages, chart, lists of parts, notes. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sectionOf } from './changelog.ts'
import { run } from './run.ts'
import { bomOf } from './sbom.ts'
import { tarOf } from './tar.ts'

export interface Release {
  /** The folder of the commit's sources, with the version set and built. */
  work: string
  /** The folder that the files of the release go to. */
  out: string
  version: string
  commit: string
  /** When the commit was made: the time of all that is in the release. */
  at: Date
}

/** What is published on the registry of npm. A package comes after what it needs. */
export const packages = ['guard', 'server'] as const

export async function makeArtefacts({ work, out, version, at }: Release): Promise<void> {
  for (const workspace of packages) {
    // The scripts bring documents and examples into the package: they run even where a setting switches all off.
    run('npm', ['pack', '--no-ignore-scripts', `--workspace=${workspace}`, '--pack-destination', out], {
      cwd: work,
    })
    writeJson(join(out, `tessera-${workspace}-${version}.cdx.json`), bomOf(work, workspace, at))
  }
  // `helm package` writes the same, but puts the time of the day into it.
  const chart = await tarOf(join(work, 'deploy/helm/tessera'), 'tessera', at)
  writeFileSync(join(out, `tessera-${version}.tgz`), chart)
  const changelog = readFileSync(join(work, 'CHANGELOG.md'), 'utf8')
  writeFileSync(join(out, 'notes.md'), `${sectionOf(changelog, version)}\n`)
}

export function writeJson(file: string, content: unknown): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
}

/** The files of a release, by their names. */
export const filesOf = (out: string): string[] => readdirSync(out).sort()
