import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './manifest.ts'

/** A package of which parts are in what we publish. */
export interface BundledPackage {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly texts: readonly string[]
}

const LEGAL_FILE = /^(licen[cs]e|copying|notice|copyright)/i
/** The two bundlers add helper functions of their own. */
const BUNDLER_HELPER = /^\0(rolldown|vite)\//
/** What follows in Vite's licence file concerns the tool itself, which is not shipped. */
const OTHERS_IN_VITE = /^# Licenses of bundled dependencies$/m

/** The packages that modules of a bundle come from, by name. */
export function packagesOf(modules: Iterable<string>): readonly BundledPackage[] {
  const directories = new Set<string>()
  for (const id of modules) {
    const [, helper] = BUNDLER_HELPER.exec(id) ?? []
    const [directory] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id.replaceAll('\\', '/')) ?? []
    if (helper !== undefined) directories.add(join(root, 'node_modules', helper))
    else if (directory !== undefined) directories.add(directory)
  }
  const byName = new Map([...directories].map(readPackage).map((each) => [`${each.name}@${each.version}`, each]))
  return [...byName.values()].sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1))
}

function readPackage(directory: string): BundledPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as BundledPackage
  const files = readdirSync(directory, { withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => file.name)
  const texts = files.filter((file) => LEGAL_FILE.test(file)).map((file) => readFileSync(join(directory, file), 'utf8'))
  const known = join(root, 'tools', 'licences', `${name.replace('/', '+')}.txt`)
  if (existsSync(known)) texts.push(readFileSync(known, 'utf8'))
  if (texts.length === 0) throw new Error(`${name} has no licence file; put its text into ${known}`)
  return { name, version, license, texts: texts.map((text) => text.split(OTHERS_IN_VITE)[0]!.trim()) }
}

/** The notices that the package must include: the authors of its parts and their licences. */
export function noticesText(packages: readonly BundledPackage[]): string {
  const rule = '='.repeat(80)
  const head =
    'Twinfold contains parts of the packages below, under their terms. Its own licence is in the file LICENSE.'
  const parts = packages.map(
    ({ name, version, license, texts }) =>
      `${rule}\n${name} ${version} (${license})\n${rule}\n\n${texts.join('\n\n')}\n`,
  )
  return [`${head}\n`, ...parts].join('\n')
}
