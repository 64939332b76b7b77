/** What a package brings along, as CycloneDX: npm's own list out of the lock file, without what differs each time. */
import { run } from './run.ts'

export interface Component {
  'bom-ref': string
  type: string
  name: string
  version: string
  purl: string
}
interface Dependency {
  ref: string
  dependsOn: string[]
}
export interface Bom {
  serialNumber?: string
  metadata: { timestamp: string; component: Component }
  components: Component[]
  dependencies: Dependency[]
}

/** The packages that one of ours needs where it runs, that one named as what they are the parts of. */
export function bomOf(folder: string, workspace: string, at: Date): Bom {
  // `--omit=dev` would leave out what the root lists among its own tools as well, such as jose.
  const asked = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', `--workspace=${workspace}`]
  const { serialNumber: _random, ...bom } = JSON.parse(run('npm', asked, { cwd: folder })) as Bom
  const root = bom.metadata.component['bom-ref']
  const components = bom.components.map(named)
  const subject = components.find(({ purl }) => purl.startsWith(`pkg:npm/%40tessera/${workspace}@`))
  if (subject === undefined) throw new Error(`npm sbom does not name ${workspace}.`)
  return {
    ...bom,
    metadata: { ...bom.metadata, timestamp: at.toISOString(), component: subject },
    components: components.filter((one) => one !== subject).sort(byReference),
    dependencies: bom.dependencies.filter(({ ref }) => ref !== root).sort((a, b) => compare(a.ref, b.ref)),
  }
}

/** What npm lists by the name of its folder has the name that it is installed by. */
function named(component: Component): Component {
  const [, name = ''] = /^pkg:npm\/(.+)@[^@]+$/.exec(component.purl.split('?')[0] ?? '') ?? []
  return { ...component, name: decodeURIComponent(name) || component.name }
}

/** The image: what the service brings along, and the packages of the system below it. */
export function bomOfImage(server: Bom, system: readonly Component[]): Bom {
  const { component } = server.metadata
  const image = {
    ...component,
    'bom-ref': `tessera-image@${component.version}`,
    type: 'container',
    name: 'tessera',
  }
  const { purl: _none, ...subject } = image
  const parts = [component['bom-ref'], ...system.map((one) => one['bom-ref'])]
  return {
    ...server,
    metadata: { ...server.metadata, component: subject as Component },
    components: [...server.components, component, ...system].sort(byReference),
    dependencies: [{ ref: subject['bom-ref'], dependsOn: parts }, ...server.dependencies],
  }
}

/** The packages that are installed, out of dpkg's own list of them. */
export function debianComponents(status: string): Component[] {
  return status.split('\n\n').flatMap((one) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(one)?.[1] ?? ''
    if (field('Status') !== 'install ok installed') return []
    const from = `?arch=${field('Architecture')}`
    return [component(field('Package'), field('Version'), { kind: 'deb/debian', from })]
  })
}

export const nodeComponent = (version: string): Component =>
  component('node', version, { kind: 'generic', from: '' })

function component(name: string, version: string, { kind, from }: { kind: string; from: string }): Component {
  const purl = `pkg:${kind}/${name}@${encodeURIComponent(version)}${from}`
  return { 'bom-ref': purl, type: 'library', name, version, purl }
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
const byReference = (a: Component, b: Component): number => compare(a['bom-ref'], b['bom-ref'])
