/**
 * The image of a release, built by what is found here, as a file that `docker load` and `podman load` take. NODE_IMAGE
 * names its base, and DEPLOY_CHECK_BUILD holds options that this machine wants, as for `deploy-check`.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepArchive } from './archive.ts'
import { type Release, writeJson } from './artefacts.ts'
import { run } from './run.ts'
import { bomOf, bomOfImage, type Component, debianComponents, nodeComponent } from './sbom.ts'

/** The first of these that works here. What Docker builds has the times of its building in it: podman comes first. */
const builders = ['podman', 'docker'] as const
type Builder = (typeof builders)[number]

const builder = (): Builder | undefined =>
  builders.find((one) => spawnSync(one, ['info'], { stdio: 'ignore' }).status === 0)

const wanted = (name: string): string[] => (process.env[name] ?? '').split(' ').filter(Boolean)

/** How the image is built from the root of the sources. */
function buildCommand(by: Builder, { version, commit, at }: Release): readonly string[] {
  const { NODE_IMAGE } = process.env
  const given = [
    `VERSION=${version}`,
    `REVISION=${commit}`,
    `SOURCE_DATE_EPOCH=${at.getTime() / 1000}`,
    ...(NODE_IMAGE ? [`NODE_IMAGE=${NODE_IMAGE}`] : []),
  ]
  const times = by === 'podman' ? ['--format=docker', `--timestamp=${at.getTime() / 1000}`] : []
  const options = [...times, ...wanted('DEPLOY_CHECK_BUILD'), ...given.map((one) => `--build-arg=${one}`)]
  return [
    'build',
    '--no-cache',
    ...options,
    `--tag=localhost/tessera:${version}`,
    '--file=deploy/Dockerfile',
    '.',
  ]
}

/** The builder of the image, and the base; undefined where nothing here does. */
export function imageMadeWith(): string | undefined {
  const by = builder()
  if (by === undefined) return undefined
  return `${run(by, ['--version'], { cwd: tmpdir() }).trim()} on ${process.env.NODE_IMAGE ?? 'the base that the Dockerfile names'}`
}

/** Refuses before anything is built a release that would have no image, or another one when it is made again. */
export function refuseImage(): void {
  if (builder() === undefined) throw new Error('A release has an image: install podman or docker.')
  if (!/@sha256:[0-9a-f]{64}$/.test(process.env.NODE_IMAGE ?? ''))
    throw new Error(
      'Name the base of the image by its digest, NODE_IMAGE=node@sha256:…, so that it is the same when it is made again.',
    )
}

/** Builds the image; returns why a dry run has none. */
export async function makeImage(release: Release, isDry: boolean): Promise<string | undefined> {
  const by = builder()
  const command = buildCommand(by ?? 'podman', release)
  const byHand = `From the root of the sources: ${[by ?? 'podman', ...command].join(' ')}`
  if (by === undefined) return `There is no image: neither podman nor docker works here. ${byHand}`
  try {
    run(by, command, { cwd: release.work })
  } catch (error) {
    if (!isDry) throw error
    return `There is no image: ${by} did not build it. ${(error as Error).message.slice(-500)}\n${byHand}`
  }
  await keep(by, release)
  return undefined
}

async function keep(by: Builder, { work, out, version, at }: Release): Promise<void> {
  const image = `localhost/tessera:${version}`
  const folder = mkdtempSync(join(tmpdir(), 'tessera-image-'))
  try {
    const saved = join(folder, 'image.tar')
    run(by, ['save', '--output', saved, image], { cwd: work })
    await keepArchive(saved, join(out, `tessera-image-${version}.tar.gz`), folder)
    const bom = bomOfImage(bomOf(work, 'server', at), systemOf(by, image, folder))
    writeJson(join(out, `tessera-image-${version}.cdx.json`), bom)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Node.js and the packages of Debian, as files of the image tell of them: it is not run. */
function systemOf(by: Builder, image: string, folder: string): Component[] {
  const [container = ''] = run(by, ['create', image], { cwd: folder }).trim().split('\n').slice(-1)
  try {
    for (const file of ['/var/lib/dpkg/status', '/app/server/dist/bundle/stamp'])
      run(by, ['cp', `${container}:${file}`, folder], { cwd: folder })
  } finally {
    run(by, ['rm', container], { cwd: folder })
  }
  const node = readFileSync(join(folder, 'stamp'), 'utf8').trim().slice(1)
  return [nodeComponent(node), ...debianComponents(readFileSync(join(folder, 'status'), 'utf8'))]
}
