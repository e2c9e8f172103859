import { manifest } from './manifest.ts'
import type { BundledPackage } from './notices.ts'

interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly scope?: string
  readonly properties?: readonly { readonly name: string; readonly value: string }[]
  readonly externalReferences?: readonly { readonly type: string; readonly url: string }[]
}

/** The parts of CycloneDX that `npm sbom` writes and we change. */
export interface Sbom {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

const DEVELOPMENT = 'cdx:npm:package:development'
const BUNDLED = { name: 'cdx:npm:package:bundled', value: 'true' }

/**
 * Reduces the list that `npm sbom` makes of the whole lock file to what is shipped: what npm installs with the package,
 * and what is bundled into it, which npm takes for development only.
 */
export function shippedSbom<T extends Sbom>(whole: T, bundled: readonly BundledPackage[]): T {
  const inside = new Set(bundled.map(({ name, version }) => `${name}@${version}`))
  const isInside = ({ name, version }: Component) => inside.has(`${name}@${version}`)
  const isInstalled = ({ properties = [] }: Component) => !properties.some(({ name }) => name === DEVELOPMENT)
  const components = whole.components
    .filter((component) => isInside(component) || isInstalled(component))
    .map((component) => (isInside(component) ? markBundled(component) : component))
    .map(withoutDistribution)
  const known = new Set(components.map((component) => component['bom-ref']))
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`))
  const missing = [...inside].filter((name) => !listed.has(name))
  if (missing.length > 0) throw new Error(`bundled, but not in the lock file: ${missing.join(', ')}`)
  const own = { ...whole.metadata.component, name: manifest.name }
  const dependencies = whole.dependencies
    .filter(({ ref }) => known.has(ref) || ref === own['bom-ref'])
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => known.has(other)) }))
  return { ...whole, metadata: { ...whole.metadata, component: own }, components, dependencies }
}

/** With the Node that executables contain; the files of a package do not. */
export function withNode<T extends Sbom>(sbom: T, version: string, where: string): T {
  const ref = `pkg:generic/node@${version}`
  const node: Component & { readonly type: string; readonly purl: string; readonly description: string } = {
    'bom-ref': ref,
    type: 'platform',
    name: 'node',
    version,
    purl: ref,
    description: `In ${where} only`,
  }
  return { ...sbom, components: [...sbom.components, node], dependencies: [...sbom.dependencies, { ref }] }
}

function markBundled(component: Component): Component {
  const others = (component.properties ?? []).filter(({ name }) => name !== DEVELOPMENT)
  return { ...component, scope: 'required', properties: [...others, BUNDLED] }
}

/** The registry that the builder used is not where others get a package; name and checksum identify it. */
function withoutDistribution(component: Component): Component {
  const references = component.externalReferences ?? []
  return { ...component, externalReferences: references.filter(({ type }) => type !== 'distribution') }
}
