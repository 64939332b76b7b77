/** What remains to be done by whoever may: a script with each command that puts the files where people get them from. */
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesOf, packages, type Release } from './artefacts.ts'

export function writePublish(release: Release): void {
  const file = join(release.out, 'publish.sh')
  writeFileSync(file, publishScript(release))
  chmodSync(file, 0o755)
}

/** `sha256sum --check SHA256SUMS` */
export function writeSums(out: string): void {
  const sums = filesOf(out).map((file) => `${sha256(readFileSync(join(out, file)))}  ${file}\n`)
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''))
}

export const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex')

function publishScript({ out, version, commit }: Release): string {
  // What comes before a version is installed by whoever asks for it.
  const tag = version.includes('-') ? 'next' : 'latest'
  const ours = packages.map((one) => {
    const file = `./tessera-${one}-${version}.tgz`
    return `is_there @tessera/${one} ${file} || npm publish ${file} --access=public --tag=${tag} $provenance`
  })
  return `#!/bin/sh
# Publishes Tessera ${version}, made of the commit ${commit}. Nothing here can be taken back.
#   REGISTRY=registry.example.com/identity sh publish.sh
# Sign in before: npm login, docker login (or podman), helm registry login.
set -eu
cd "$(dirname "$0")"
: "\${REGISTRY:?where images and charts go, such as registry.example.com/identity}"
sha256sum --check SHA256SUMS

# The registry of npm takes a proof of where a package was made from jobs of GitHub and GitLab alone, and only where
# package.json names the repository.
provenance=
if [ -n "\${ACTIONS_ID_TOKEN_REQUEST_URL:-}\${SIGSTORE_ID_TOKEN:-}" ]; then provenance=--provenance; fi
# No version can be published twice: what is there already, byte by byte, is passed over when this runs again.
is_there() { [ "$(npm view "$1@${version}" dist.shasum 2> /dev/null)" = "$(sha1sum < "$2" | cut -c 1-40)" ]; }
${ours.join('\n')}
${existsSync(join(out, imageFile(version))) ? publishImage(version) : '\n# The image is missing: it was not built.\n'}
helm push tessera-${version}.tgz "oci://$REGISTRY/charts"

# In the checkout that it was made in:
#   git tag --annotate --cleanup=whitespace --file notes.md v${version} ${commit} && git push origin v${version}
`
}

const imageFile = (version: string): string => `tessera-image-${version}.tar.gz`

const publishImage = (version: string): string => `
builder=$(command -v podman || command -v docker)
# Unpacked first: the podman of Debian 12 takes no compressed archive of this kind.
gzip --decompress --stdout ${imageFile(version)} | "$builder" load
"$builder" tag localhost/tessera:${version} "$REGISTRY/tessera:${version}"
"$builder" push "$REGISTRY/tessera:${version}"
`
