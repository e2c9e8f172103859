/** W-12: what is installed and bundled is listed in docs/dependencies.md, with its reason, and nothing else is. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { filesOf } from '../tools/imports.ts'

interface Package {
  readonly dev?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const root = join(import.meta.dirname, '..')
/** Imports the tool that builds the page. */
const BUILD_SETTINGS = 'gui/vite.config.ts'
const locked = readLock('package-lock.json')
const [runTime, forDevelopment] = readDocument(readFileSync(join(root, 'docs', 'dependencies.md'), 'utf8'))

function readLock(file: string): Readonly<Record<string, Package>> {
  return (JSON.parse(readFileSync(join(root, file), 'utf8')) as { packages: Readonly<Record<string, Package>> })
    .packages
}

/** The names in the tables of packages: those at run time, with what they bring along, and those for development. */
function readDocument(text: string): readonly [readonly string[], readonly string[]] {
  const section = (title: string) => text.split(`\n## ${title}\n`)[1]?.split('\n## ')[0]?.split('\n') ?? []
  const names = (lines: readonly string[]) =>
    lines.flatMap((line) => [...line.matchAll(/`((?:@[\w-]+\/)?[\w.*-]+)`/g)].map((match) => match[1]!))
  const cells = (lines: readonly string[]) => lines.flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? [])
  const atRunTime = section('At run time')
  const broughtAlong = atRunTime.filter((line) => line.startsWith('- '))
  return [names([...cells(atRunTime), ...broughtAlong]), names(cells(section('For development')))]
}

/** A listed name may stand for several packages: `@koromix/koffi-*`. */
function isListed(name: string, listed: readonly string[]): boolean {
  return listed.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each))
}

function unlisted(names: Iterable<string>, listed: readonly string[]): readonly string[] {
  return [...new Set(names)].filter((name) => !isListed(name, listed)).sort()
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** The packages that the program and the page import, and all that those depend on. */
function shipped(): ReadonlySet<string> {
  const found = new Set<string>()
  const add = (name: string): void => {
    const entry = locked[`node_modules/${name}`]
    if (entry === undefined || found.has(name)) return
    found.add(name)
    for (const each of Object.keys(entry.dependencies ?? {})) add(each)
  }
  for (const file of filesOf(root, ['src/**/*.ts', 'gui/**/*.{ts,tsx}'])) {
    if (file === BUILD_SETTINGS) continue
    const text = readFileSync(join(root, file), 'utf8')
    const imports = text.matchAll(/(?:from|import\(|require\(|import) ?'((?:@[\w-]+\/)?[\w-]+)/g)
    for (const [, name = ''] of imports) add(name)
  }
  return found
}

describe('W-12: every dependency is listed with its reason', () => {
  const { dependencies, devDependencies, optionalDependencies } = locked['']!
  const pinned = Object.keys(readLock('tools/node/package-lock.json')).filter((path) => path !== '')
  const direct = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })

  it('W-12: packages that npm installs with Twinfold', () => {
    const installed = Object.entries(locked).filter(([path, { dev }]) => path !== '' && dev !== true)
    assert.ok(installed.length > 0)
    assert.deepEqual(
      unlisted(
        installed.map(([path]) => nameOf(path)),
        runTime,
      ),
      [],
    )
  })

  it('W-12: packages that are bundled into the program or the page', () => {
    const names = shipped()
    assert.ok(names.has('saxes') && names.has('preact') && names.has('tslib'), 'direct and indirect ones are found')
    assert.deepEqual(unlisted(names, [...runTime, ...forDevelopment]), [])
  })

  it('W-12: packages for development, and the Node of the tools', () => {
    assert.deepEqual(unlisted([...direct, ...pinned.map(nameOf)], [...runTime, ...forDevelopment]), [])
  })

  it('W-12: no package is listed that is not used', () => {
    const known = [...Object.keys(locked), ...pinned].filter((path) => path !== '').map(nameOf)
    const gone = [...runTime, ...forDevelopment].filter((each) => !known.some((name) => isListed(name, [each])))
    assert.deepEqual(gone, [])
  })

  it('W-12: one that is not listed is found', () => {
    assert.deepEqual(unlisted(['left-pad', 'saxes', '@koromix/koffi-linux-x64'], runTime), ['left-pad'])
  })
})
